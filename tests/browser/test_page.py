"""The page of a view in a real browser: what it shows is where the robot is, and names are never markup."""

from __future__ import annotations

from html import escape

import numpy as np
import pytest
from chromium import needs_browser, run, small, timed
from strategies import states

import kinetree as kt
from kinetree.algorithms.kinematics import world_poses
from kinetree.scene.tree import rows
from kinetree.view import Report

pytestmark = needs_browser
HOSTILE = "<img src=x onerror=\"document.body.dataset.broken='yes'\">"


def poses(robot, q):
    return np.array([robot.pose(q, body.name)[:3] for body in robot.bodies]).reshape(-1, 12)


@pytest.mark.parametrize("kinds", [["revolute", "prismatic", "helical", "universal"], ["free", "spherical", "planar"]])
def test_bodies_are_where_the_robot_is(tmp_path, kinds):
    robot = kt.robots.random_tree(3, 7, kinds)
    q = states(robot, 1).q[0]
    script = """
      const q = Float64Array.from(viewer.data.q), own = viewer.scene.tree.poses(q);
      const wasm = viewer.live.arm.poses(q);
      return { own, wasm: [...wasm] };"""
    found = run(tmp_path, robot.view(q).html(), script)
    assert np.allclose(found["own"], poses(robot, q), rtol=0, atol=1e-12)
    assert np.allclose(np.reshape(found["wasm"], (-1, 12)), poses(robot, q), rtol=0, atol=1e-12)


def test_every_robot_of_the_zoo_is_where_it_is(tmp_path):
    """Joints of files may have angles at which they begin, which no random tree has."""
    report, found = Report("Zoo"), {}
    for name in sorted({*kt.robots.names()} - {"random_tree"}):
        robot = getattr(kt.robots, name)()
        q = states(robot, 1).q[0]
        report.add_animation(robot, [0.0, 1.0], [q, q])
        X = world_poses(robot, q.tolist())  # nothing is compiled
        found[name] = [rows(X[i]) for i in range(robot.nbodies)]
    script = "return kinetree.viewers.map(({ scene, tracks }) => scene.tree.poses(tracks[0].at(0)));"
    shown = run(tmp_path, small(report.html()), script, options=("--force-prefers-reduced-motion",))
    for name, own in zip(found, shown, strict=True):
        assert np.allclose(own, found[name], rtol=0, atol=1e-12), name


def test_a_slider_moves_its_joint_and_gravity_loads_it(tmp_path):
    arm = kt.robots.ur5()
    script = """
      const inputs = viewer.figure.querySelectorAll(".kt-joint input");
      inputs[1].value = -0.7;
      inputs[1].dispatchEvent(new Event("input"));
      viewer.draw();
      const rows = [...viewer.figure.querySelectorAll(".kt-name")].map((x) => x.textContent);
      return { q: [...viewer.q], tau: [...viewer.loads.tau], names: rows, frames: viewer.frames };"""
    found = run(tmp_path, arm.view().html(), script)
    assert found["q"] == pytest.approx([0, -0.7, 0, 0, 0, 0], abs=1e-6)
    assert found["names"] == [*arm.joint_names]
    assert np.allclose(found["tau"], arm.gravity_forces(found["q"]), rtol=0, atol=1e-12 * 100)


def test_names_are_text(tmp_path):
    robot = kt.Robot.from_dh([kt.DH(a=0.4, mass=1.0, com=(-0.2, 0, 0), name=HOSTILE)], "standard", name=HOSTILE)
    script = """
      viewer.show.names = true;
      viewer.draw();
      await new Promise((done) => setTimeout(done, 200));
      const shown = viewer.figure.querySelector(".kt-name").textContent;
      return { images: document.images.length, broken: document.body.dataset.broken || "", shown };"""
    found = run(tmp_path, robot.view().html(), script)
    assert found["images"] == 0
    assert found["broken"] == ""
    assert HOSTILE in found["shown"]


