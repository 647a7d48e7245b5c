// A robot as the page knows it: its bodies, how their joints move them, and what closes its loops.

const JOINTS = { // the body frame in the joint frame, for coordinates that begin at k in q
  fixed: () => IDENTITY,
  revolute: (j, q, k) => rotation(j.axis, q[k]),
  prismatic: (j, q, k) => translation(times(j.axis, q[k])),
  helical: (j, q, k) => screw(j.axis, q[k], j.pitch * q[k]),
  rotor: (j, q, k) => rotation(j.axis, j.ratio * q[k]),
  cylindrical: (j, q, k) => screw(j.axis, q[k], q[k + 1]),
  universal: (j, q, k) => compose(rotation(j.axis, q[k]), rotation(j.second, q[k + 1])),
  planar: (j, q, k) => compose(translation([q[k], q[k + 1], 0]), rotation([0, 0, 1], q[k + 2])),
  spherical: (j, q, k) => quaternion(q[k], q[k + 1], q[k + 2], q[k + 3]),
  free: (j, q, k) => compose(translation([q[k], q[k + 1], q[k + 2]]), quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6])),
};
const screw = (axis, angle, advance) => compose(translation(times(axis, advance)), rotation(axis, angle));

class Tree {
  constructor(data) {
    Object.assign(this, data); // nq, nv, bodies, loops, couplings
    this.moving = this.bodies.filter(({ joint }) => joint.nv && !joint.mimic);
    this.names = this.moving.flatMap(({ joint }) => joint.names);
  }
  poses(q) { // of all bodies in the world
    const X = [];
    for (const { parent, joint } of this.bodies) {
      let [own, k] = [q, joint.q];
      if (joint.mimic) [own, k] = [[joint.mimic[0] * q[k] + joint.mimic[1]], 0];
      const local = compose(joint.place, JOINTS[joint.type](joint, own, k));
      X.push(parent < 0 ? local : compose(X[parent], local));
    }
    return X;
  }
  at(X, frame) { return frame.body < 0 ? frame.pose : compose(X[frame.body], frame.pose); }

  // the velocities of a body that unit rates of its coordinates give: [index in qd, axis or null, direction], in the world
  columns(X, body) {
    const found = [];
    for (let i = body; i >= 0; i = this.bodies[i].parent) {
      const { joint } = this.bodies[i], R = X[i], p = place(R);
      const spin = (k, axis, scale = 1) => found.push({ k, ang: times(turned(R, axis), scale), lin: [0, 0, 0], p });
      const slide = (k, axis, scale = 1) => found.push({ k, ang: [0, 0, 0], lin: times(turned(R, axis), scale), p });
      const m = joint.mimic ? joint.mimic[0] : 1, v = joint.v;
      const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
      if (joint.type === "revolute") spin(v, joint.axis, m);
      else if (joint.type === "rotor") spin(v, joint.axis, m * joint.ratio);
      else if (joint.type === "prismatic") slide(v, joint.axis, m);
      else if (joint.type === "helical") { spin(v, joint.axis, m); slide(v, joint.axis, m * joint.pitch); }
      else if (joint.type === "cylindrical") { spin(v, joint.axis); slide(v + 1, joint.axis); }
      else if (joint.type === "universal") {
        const before = compose(i < 0 || this.bodies[i].parent < 0 ? IDENTITY : X[this.bodies[i].parent], joint.place);
        found.push({ k: v, ang: turned(before, joint.axis), lin: [0, 0, 0], p });
        spin(v + 1, joint.second);
      } else if (joint.type === "planar") {
        const before = compose(this.bodies[i].parent < 0 ? IDENTITY : X[this.bodies[i].parent], joint.place);
        [0, 1].forEach((k) => found.push({ k: v + k, ang: [0, 0, 0], lin: column(before, k), p }));
        spin(v + 2, [0, 0, 1]);
      } else if (joint.type === "spherical") axes.forEach((axis, k) => spin(v + k, axis));
      else if (joint.type === "free") axes.forEach((axis, k) => { spin(v + k, axis); slide(v + 3 + k, axis); });
    }
    return found;
  }
  // six rows of the Jacobian of a point that a body carries: angular, then linear velocity in world axes
  jacobian(X, body, point) {
    const J = Array.from({ length: 6 }, () => new Float64Array(this.nv));
    for (const { k, ang, lin, p } of this.columns(X, body)) {
      const speed = add(lin, cross(ang, sub(point, p)));
      for (let i = 0; i < 3; i++) { J[i][k] += ang[i]; J[3 + i][k] += speed[i]; }
    }
    return J;
  }
  integrate(q, v) { // the positions after moving with velocities v for one second
    const next = Float64Array.from(q);
    for (const { joint } of this.moving) {
      const k = joint.q, w = joint.v;
      if (joint.type === "spherical") turnQuaternion(next, k, [v[w], v[w + 1], v[w + 2]]);
      else if (joint.type === "free") {
        const step = turned(quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6]), [v[w + 3], v[w + 4], v[w + 5]]);
        for (let i = 0; i < 3; i++) next[k + i] += step[i];
        turnQuaternion(next, k + 3, [v[w], v[w + 1], v[w + 2]]);
      } else for (let i = 0; i < joint.nq; i++) next[k + i] += v[w + i];
    }
    return next;
  }
  ease(held) { // how easily each velocity moves where loops must close: what is held not at all, what drives it little
    const ease = new Float64Array(this.nv).fill(1);
    this.driving.forEach((k) => { ease[k] = 1e-4; });
    held.forEach((k) => { ease[k] = 0; });
    return ease;
  }
  limited(q) { // inside the joints' limits
    const inside = Float64Array.from(q);
    for (const { joint } of this.moving) {
      if (joint.nq !== joint.nv) continue;
      for (let i = 0; i < joint.nq; i++) {
        inside[joint.q + i] = clamp(q[joint.q + i], joint.lower ?? -Infinity, joint.upper ?? Infinity);
      }
    }
    return inside;
  }
}

function turnQuaternion(q, k, [x, y, z]) { // after a rotation vector in body axes
  const angle = Math.hypot(x, y, z), s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5, c = Math.cos(angle / 2);
  const [a, b, d, w] = [q[k], q[k + 1], q[k + 2], q[k + 3]];
  const r = [x * s, y * s, z * s];
  const turn = add(add(times([a, b, d], c), times(r, w)), cross([a, b, d], r));
  const result = [...turn, w * c - dot([a, b, d], r)], n = Math.hypot(...result);
  for (let i = 0; i < 4; i++) q[k + i] = result[i] / n;
}
