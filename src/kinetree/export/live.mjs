/**
 * A robot that moves in a page: its joints are set, its bodies are dragged, it falls, and its loops stay closed.
 *
 *     const arm = new Live(await load(bytes), facts);
 *     q = arm.set(q, 1, 0.3).q;                          // the second velocity's coordinate, others follow
 *     q = arm.drag(q, body, pointInBody, pointInWorld).q;
 *     [q, qd] = arm.step(q, qd, 1 / 60);                 // let go
 *
 * Positions, velocities and so on are Float64Arrays of their own; none of them is the memory of the module.
 * Reference: damped least squares, as in Nakamura and Hanafusa (1986), with the equations of the loops as heavy rows.
 */
const CLOSED = 1e-10, STEPS = 30;       // the error at which loops count as closed [m, rad]; Newton's steps
const STRIDE = 0.1;                     // how far a coordinate goes at once, so that the assembly stays [rad, m]
const HEAVY = 1e3, DAMPING = 1e-6;      // of the rows of loops; of joints, relative to the largest square
const FARTHEST = 0.5;                   // a step of a joint while a body is dragged [rad, m]

export class Live {
  constructor(functions, facts) {
    this.functions = functions;
    this.facts = facts;
    this.gravity = functions.inverse_dynamics.operands.gravity;      // [m/s^2], world axes: to be written to
    this.bodies = functions.poses.shapes.X[0];
  }

  /** The poses of all bodies, 12 numbers each: the rows of [R, p]. */
  poses(q) {
    return this.functions.poses({ q }).X.slice();
  }

  /** The configuration with closed loops next to q; velocities whose indices are held stay. */
  close(q, held = []) {
    if (this.functions.loops === undefined) return { q: Float64Array.from(q), error: 0, closed: true };
    const n = this.facts.nv, free = range(n).filter((k) => !held.includes(k));
    let best = Float64Array.from(q), { error, rows, size } = this.#loops(best), part = 1;
    for (let step = 0; step < STEPS && size > CLOSED * 1e-3; ++step) {
      const v = leastSquares(rows, error.map((x) => -x), free, n, 1e-12);
      const next = this.#moved(best, v, part), after = this.#loops(next);
      if (after.size < size) {
        if (size < CLOSED && after.size > 0.5 * size) break;         // rounding is all that is left
        ({ error, rows, size } = after);
        best = next;
        part = 1;
      } else if ((part *= 0.5) < 1e-3) break;
    }
    return { q: best, error: size, closed: size <= CLOSED };
  }

  /**
   * The coordinate of a velocity at a value, in strides; where loops can't close on the way, it stays before that.
   * The other independent coordinates stay where one of them moves; otherwise all follow as little as they can.
   */
  set(q, index, value) {
    const { coordinates, independent, lower, upper } = this.facts, at = coordinates[index] ?? null;
    if (at === null) throw new RangeError(`velocity ${index} has no coordinate of its own`);
    const held = independent.includes(index) ? independent : [index];
    const wanted = Math.min(Math.max(value, lower[at] ?? -Infinity), upper[at] ?? Infinity);
    let now = Float64Array.from(q);
    const strides = this.functions.loops === undefined ? 1 : Math.max(1, Math.ceil(Math.abs(wanted - q[at]) / STRIDE));
    for (let k = 1, from = q[at]; k <= strides; ++k) {
      const next = now.slice();
      next[at] = from + ((wanted - from) * k) / strides;
      const { q: found, closed } = this.close(next, held);
      if (!closed) return { q: now, closed: false };
      now = found;
    }
    return { q: now, closed: true };
  }