def test_the_picture_has_the_robot_in_it(tmp_path):
    script = """
      const gl = viewer.renderer.gl, { height } = viewer.canvas, seen = new Uint8Array(4);
      const colour = (x, y) => {
        gl.readPixels(x, height - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, seen);
        return [...seen];
      };
      const { x, y } = viewer.camera.project(viewer.X.at(-1).filter((_, k) => k % 4 === 3));
      viewer.draw();
      const pixel = colour(Math.round(x), Math.round(y)), corner = colour(2, 2);
      const before = viewer.camera.yaw, canvas = viewer.canvas;
      for (const [type, x] of [["pointerdown", 20], ["pointermove", 60], ["pointerup", 60]]) {
        const buttons = type === "pointerup" ? 0 : 1;
        canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: 20, buttons, bubbles: true }));
      }
      return { pixel, corner, error: gl.getError(), turned: viewer.camera.yaw - before };"""
    found = run(tmp_path, kt.robots.panda().view().html(), script)
    assert found["pixel"][3] == 255
    assert found["corner"][3] < 128
    assert found["error"] == 0
    assert found["turned"] == pytest.approx(-0.32)


def test_loops_stay_closed_while_a_leg_moves_and_the_platform_is_dragged(tmp_path):
    chain = kt.ClosedChain(kt.robots.gough_stewart())
    script = """
      const one = viewer.coordinates.find(({ v }) => v === viewer.live.facts.independent[0]), errors = [];
      const error = () => Math.hypot(...viewer.live.arm.functions.loops({ q: viewer.q }).error);
      for (let k = 1; k <= 5; k++) { viewer.move(one, 0.01 * k); errors.push(error()); }
      const body = viewer.scene.tree.bodies.findIndex(({ name }) => name === "platform");
      const X = viewer.scene.poses(viewer.q)[body];
      const target = [X[3] + 0.05, X[7] + 0.03, X[11]];
      for (let k = 0; k < 5; k++) { viewer.pull({ body, local: [0, 0, 0], target }); errors.push(error()); }
      const after = viewer.scene.poses(viewer.q)[body], gap = [3, 7, 11].map((k, i) => after[k] - target[i]);
      return { errors, away: Math.hypot(...gap) };"""
    found = run(tmp_path, chain.view().html(), script)
    assert max(found["errors"]) < 1e-9
    assert found["away"] < 1e-3


def test_loops_are_closed_where_the_picture_begins(tmp_path):
    chain = kt.ClosedChain(kt.robots.four_bar())
    script = """
      const error = Math.hypot(...viewer.live.arm.functions.loops({ q: viewer.q }).error);
      return [error, viewer.figure.querySelector(".kt-message").textContent];"""
    error, said = run(tmp_path, chain.view(chain.neutral + 0.05).html(), script)
    assert error < 1e-9
    assert said == ""


def test_it_falls_as_a_simulation_does(tmp_path):
    arm = kt.robots.two_link().with_gravity((0.0, -9.81, 0.0))
    script = """
      viewer.live.falling = true;
      viewer.live.damping = 0;
      let q = viewer.q;
      for (let k = 0; k < 25; k++) q = viewer.live.step(q, 0.02);
      return [...q];"""
    found = run(tmp_path, arm.view([0.0, 0.5]).html(), script)
    true = kt.simulate(arm, [0.0, 0.5], [0.0, 0.0], 0.5, dt=0.002)
    assert np.allclose(found, true.q[-1], rtol=0, atol=1e-9)


