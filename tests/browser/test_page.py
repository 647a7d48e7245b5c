"""The page of a view in a real browser: what it shows is where the robot is, and names are never markup."""

from __future__ import annotations

from html import escape

import numpy as np
import pytest
from chromium import needs_browser, run, timed
from strategies import states

import kinetree as kt
from kinetree.view import Report, Skeleton
from kinetree.view.animation import figure_html

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


def test_a_report_has_robots_and_figures_of_points(tmp_path):
    t = np.linspace(0.0, 1.0, 11)
    points = np.zeros((11, 2, 3))
    points[:, 1] = [[0.1, 1.0 + x, 0.0] for x in t]
    report = Report("Two")
    report.add_animation(kt.robots.two_link(), t, np.stack([t, -t], axis=1))
    report.add_figure(figure_html("walker", t, Skeleton(points, ((0, 1),), ("hip", "head")), 1))
    report.add_plot("Angle", t, {"q": t}, follow=True)
    script = """
      const [arm, walker] = kinetree.viewers;
      arm.seek(0.5);
      arm.draw();
      walker.seek(1.0);
      walker.draw();
      const tip = walker.drawn[0].matrix;
      const lines = document.querySelectorAll(".cursor").length;
      return { q: [...arm.q], up: tip[10], items: walker.drawn.length, lines };"""
    found = run(tmp_path, report.html(), script)
    assert found["q"] == pytest.approx([0.5, -0.5])
    assert found["up"] > 0.99
    assert (found["items"], found["lines"]) == (1, 1)


def test_a_cell_of_a_notebook_is_alive_in_its_frame(tmp_path):
    view = kt.robots.ur5().view()
    after = "<script>kinetree.ready.then(() => parent.postMessage(kinetree.viewers[0].frames, '*'));</script></body>"
    inner = view.html().replace("</body>", after)
    cell = view._repr_html_().replace(escape(view.html()), escape(inner))
    listen = """<script>
      window.kinetree = { ready: Promise.resolve(), viewers: [] };
      window.heard = new Promise((done) => addEventListener("message", (e) => done(e.data)));</script>"""
    assert timed(tmp_path, f"<html><head></head><body>{listen}{cell}</body></html>", "return window.heard;") >= 1