  /** A point of a body, in its frame, as near to a point of the world as joints, limits and loops allow. */
  drag(q, body, point, target, steps = 10) {
    let now = Float64Array.from(q), distance = this.#gap(now, body, point, target).distance, damping = DAMPING;
    for (let step = 0; step < steps && distance > 1e-9 && damping < 1e6; ++step) {
      const { q: next, closed } = this.close(this.#pulled(now, body, point, target, damping));
      const left = this.#gap(next, body, point, target).distance;
      if (closed && left < distance) {
        now = next;
        distance = left;
        damping = Math.max(damping / 10, DAMPING);
      } else damping *= 30;
    }
    return { q: now, distance };
  }

  /** Joint forces that hold the robot at rest, or in motion (q, qd, qdd of all joints). */
  forces(q, qd, qdd, external) {
    const given = this.#motion(q, qd, qdd, external);
    return this.functions.inverse_dynamics(given).tau.slice();
  }

  /** What each body's joint transmits to it: force and moment in world axes, about the joint's frame [N, N m]. */
  loads(q, qd, qdd, external) {
    const X = this.poses(q), w = this.functions.joint_wrenches(this.#motion(q, qd, qdd, external)).w;
    return range(this.bodies).map((i) => ({
      force: turned(X, i, w.subarray(6 * i + 3, 6 * i + 6)),
      moment: turned(X, i, w.subarray(6 * i, 6 * i + 3)),
    }));
  }

  /** Accelerations of all joints. The forces are those of the actuated joints; damping slows all of these [N m s/rad]. */
  accelerations(q, qd, { tau, damping = 0, external } = {}) {
    const { forward_dynamics } = this.functions, { actuated } = this.facts;
    const forces = Float64Array.from(actuated, (k, j) => (tau ? tau[j] : 0) - damping * qd[k]);
    const given = { q, qd, tau: forces, external: external ?? new Float64Array(6 * this.bodies) };
    if (forward_dynamics.shapes.stabilisation !== undefined) given.stabilisation = 10;
    return forward_dynamics(given).qdd.slice();
  }

  /** Positions and velocities after a time, by one step of the classical Runge-Kutta method. */
  step(q, qd, dt, options = {}) {
    const f = (q, qd) => this.accelerations(q, qd, options);
    const v1 = qd, a1 = f(q, v1);
    const v2 = sum(qd, a1, dt / 2), a2 = f(this.#moved(q, v1, dt / 2), v2);
    const v3 = sum(qd, a2, dt / 2), a3 = f(this.#moved(q, v2, dt / 2), v3);
    const v4 = sum(qd, a3, dt), a4 = f(this.#moved(q, v3, dt), v4);
    const mean = (a, b, c, d) => a.map((x, k) => (x + 2 * b[k] + 2 * c[k] + d[k]) / 6);
    const next = this.#moved(q, mean(v1, v2, v3, v4), dt);
    return [this.close(next).q, sum(qd, mean(a1, a2, a3, a4), dt)];
  }

  #moved(q, v, dt) {
    return this.functions.integrate({ q, v, dt }).q1.slice();
  }

  #motion(q, qd, qdd, external) {
    const { independent, nv } = this.facts, own = (x) => Float64Array.from(independent, (k) => (x ?? ZEROS(nv))[k]);
    return { q, qd: own(qd), qdd: own(qdd), external: external ?? new Float64Array(6 * this.bodies) };
  }

  #loops(q) {
    const { error, J } = this.functions.loops({ q }), n = this.facts.nv;
    const rows = range(error.length).map((k) => J.slice(k * n, (k + 1) * n));
    return { error: error.slice(), rows, size: Math.hypot(...error) };
  }

  #gap(q, body, point, target) {
    const X = this.functions.poses({ q }).X.subarray(12 * body, 12 * body + 12);
    const arm = range(3).map((r) => X[4 * r] * point[0] + X[4 * r + 1] * point[1] + X[4 * r + 2] * point[2]);
    const gap = range(3).map((r) => target[r] - X[4 * r + 3] - arm[r]);
    return { gap, arm, distance: Math.hypot(...gap) };
  }

  /** The configuration after a step of damped least squares. */
  #pulled(q, body, point, target, damping) {
    const { nv, base, coordinates, lower, upper } = this.facts;
    const { gap, arm } = this.#gap(q, body, point, target);
    const rows = range(3).map((r) => {
      const external = new Float64Array(6 * this.bodies), f = [0, 0, 0];
      f[r] = 1;
      external.set([...cross(arm, f), ...f], 6 * body);
      return this.functions.equivalent_forces({ q, external }).tau.slice();
    });
    const wanted = [...gap];
    if (this.functions.loops !== undefined) {
      const loops = this.#loops(q);
      for (const [k, row] of loops.rows.entries()) {
        rows.push(row.map((x) => HEAVY * x));
        wanted.push(-HEAVY * loops.error[k]);
      }
    }
    let free = range(nv).filter((k) => !base.includes(k));
    for (let round = 0; ; ++round) {
      const v = leastSquares(rows, wanted, free, nv, damping, 3);
      const outside = (k) => {                                       // and going further
        const x = coordinates[k] === null ? NaN : q[coordinates[k]] + v[k];
        return v[k] < 0 ? x < (lower[coordinates[k]] ?? -Infinity) : x > (upper[coordinates[k]] ?? Infinity);
      };
      const beyond = free.filter(outside);
      if (beyond.length === 0 || round === 4) {
        for (const k of beyond) v[k] = 0;
        const longest = v.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
        return this.#moved(q, v, Math.min(1, FARTHEST / longest));
      }
      free = free.filter((k) => !beyond.includes(k));
    }
  }
}

const range = (n) => Array.from({ length: n }, (_, k) => k);
const ZEROS = (n) => new Float64Array(n);
const sum = (x, y, factor) => x.map((a, k) => a + factor * y[k]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const turned = (X, i, v) => range(3).map((r) => X[12 * i + 4 * r] * v[0] + X[12 * i + 4 * r + 1] * v[1] + X[12 * i + 4 * r + 2] * v[2]);

/**
 * The least |rows v - wanted|^2 + damping s |v|^2 over the free elements of v, n in all; the others are zero.
 * s is the largest square of a column, of the first `counted` rows alone where that is given.
 */
function leastSquares(rows, wanted, free, n, damping, counted = rows.length) {
  const m = free.length, N = free.map(() => new Float64Array(m)), v = new Float64Array(n), b = new Float64Array(m);
  let scale = 0;
  for (let i = 0; i < m; ++i) {
    for (const [r, row] of rows.entries()) {
      const x = row[free[i]];
      if (x === 0) continue;
      b[i] += x * wanted[r];
      for (let j = 0; j <= i; ++j) N[i][j] += x * row[free[j]];
    }
    let square = 0;
    for (let r = 0; r < counted; ++r) square += rows[r][free[i]] ** 2;
    scale = Math.max(scale, square);
  }
  // L D L^T
  for (let i = 0; i < m; ++i) {
    N[i][i] += damping * scale + 1e-30;
    for (let j = 0; j < i; ++j) {
      for (let k = 0; k < j; ++k) N[i][j] -= N[i][k] * N[j][k] * N[k][k];
      N[i][i] -= (N[i][j] /= N[j][j]) ** 2 * N[j][j];
    }
  }
  for (let i = 0; i < m; ++i) for (let k = 0; k < i; ++k) b[i] -= N[i][k] * b[k];
  for (let i = 0; i < m; ++i) b[i] /= N[i][i];
  for (let i = m - 1; i >= 0; --i) for (let k = i + 1; k < m; ++k) b[i] -= N[k][i] * b[k];
  for (const [i, k] of free.entries()) v[k] = b[i];
  return v;
}