def test_a_motion_plays_and_a_gap_is_said(tmp_path):
    robot = kt.robots.two_link()
    t = np.linspace(0.0, 2.0, 41)
    q = np.stack([np.sin(t), np.cos(t)], axis=1)
    q[20:25] = np.nan
    motion = kt.Motion(t, q, tau=q * 3.0, robot=robot, joints=robot.joint_names, positions=robot.joint_names)
    script = """
      viewer.seek(0.5);
      viewer.draw();
      const q = [...viewer.q], cursor = +document.querySelector(".cursor").getAttribute("x1");
      viewer.seek(1.1);
      viewer.draw();
      const text = (selector) => viewer.figure.querySelector(selector).textContent;
      const clock = text(".kt-time output"), said = text(".kt-message");
      return { q, cursor, gap: viewer.gap, said, csv: viewer.csv(), clock };"""
    found = run(tmp_path, motion.view().html(), script)
    assert found["q"] == pytest.approx(q[10].tolist(), abs=1e-12)
    assert found["cursor"] > 100
    assert found["gap"]
    assert "no data" in found["clock"]
    assert "from 1 to 1.2 s" in found["said"]
    header, first = found["csv"].split("\r\n")[:2]
    assert header.split(",")[:2] == ["t", "q.joint1"]
    assert [float(x) for x in first.split(",")[:3]] == [0.0, *q[0]]


def test_reduced_motion_and_no_webgl(tmp_path):
    t = np.linspace(0.0, 2.0, 41)
    motion = kt.Motion(t, np.stack([t, t], axis=1), robot=kt.robots.two_link())
    page = motion.view().html()
    still = run(tmp_path, page, "return viewer.playing;", options=("--force-prefers-reduced-motion",))
    assert still is False
    without = "HTMLCanvasElement.prototype.getContext = () => null;"
    script = """
      const [message, still] = [".kt-message", ".kt-still"].map((x) => document.querySelector(x));
      return [message.textContent, getComputedStyle(still).display];"""
    said, display = run(tmp_path, page.replace("<title>", f"<script>{without}</script><title>", 1), script)
    assert "WebGL" in said
    assert display != "none"


def test_a_large_robot_is_drawn_quickly(tmp_path):
    """A frame, without what the graphics card does: it is software here, and slow."""
    script = """
      const spent = [];
      for (let k = 0; k < 60; k++) {
        const began = performance.now();
        viewer.state();
        viewer.items();
        viewer.update();
        spent.push(performance.now() - began);
      }
      return spent.sort((a, b) => a - b)[30];"""
    assert 0.0 < timed(tmp_path, kt.robots.atlas().view().html(), script) < 16.0


def test_dynamics_are_quick_enough_for_every_frame(tmp_path):
    script = """
      const began = performance.now();
      for (let k = 0; k < 500; k++) viewer.live.accelerations();
      return (performance.now() - began) / 500;"""
    assert 0.0 < 20 * timed(tmp_path, kt.robots.ur5().view().html(), script) < 16.0  # twenty of them in a frame


def test_pictures_and_plots_of_a_report_go_to_the_same_time(tmp_path):
    t = np.linspace(0.0, 1.0, 11)
    report = Report("Two")
    for name in ("two_link", "five_bar"):
        robot = getattr(kt.robots, name)()
        report.add_animation(robot, t, np.outer(t, np.arange(1.0, robot.nq + 1.0)))
    report.add_plot("Angle", t, {"q": t}, follow=True)
    script = """
      const [arm, other] = kinetree.viewers;
      arm.seek(0.5);
      arm.draw();
      other.draw();
      return { q: [...arm.q], other: other.drawn.length, lines: document.querySelectorAll(".cursor").length };"""
    found = run(tmp_path, report.html(), script)
    assert found["q"] == pytest.approx([0.5, 1.0])
    assert found["other"] > 0
    assert found["lines"] == 1


def test_a_cell_of_a_notebook_is_alive_in_its_frame(tmp_path):
    view = kt.robots.ur5().view()
    after = "<script>kinetree.ready.then(() => parent.postMessage(kinetree.viewers[0].frames, '*'));</script></body>"
    inner = view.html().replace("</body>", after)
    cell = view._repr_html_().replace(escape(view.html()), escape(inner))
    listen = """<script>
      window.kinetree = { ready: Promise.resolve(), viewers: [] };
      window.heard = new Promise((done) => addEventListener("message", (e) => done(e.data)));</script>"""
    assert timed(tmp_path, f"<html><head></head><body>{listen}{cell}</body></html>", "return window.heard;") >= 1


