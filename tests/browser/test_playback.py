"""Motions in a real browser: side by side, among obstacles, as an animated GIF."""

from __future__ import annotations

import re

import numpy as np
import pytest
from chromium import needs_browser, run, small, timed

import kinetree as kt
from kinetree.scene import Fixture, Movement, View
from kinetree.view import line_plot

pytestmark = needs_browser
ARM = kt.robots.two_link()
T = np.linspace(0.0, 1.0, 21)
PLOT = line_plot("Time", T, {"t": T})


def motion(far: float = 1.0, duration: float = 1.0) -> kt.Motion:
    return kt.Motion(T * duration, np.stack([far * T, -far * T], axis=1), robot=ARM, tau=np.stack([T, 5 * T], axis=1))


def test_a_gif_has_the_frames_of_the_motion(tmp_path):
    """Decoded by the browser itself, each frame is the picture at its time."""
    script = """
      const told = [], blob = await viewer.gif((share) => told.push(share));
      const decoder = new ImageDecoder({ data: await blob.arrayBuffer(), type: "image/gif" });
      await decoder.tracks.ready;
      await decoder.completed;
      const { frameCount } = decoder.tracks.selectedTrack, worst = [];
      const { copy, g, paint } = kinetree.painted(viewer, Math.min(640, viewer.canvas.width), true);
      for (const k of [0, 7, frameCount - 1]) {
        const { image } = await decoder.decode({ frameIndex: k }), shown = new OffscreenCanvas(copy.width, copy.height);
        const other = shown.getContext("2d");
        other.drawImage(image, 0, 0);
        viewer.seek(image.timestamp / 1e6);
        viewer.draw();
        paint();
        const [a, b] = [g, other].map((x) => x.getImageData(0, 0, copy.width, copy.height).data);
        let off = 0;
        for (let i = 0; i < a.length; i++) if (Math.abs(a[i] - b[i]) > 12) off += 1;
        worst.push(off / a.length);
      }
      return { frameCount, worst, told: told.length, size: blob.size, playing: viewer.filming };"""
    page = motion().view().html().replace("ready: null }", "ready: null, painted }")
    found = timed(tmp_path, page, script)
    assert found["frameCount"] == found["told"] == 20  # twenty a second
    assert max(found["worst"]) < 0.01
    assert found["size"] < 400_000
    assert found["playing"] is False


def test_a_robot_without_a_motion_turns_in_its_gif(tmp_path):
    script = """
      const before = viewer.camera.yaw, blob = await viewer.gif();
      return { type: blob.type, size: blob.size, turned: viewer.camera.yaw - before };"""
    found = timed(tmp_path, small(ARM.view([0.3, 0.4]).html()), script)
    assert found["type"] == "image/gif"
    assert found["size"] > 5_000
    assert found["turned"] == pytest.approx(0.0)


def test_motions_stand_side_by_side_and_all_of_each_is_played(tmp_path):
    script = """
      const [box] = [...viewer.figure.querySelectorAll(".kt-toggle")].filter((x) => x.textContent === "side by side");
      const at = () => { viewer.seek(9); viewer.draw(); return viewer.drawn.length; };
      const ghosts = at(), clear = viewer.drawn.filter((item) => item.colour[3] < 1).length;
      box.querySelector("input").click();
      const beside = at(), robots = viewer.drawn.filter(({ part }) => part && part.body < 0).map(({ matrix }) =>
        [...matrix.slice(12, 15)]);
      const words = [...viewer.labels.children].filter((x) => !x.hidden).map((x) => x.firstChild.textContent);
      const seen = viewer.drawn.filter(({ part }) => part).map(({ matrix }) =>
        viewer.camera.project([...matrix.slice(12, 15)]));
      const inside = seen.every(({ x, y }) => x > 0 && x < viewer.camera.width && y > 0 && y < viewer.camera.height);
      return { ghosts, clear, beside, robots, words, time: viewer.time, inside };"""
    found = run(tmp_path, motion().view(motion(2.0, 3.0), names=["one", "<b>other"]).html(), script)
    assert found["time"] == 3.0  # the longer one ends there
    assert found["clear"] > 0
    (x0, y0, _), (x1, y1, _) = found["robots"]
    assert np.hypot(x1 - x0, y1 - y0) > 0.8  # the reach of the arm
    assert {"one", "<b>other"} <= {*found["words"]}
    assert found["inside"]


