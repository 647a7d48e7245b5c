// A robot that is alive: its own compiled code computes forces, closes loops, and lets it fall.

const SUBSTEP = 0.002; // [s]
const RUNAWAY = 1e4; // [rad/s, m/s]: a velocity beyond all measure ends a fall

class Live {
  static async of(viewer, read) {
    const { module, facts } = viewer.data.engine;
    if (!window.WebAssembly) throw new Error("this browser has no WebAssembly");
    return new Live(viewer, new engine.Live(await engine.load(read(module).slice()), facts));
  }
  constructor(viewer, arm) {
    Object.assign(this, { viewer, arm, facts: arm.facts, falling: false, damping: 0.05, pulled: null, tilt: [0, 0] });
    this.qd = new Float64Array(this.facts.nv);
    this.gravity = Float64Array.from(arm.gravity);
    this.weight = viewer.data.tree.bodies.reduce((sum, { mass }) => sum + mass, 0) * (Math.hypot(...this.gravity)
      || 9.81);
  }
  hasLoops() { return this.arm.functions.loops !== undefined; }

  // -- positions -------------------------------------------------------------------------------------------------------

  assemble(data) { // where it begins, its loops closed
    const { q, error, closed } = this.arm.close(data.q);
    if (closed) [this.viewer.q, data.q] = [q, [...q]];
    else data.notes.push(`The loops can't be closed here; they are open by ${number(error)}.`);
  }
  move(q, one, value) { // a slider: what drives the loops holds still, or else all give way
    const { independent } = this.facts, own = one.all ?? [one.v];
    const held = own.every((k) => independent.includes(k)) ? independent : own;
    const strides = this.hasLoops() ? Math.max(1, Math.ceil(Math.abs(value - one.get(q)) / 0.1)) : 1, from = one.get(q);
    let now = Float64Array.from(q);
    for (let k = 1; k <= strides; k++) {
      const next = now.slice();
      one.set(next, mix(from, value, k / strides));
      const found = this.arm.close(next, held);
      if (!found.closed) return now;
      now = found.q;
    }
    return now;
  }
  drag(q, { body, local }, goal) { return this.arm.drag(q, body, local, goal).q; }
  stop() { this.falling = false; this.qd.fill(0); }

  // -- forces ----------------------------------------------------------------------------------------------------------

  loads(q) { // of the drives that hold it at rest, and their shares of the limits, or of the largest
    if (this.falling) return null;
    const { nv, actuated, base } = this.facts, tau = new Float64Array(nv), found = this.arm.forces(q);
    actuated.forEach((k, j) => { if (!base.includes(k)) tau[k] = found[j]; }); // nothing drives a floating base
    const most = tau.reduce((largest, x) => Math.max(largest, Math.abs(x)), 1e-12);
    const share = new Float64Array(nv), limited = new Array(nv).fill(false);
    for (const { joint } of this.viewer.scene.tree.moving) {
      for (let k = joint.v; k < joint.v + joint.nv; k++) {
        share[k] = Math.abs(tau[k]) / (joint.effort || Math.max(most, 1e-6 * this.weight));
        limited[k] = Boolean(joint.effort);
      }
    }
    return { tau, share, limited };
  }
  arrows(X) { // what the bearings carry: forces on the bodies at their joints
    const { viewer } = this, { scene, show, size } = viewer;
    if (!show.bearings) return [];
    this.heaviest = null; // the bearing with the largest force
    const loads = this.falling ? this.arm.loads(viewer.q, this.qd, this.accelerations()) : this.arm.loads(viewer.q);
    return loads.flatMap(({ force }, i) => {
      const { joint } = scene.tree.bodies[i];
      if (this.facts.base.includes(joint.v)) return []; // nothing carries a floating base
      if (!(length(force) <= (this.heaviest ? this.heaviest.size : 0))) this.heaviest = { joint, size: length(force) };
      const way = times(turned(scene.root, force), 0.5 * size / Math.max(this.weight, 1e-9)), p = place(X[i]);
      if (!(length(way) > 0.01 * size)) return [];
      const far = length(way) > 1.2 * size ? times(way, 1.2 * size / length(way)) : way;
      return scene.arrow(p, add(p, far), 0.01 * size, viewer.colours.accent).map((item) =>
        ({ ...item, ...SOLID }));
    });
  }
  accelerations() { return this.arm.accelerations(this.viewer.q, this.qd, { damping: this.damping }); }

