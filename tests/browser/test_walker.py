"""The walker in a real browser: it walks on where a stride ends, with the ground force under its foot."""

from __future__ import annotations

import numpy as np
import pytest
from chromium import needs_browser, run

import kinetree as kt
from kinetree.errors import InputError
from kinetree.gait.figure import parts
from kinetree.scene import Arrow, Movement, View

pytestmark = needs_browser
SEAM = 0.01  # pixels: two frames a ten-millionth of a second from each other
STRIDE = 1.2  # m


@pytest.fixture(scope="module")
def page() -> str:
    """A walker that glides one stride ahead, and a force that moves with it."""
    walker, t = kt.gait.Walker(), np.linspace(0.0, 1.0, 21)
    q = np.outer(t, walker.advance(STRIDE))
    at = np.stack([0.0 * t, np.full(21, walker.ground), STRIDE * t], axis=1)
    arrows = [Arrow(at, np.tile([0.0, 0.6, 0.0], (21, 1)), "#0f9d58"), Arrow(at, 0.0 * at, "#0f9d58")]
    motion = Movement(t, q, arrows=arrows, travel=(0.0, 0.0, STRIDE))
    return View(walker.robot, movements=[motion], parts=parts(walker), title="walker").html()


def test_a_stride_goes_on_without_a_jump(tmp_path, page):
    script = """
      viewer.play(false);
      const [track] = viewer.tracks, look = (time) => {
        viewer.time = time;
        viewer.draw();
        const { x, y } = viewer.camera.project(viewer.X.at(-1).filter((_, k) => k % 4 === 3));
        return [x, y, ...viewer.renderer.middle.slice(0, 2).map((m, k) => m + viewer.renderer.gone[k])];
      };
      const end = look(track.end - 1e-7);
      viewer.playing = true; // as when it plays over the end
      const again = look(track.start + 1e-7);
      return { end, again, laps: viewer.laps, step: viewer.renderer.step };"""
    found = run(tmp_path, page, script)
    assert found["laps"] == 1
    assert found["again"][:2] == pytest.approx(found["end"][:2], abs=SEAM)
    # the floor is where it was, up to whole squares
    moved = (np.array(found["again"][2:]) - found["end"][2:]) / (5.0 * found["step"])
    assert np.abs(moved - np.round(moved)).max() < 1e-5


def test_forces_stand_under_the_foot_and_can_be_hidden(tmp_path, page):
    script = """
      viewer.seek(0.5);
      viewer.draw();
      const shown = viewer.pushes();
      const switches = [...viewer.figure.querySelectorAll(".kt-toggle")].map((x) => x.textContent);
      viewer.show.pushes = false;
      return { items: shown.length, at: [12, 13, 14].map((k) => shown[0].matrix[k]), hidden: viewer.pushes().length,
        switches, bodies: viewer.drawn.length, parts: viewer.data.parts.length };"""
    found = run(tmp_path, page, script)
    ground = kt.gait.Walker().ground
    assert found["items"] == 3  # a disc, a shaft and a head; nothing for the force that is none
    assert found["at"] == pytest.approx([STRIDE / 2.0, 0.0, ground], abs=1e-5)
    assert found["hidden"] == 0
    assert "forces" in found["switches"]
    assert found["bodies"] == found["parts"] + 3


@pytest.mark.parametrize(
    ("name", "eye"), [("Side", (0.0, -1.0, 0.0)), ("Front", (1.0, 0.0, 0.0)), ("Top", (0.0, 0.0, 1.0))]
)
def test_there_are_views_from_the_side_the_front_and_above(tmp_path, page, name, eye):
    script = f"""
      viewer.play(false);
      [...viewer.figure.querySelectorAll("button")].find((x) => x.textContent === "{name}").click();
      viewer.resize();
      const {{ eye, target, walked, distance }} = viewer.camera;
      return eye.map((x, k) => (x - target[k] - walked[k]) / distance);"""
    assert run(tmp_path, page, script) == pytest.approx(eye, abs=0.03)


def test_arrows_are_as_many_as_the_times():
    arm, t = kt.robots.two_link(), np.linspace(0.0, 1.0, 3)
    motion = Movement(t, np.zeros((3, 2)), arrows=[Arrow(np.zeros((2, 3)), np.zeros((3, 3)), "#000000")])
    with pytest.raises(InputError, match=r"an arrow is two arrays \(3, 3\)"):
        View(arm, movements=[motion])