def test_obstacles_are_where_they_are_at_that_time(tmp_path):
    path = np.stack([T, 0 * T, 2 * T], axis=1)
    ball = Fixture("sphere", [0.1], [[1, 0, 0, 0.5], [0, 1, 0, 0.5], [0, 0, 1, 0.5]], "ball", path)
    wall = Fixture("plane", [], [[0, 0, 1, -1], [1, 0, 0, 0], [0, 1, 0, 0]], "wall")
    view = View(ARM, movements=[Movement(T, np.zeros((21, 2)))], obstacles=[ball, wall])
    script = """
      viewer.seek(0.5);
      viewer.draw();
      const [ball, wall] = viewer.drawn.slice(viewer.solid).map(({ matrix, colour }) =>
        ({ at: [...matrix.slice(12, 15)], clear: colour[3] < 1 }));
      viewer.show.obstacles = false;
      viewer.draw();
      return { ball, wall, without: viewer.drawn.length === viewer.solid };"""
    found = run(tmp_path, view.html(), script)
    assert found["ball"]["at"] == pytest.approx([0.5 + 0.5, 0.5, 0.5 + 1.0], abs=1e-6)
    assert found["wall"]["at"][0] == pytest.approx(-1.0, abs=0.01)
    assert found["ball"]["clear"]
    assert found["without"]


def test_the_joint_with_the_largest_share_is_named(tmp_path):
    arm = kt.robots.panda()
    q = [0.0, 0.9, 0.0, -1.0, 0.0, 1.6, 0.0]
    script = """
      const [found] = [...viewer.labels.querySelectorAll(".kt-callout")].filter((x) => !x.hidden);
      return [found.firstChild.textContent, found.lastChild.textContent];"""
    name, text = run(tmp_path, arm.view(q).html(), script)
    shares = np.abs(arm.gravity_forces(q)) / arm.effort_limits
    k = int(np.argmax(shares))
    assert name == arm.joint_names[k]
    assert f"{round(100 * shares[k])} % of its limit" in text


def test_films_and_pictures_are_saved_by_their_buttons(tmp_path):
    script = """
      const saved = {}, made = URL.createObjectURL, names = [];
      const told = new Promise((done) => {
        URL.createObjectURL = (blob) => { saved[blob.type] = blob.size; return made.call(URL, blob); };
        const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = function () { names.push(this.download); if (names.length === 4) done(); };
      });
      const buttons = [...viewer.figure.querySelectorAll(".kt-buttons button")];
      for (const name of ["PNG", "WebM", "CSV", "SVG"]) buttons.find((x) => x.textContent === name).click();
      await told;
      return { saved, names, filming: viewer.filming };"""
    found = timed(tmp_path, View(ARM, movements=[Movement(T, np.stack([T, T], axis=1))], plots=[PLOT]).html(), script)
    assert sorted(name.rpartition(".")[2] for name in found["names"]) == ["csv", "png", "svg", "webm"]
    assert found["saved"]["video/webm"] > 1000
    assert found["saved"]["image/png"] > 1000
    assert found["filming"] is False


def test_pictures_have_the_words_that_stand_over_them(tmp_path):
    """Dark pixels of letters, where the page has the words, and nowhere else."""
    script = """
      viewer.show.names = true;
      const { copy, g, paint } = kinetree.painted(viewer), frame = viewer.canvas.getBoundingClientRect();
      viewer.draw();
      paint();
      const read = () => g.getImageData(0, 0, copy.width, copy.height).data, lettered = read();
      const words = [...viewer.labels.children].filter((x) => !x.hidden), boxes = words.map((x) => {
        const { left, right, top, bottom } = x.getBoundingClientRect();
        return [left - frame.left, right - frame.left, top - frame.top, bottom - frame.top];
      });
      for (const span of words) span.hidden = true;
      paint();
      const bare = read(), inside = boxes.map(() => 0), scale = frame.width / copy.width;
      let outside = 0;
      for (let i = 0; i < bare.length; i += 4) {
        const change = [0, 1, 2].reduce((sum, k) => sum + Math.abs(lettered[i + k] - bare[i + k]), 0);
        if (change < 24) continue;
        const x = scale * (i / 4 % copy.width), y = scale * Math.floor(i / 4 / copy.width);
        const at = boxes.findIndex(([l, r, t, b]) => x >= l - 1 && x <= r + 1 && y >= t - 1 && y <= b + 1);
        if (at < 0) outside += 1; else inside[at] += 1;
      }
      return { texts: words.map((x) => x.textContent), inside, outside };"""
    page = ARM.view([0.3, 0.4]).html().replace("ready: null }", "ready: null, painted }")
    found = timed(tmp_path, page, script)
    assert {"joint1", "joint2"} <= {*found["texts"]}
    assert min(found["inside"]) > 50
    assert found["outside"] < 200  # lines that lead to joints


def test_the_frame_rate_is_told_on_demand(tmp_path):
    script = """
      const [box] = [...viewer.figure.querySelectorAll(".kt-toggle")].filter((x) => x.textContent === "frame rate");
      box.querySelector("input").click();
      await new Promise((done) => setTimeout(done, 1500));
      return viewer.figure.querySelector(".kt-hint").textContent;"""
    assert re.fullmatch(
        r"\d+ frames a second, .+ ms of each for scripts", timed(tmp_path, small(ARM.view().html()), script)
    )
