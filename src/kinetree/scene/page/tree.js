// A robot as the page knows it: its bodies, how their joints move them, and how they hang together.

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
  free: (j, q, k) => compose(translation([q[k], q[k + 1], q[k + 2]]),
    quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6])),
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
}
