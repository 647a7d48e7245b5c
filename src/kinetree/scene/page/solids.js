// Surfaces as triangles: points, normals and indices. Each is of unit size and is scaled when it is drawn, except those
// with round ends, whose shape depends on their sizes.

function surface() {
  const points = [], normals = [], indices = [];
  return {
    points, normals, indices,
    vertex(p, n) { points.push(...p); normals.push(...n); return points.length / 3 - 1; },
    face(...corners) { indices.push(...corners); },
  };
}

// a line of [radius, height, normal across, normal along] that turns about z; where two have one place, an edge
function turnedLine(line, sides = 32, sweep = 2 * Math.PI) {
  const s = surface();
  for (let i = 0; i <= sides; i++) {
    const a = sweep * i / sides, [c, d] = [Math.cos(a), Math.sin(a)];
    for (const [r, h, across, up] of line) s.vertex([r * c, r * d, h], [across * c, across * d, up]);
  }
  const n = line.length;
  for (let i = 0; i < sides; i++) for (let k = 0; k + 1 < n; k++) {
    const a = i * n + k, b = a + n;
    s.face(a, b, a + 1, a + 1, b, b + 1);
  }
  return s;
}

const arc = (radius, height, from, to, steps) => Array.from({ length: steps + 1 }, (_, i) => {
  const a = mix(from, to, i / steps), [c, s] = [Math.cos(a), Math.sin(a)];
  return [radius * c, height + radius * s, c, s];
});

const SOLIDS = {
  sphere: () => turnedLine(arc(1, 0, -Math.PI / 2, Math.PI / 2, 24), 40),
  cylinder: () => turnedLine([[0, -1, 0, -1], [1, -1, 0, -1], [1, -1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 1],
    [0, 1, 0, 1]], 40),
  cone: () => turnedLine([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 0.9, 0.44], [0, 1, 0.9, 0.44]], 28),
  disc: () => turnedLine([[0, 0, 0, 1], [1, 0, 0, 1]], 48),
  box: () => box(0),
};

// radius and half of the length; a bevel makes the edges soft
function drum(radius, half, bevel = 0.18) {
  const b = bevel * Math.min(radius, half);
  return turnedLine([
    [0, -half, 0, -1], [radius - b, -half, 0, -1], ...arc(b, -half + b, -Math.PI / 2, 0, 4).map(shifted(radius - b)),
    ...arc(b, half - b, 0, Math.PI / 2, 4).map(shifted(radius - b)), [radius - b, half, 0, 1], [0, half, 0, 1],
  ], 44);
}
const shifted = (by) => ([r, h, across, up]) => [r + by, h, across, up];

// a ball of radius a at 0, one of radius b at the distance, and the cone that touches both
function capsule(a, b, distance) {
  const slope = Math.asin(clamp((a - b) / Math.max(distance, 1e-9), -1, 1));
  return turnedLine([...arc(a, 0, -Math.PI / 2, slope, 12), ...arc(b, distance, slope, Math.PI / 2, 12)], 36);
}

function box(round = 0.12) { // of half sizes one, the corners round
  const s = surface(), n = round ? 4 : 1;
  const steps = round ? [...Array(n)].map((_, i) => i / (n - 1)) : [0];
  const line = [...steps.map((u) => [-1, Math.PI / 4 * (u - 1)]), ...steps.map((u) => [1, Math.PI / 4 * u])];
  for (let axis = 0; axis < 3; axis++) for (const sign of [-1, 1]) {
    const [i, j] = sign > 0 ? [(axis + 1) % 3, (axis + 2) % 3] : [(axis + 2) % 3, (axis + 1) % 3];
    const start = s.points.length / 3;
    for (const [a, u] of line) for (const [b, v] of line) {
      const normal = [0, 0, 0];
      [normal[axis], normal[i], normal[j]] = [sign, round ? Math.tan(u) : 0, round ? Math.tan(v) : 0];
      const away = unit(normal), p = times(away, round);
      const middle = [0, 0, 0];
      [middle[axis], middle[i], middle[j]] = [sign * (1 - round), a * (1 - round), b * (1 - round)];
      s.vertex(add(middle, p), away);
    }
    const m = line.length;
    for (let a = 0; a + 1 < m; a++) for (let b = 0; b + 1 < m; b++) {
      const k = start + a * m + b;
      s.face(k, k + m, k + 1, k + 1, k + m, k + m + 1);
    }
  }
  return s;
}