def test_a_link_follows_the_pointer_that_pulls_it(tmp_path):
    """By events on the canvas, as a hand or a finger makes them."""
    script = """
      const { canvas, camera, scene } = viewer, box = canvas.getBoundingClientRect();
      const body = scene.tree.bodies.length - 1;
      const part = viewer.drawn.find((item) => item.part && item.part.body === body);
      const from = camera.project([...part.matrix.slice(12, 15)]), to = { x: from.x - 25, y: from.y + 20 };
      const send = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: "touch",
        clientX: box.left + x, clientY: box.top + y, buttons: type === "pointerup" ? 0 : 1, bubbles: true }));
      const before = moved_(viewer, body), yaw = camera.yaw;
      send("pointerdown", from.x, from.y);
      for (let k = 1; k <= 10; k++) send("pointermove", from.x - 2.5 * k, from.y + 2 * k);
      send("pointerup", to.x, to.y);
      viewer.draw();
      const after = moved_(viewer, body);
      return { turned: camera.yaw - yaw, by: [after.x - before.x, after.y - before.y] };"""
    helper = """const moved_ = (viewer, body) => viewer.camera.project([3, 7, 11].map((k) => viewer.X[body][k]));"""
    found = run(tmp_path, kt.robots.ur5().view([0.2, -1.2, 1.4, -1.0, 0.4, 0.0]).html(), helper + script)
    assert found["turned"] == 0
    assert found["by"] == pytest.approx([-25.0, 20.0], abs=6.0)  # the point that was grabbed is not the body's origin


def test_two_fingers_zoom_and_move(tmp_path):
    script = """
      const { canvas, camera } = viewer, send = (type, id, x, y) => canvas.dispatchEvent(new PointerEvent(type,
        { pointerId: id, pointerType: "touch", clientX: x, clientY: y, buttons: 1, bubbles: true }));
      const far = camera.distance, yaw = camera.yaw;
      send("pointerdown", 1, 20, 30);
      send("pointerdown", 2, 60, 30);
      send("pointermove", 2, 100, 30);
      return [camera.distance / far, camera.yaw - yaw];"""
    assert run(tmp_path, kt.robots.ur5().view().html(), script) == pytest.approx([0.5, 0.0])


def test_without_webassembly_and_after_the_loss_of_the_graphics_card(tmp_path):
    without = "<script>delete window.WebAssembly;</script><title>"
    script = """
      const box = viewer.figure.querySelector(".kt-message"), input = viewer.figure.querySelector(".kt-joint input");
      const first = box.textContent;
      viewer.renderer.gl.getExtension("WEBGL_lose_context").loseContext();
      await new Promise((done) => setTimeout(done, 300));
      const still = getComputedStyle(viewer.figure.querySelector(".kt-still")).display;
      return { first, disabled: input.disabled, then: box.textContent, still };"""
    page = kt.ClosedChain(kt.robots.four_bar()).view().html().replace("<title>", without, 1)
    found = run(tmp_path, page, script)
    assert "no WebAssembly" in found["first"]
    assert found["disabled"]  # a slider would open the loop
    assert "graphics card" in found["then"]
    assert found["still"] != "none"


def test_loops_stay_closed_in_a_fall_under_gravity_that_is_turned(tmp_path):
    script = """
      viewer.live.falling = true;
      viewer.live.tilt = [0.6, 0.3];
      viewer.live.turnGravity();
      let [q, worst] = [viewer.q, 0];
      for (let k = 0; k < 60; k++) {
        q = viewer.live.step(q, 1 / 60);
        worst = Math.max(worst, Math.hypot(...viewer.live.arm.functions.loops({ q }).error));
      }
      return { worst, gravity: [...viewer.live.arm.gravity], moved: Math.abs(q[0] - viewer.q[0]) };"""
    found = run(tmp_path, kt.ClosedChain(kt.robots.four_bar()).view().html(), script)
    assert found["worst"] < 1e-9
    assert np.linalg.norm(found["gravity"]) == pytest.approx(9.81)
    assert found["moved"] > 0.1
