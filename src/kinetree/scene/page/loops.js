// Loops that stay closed: what a cut joint forbids, and the smallest movement that satisfies it.

const CLOSED = 1e-11; // [m, rad]

function beside(a) { // two unit vectors at right angles to a unit vector and to each other
  const u = unit(cross(a, Math.abs(a[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
  return [u, cross(a, u)];
}

function rotationVector(R) {
  const twice = [R[9] - R[6], R[2] - R[8], R[4] - R[1]], s = length(twice) / 2, c = (R[0] + R[5] + R[10] - 1) / 2;
  return times(twice, s > 1e-9 ? Math.atan2(s, c) / (2 * s) : 0.5);
}

// of the pose D between the two sides of a cut joint: equations, each with its value and its rate for velocities
// (w, v) of the one side in axes of the other
function equations({ type, axis, second, pitch }, D) {
  const p = place(D), rows = [], axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const at = (n) => rows.push({ value: dot(n, p), ang: [0, 0, 0], lin: n });
  const keep = (n, a, value = 0) => { const now = turned(D, a); rows.push({ value: dot(n, now) - value, ang: cross(now, n), lin: [0, 0, 0] }); };
  const still = () => { const w = rotationVector(D); axes.forEach((n, k) => rows.push({ value: w[k], ang: n, lin: [0, 0, 0] })); };
  const z = type === "planar" ? [0, 0, 1] : axis, across = z ? beside(z) : [];
  if (["revolute", "rotor", "spherical", "universal", "fixed"].includes(type)) axes.forEach(at);
  if (["prismatic", "cylindrical", "helical"].includes(type)) across.forEach(at);
  if (["revolute", "rotor", "cylindrical", "helical", "planar"].includes(type)) across.forEach((n) => keep(n, z));
  if (type === "fixed" || type === "prismatic") still();
  if (type === "universal") keep(axis, second, dot(axis, second));
  if (type === "planar") at([0, 0, 1]);
  if (type === "helical") {
    const angle = dot(rotationVector(D), axis), advance = dot(axis, p), turn = 2 * Math.PI;
    const whole = pitch ? angle + turn * Math.round((advance / pitch - angle) / turn) : angle;
    rows.push({ value: advance - pitch * whole, ang: times(axis, -pitch), lin: axis });
  }
  return rows;
}

function closureRows(tree, q, X) { // all equations: their values, and rows of the Jacobian
  const values = [], rows = [];
  for (const loop of tree.loops) {
    const P = tree.at(X, loop.predecessor), S = tree.at(X, loop.successor), D = compose(inverse(P), S);
    const one = tree.jacobian(X, loop.predecessor.body, place(S)), other = tree.jacobian(X, loop.successor.body, place(S));
    for (const { value, ang, lin } of equations(loop, D)) {
      const [w, v] = [turned(P, ang), turned(P, lin)], row = new Float64Array(tree.nv);
      for (let k = 0; k < tree.nv; k++) for (let i = 0; i < 3; i++) {
        row[k] += w[i] * (other[i][k] - one[i][k]) + v[i] * (other[3 + i][k] - one[3 + i][k]);
      }
      values.push(value);
      rows.push(row);
    }
  }
  for (const { joint, leader, coefficients } of tree.couplings) {
    const row = new Float64Array(tree.nv), x = leader ? q[leader.q] : 0;
    let [value, rate] = [0, 0];
    for (let k = coefficients.length - 1; k >= 0; k--) [value, rate] = [value * x + coefficients[k], rate * x + value];
    row[joint.v] = 1;
    if (leader) row[leader.v] -= rate;
    values.push(q[joint.q] - value);
    rows.push(row);
  }
  return { values, rows };
}

// the smallest movement of joints, each as easy to move as `ease` says, that changes what the rows measure by `wanted`
function movement(rows, wanted, ease, damping) {
  const eased = rows.map((row) => row.map((x, k) => x * ease[k]));
  const A = rows.map((row, i) => eased.map((other, j) => {
    let sum = i === j ? damping[i] : 0;
    for (let k = 0; k < row.length; k++) sum += row[k] * other[k];
    return sum;
  }));
  const weights = solve(A, wanted), step = new Float64Array(ease.length);
  eased.forEach((row, i) => { for (let k = 0; k < step.length; k++) step[k] += row[k] * weights[i]; });
  return step;
}

// a configuration near q in which all loops are closed, and which keeps the velocities of `held`; null where there is none
function closed(tree, q, held = [], iterations = 40) {
  if (!tree.loops.length && !tree.couplings.length) return q;
  const ease = tree.ease(held);
  for (let k = 0; k < iterations; k++) {
    const { values, rows } = closureRows(tree, q, tree.poses(q)), error = Math.hypot(...values);
    if (error < CLOSED) return q;
    if (!Number.isFinite(error)) return null;
    const step = movement(rows, values.map((x) => -x), ease, values.map(() => 0)), size = Math.hypot(...step);
    q = tree.integrate(q, size > 0.5 ? step.map((x) => x * 0.5 / size) : step);
  }
  return null;
}

// one step that brings a point of a body nearer to a target, the loops closed
function dragged(tree, q, body, local, target) {
  const X = tree.poses(q), point = body < 0 ? local : moved(X[body], local), J = tree.jacobian(X, body, point).slice(3);
  let away = sub(target, point);
  const reach = 0.25 * Math.max(tree.size, 1e-6);
  if (length(away) > reach) away = times(away, reach / length(away));
  const { values, rows } = closureRows(tree, q, X), damp = 4e-4 * tree.size ** 2;
  const step = movement([...rows, ...J], [...values.map((x) => -x), ...away], tree.ease([]), [...values.map(() => 0), damp, damp, damp]);
  const next = tree.limited(tree.integrate(q, step));
  return closed(tree, next) ?? q;
}