  // -- motion ----------------------------------------------------------------------------------------------------------

  pull(q) { // a spring from a point of a body to the pointer
    if (!this.pulled) return undefined;
    const { body, local, goal } = this.pulled, X = this.arm.poses(q).subarray(12 * body, 12 * body + 12);
    const arm = turned(X, local), strength = 6 * this.weight / Math.max(this.viewer.size, 1e-6);
    const force = times(sub(goal, add(place(X), arm)), strength), external = new Float64Array(6 * this.arm.bodies);
    external.set([...cross(arm, force), ...force], 6 * body);
    return external;
  }
  step(q, dt) {
    const count = Math.max(1, Math.ceil(dt / SUBSTEP)), began = performance.now();
    for (let k = 0; k < count && performance.now() - began < 25; k++) {
      const options = { damping: this.damping * (this.pulled ? 4 : 1), external: this.pull(q) };
      const [next, qd] = this.arm.step(q, this.qd, dt / count, options);
      if (!qd.every((x) => Math.abs(x) < RUNAWAY) || !next.every(Number.isFinite)) {
        this.stop();
        this.viewer.say("It fell faster than the steps can follow, and was stopped.");
        return q;
      }
      [q, this.qd] = [this.stopped(next, qd), qd];
      this.steps = count;
    }
    return q;
  }
  stopped(q, qd) { // at the limits of the joints, where there are no loops to mind
    if (this.hasLoops()) return q;
    const { coordinates, lower, upper } = this.facts;
    coordinates.forEach((at, k) => {
      if (at === null) return;
      const inside = clamp(q[at], lower[at] ?? -Infinity, upper[at] ?? Infinity);
      if (inside !== q[at]) { q[at] = inside; qd[k] *= -0.2; }
    });
    return q;
  }
  turnGravity() { // by two angles about axes across it
    const strength = Math.hypot(...this.gravity) || 9.81,
      down = unit(Math.hypot(...this.gravity) ? [...this.gravity] : [0, 0, -1]);
    const side = unit(cross(down, Math.abs(down[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0])), other = cross(down, side);
    const turn = compose(rotation(side, this.tilt[0]), rotation(other, this.tilt[1]));
    this.arm.gravity.set(times(turned(turn, down), strength));
  }

  // -- controls --------------------------------------------------------------------------------------------------------

  controls(updates) {
    const { viewer } = this;
    const go = button("Let go", "Let it fall, and hold it again", () => {
      this.falling = !this.falling;
      this.qd.fill(0);
      viewer.play(false);
      viewer.moved = true;
      viewer.before = performance.now();
      viewer.request();
    });
    const back = button("Back", "As it was at first", () => {
      this.stop();
      this.tilt = [0, 0];
      this.turnGravity();
      viewer.pose(Float64Array.from(viewer.data.q));
    });
    const dial = (text, get, set, low, high) => {
      const input = element("input", { type: "range", min: low, max: high, step: "any", value: get(),
        "aria-label": text });
      input.oninput = () => { set(+input.value); viewer.request(); };
      updates.push(() => { if (document.activeElement !== input) input.value = get(); });
      return element("label", { className: "kt-dial" }, element("span", { textContent: text }), input);
    };
    updates.push(() => { go.textContent = this.falling ? "Hold" : "Let go";
      go.setAttribute("aria-pressed", this.falling); });
    const tilt = (k) => dial(`gravity, tilt ${k + 1}`, () => this.tilt[k], (x) =>
      { this.tilt[k] = x; this.turnGravity(); }, -PI, PI);
    return section("Live", true, element("div", { className: "kt-buttons" }, go, back),
      tilt(0), tilt(1), dial("damping", () => this.damping, (x) => { this.damping = x; }, 0, 1));
  }
}