// an arc about z of radius one, from x on through an angle, with a head at its end: a moment
function hoop(sweep, thick = 0.065) {
  const s = surface(), steps = Math.max(8, Math.round(sweep * 10)), ring = 12;
  for (let i = 0; i <= steps; i++) {
    const a = sweep * i / steps, out = [Math.cos(a), Math.sin(a), 0];
    for (let k = 0; k <= ring; k++) {
      const b = 2 * Math.PI * k / ring, n = add(times(out, Math.cos(b)), [0, 0, Math.sin(b)]);
      s.vertex(add(out, times(n, thick)), n);
    }
  }
  for (let i = 0; i < steps; i++) for (let k = 0; k < ring; k++) {
    const a = i * (ring + 1) + k;
    s.face(a, a + ring + 1, a + 1, a + 1, a + ring + 1, a + ring + 2);
  }
  const tip = [Math.cos(sweep), Math.sin(sweep), 0], ahead = [-Math.sin(sweep), Math.cos(sweep), 0];
  join(s, SOLIDS.cone(), along(tip, add(tip, ahead)), [3 * thick, 3 * thick, 7 * thick]);
  return s;
}

function join(s, other, X, scale) { // another surface, placed and scaled
  const start = s.points.length / 3;
  for (let k = 0; k < other.points.length; k += 3) {
    const p = other.points.slice(k, k + 3), n = other.normals.slice(k, k + 3);
    s.vertex(moved(X, p.map((x, i) => x * scale[i])), unit(turned(X, n.map((x, i) => x / scale[i]))));
  }
  s.face(...other.indices.map((i) => i + start));
}

// of a mesh whose equal points are one: smooth normals, but sharp where faces meet at more than about 40 degrees
function withNormals(points, indices) {
  const count = indices.length / 3, faces = new Float64Array(3 * count), units = new Float64Array(3 * count);
  const ends = new Uint32Array(points.length / 3 + 1), around = new Uint32Array(indices.length);
  const at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  for (let f = 0; f < count; f++) {
    const [a, b, c] = [0, 1, 2].map((i) => at(indices[3 * f + i])), n = cross(sub(b, a), sub(c, a)); // twice its area
    faces.set(n, 3 * f);
    units.set(unit(n), 3 * f);
  }
  for (const k of indices) ends[k + 1] += 1;
  for (let k = 1; k < ends.length; k++) ends[k] += ends[k - 1];
  const filled = ends.slice();
  indices.forEach((k, i) => { around[filled[k]++] = Math.floor(i / 3); }); // the faces around each point
  const out = { points: new Float32Array(9 * count), normals: new Float32Array(9 * count),
    indices: new Uint32Array(3 * count) };
  for (let i = 0; i < 3 * count; i++) {
    const k = indices[i], f = Math.floor(i / 3), own = [units[3 * f], units[3 * f + 1], units[3 * f + 2]];
    let [x, y, z] = [0, 0, 0];
    for (let j = ends[k]; j < ends[k + 1]; j++) {
      const g = 3 * around[j];
      if (units[g] * own[0] + units[g + 1] * own[1] + units[g + 2] * own[2] > 0.77) [x, y, z] = [x + faces[g],
        y + faces[g + 1], z + faces[g + 2]];
    }
    out.points.set(at(k), 3 * i);
    out.normals.set(unit([x, y, z]), 3 * i);
    out.indices[i] = i;
  }
  return out;
}
