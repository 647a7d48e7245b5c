// Vectors as arrays of three, poses as twelve numbers: the rows of [R, p]. Matrices for WebGL are columns of sixteen.

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const mix = (a, b, w) => a + (b - a) * w;
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => times(a, 1 / Math.max(length(a), 1e-12));

// -- poses -------------------------------------------------------------------------------------------------------------

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
const translation = (p) => [1, 0, 0, p[0], 0, 1, 0, p[1], 0, 0, 1, p[2]];
const place = (X) => [X[3], X[7], X[11]];
const column = (X, k) => [X[k], X[4 + k], X[8 + k]];
const turned = (X, v) => [0, 4, 8].map((i) => X[i] * v[0] + X[i + 1] * v[1] + X[i + 2] * v[2]); // R v
const moved = (X, v) => [0, 4, 8].map((i) => X[i] * v[0] + X[i + 1] * v[1] + X[i + 2] * v[2] + X[i + 3]); // R v + p

function compose(A, B) { // A then B, as A @ B
  const X = new Array(12);
  for (let i = 0; i < 12; i += 4) {
    for (let k = 0; k < 4; k++) X[i + k] = A[i] * B[k] + A[i + 1] * B[4 + k] + A[i + 2] * B[8 + k];
    X[i + 3] += A[i + 3];
  }
  return X;
}

function inverse(X) {
  const p = place(X);
  return [0, 1, 2].flatMap((k) => [...column(X, k), -dot(column(X, k), p)]);
}

function rotation(axis, angle) { // c 1 + s [a] + (1 - c) a a^T
  const [x, y, z] = axis, c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
  return [
    c + d * x * x, d * x * y - s * z, d * x * z + s * y, 0,
    d * x * y + s * z, c + d * y * y, d * y * z - s * x, 0,
    d * x * z - s * y, d * y * z + s * x, c + d * z * z, 0,
  ];
}

function quaternion(x, y, z, w) { // its pose; of any length but zero
  const n = Math.hypot(x, y, z, w) || 1;
  [x, y, z, w] = [x / n, y / n, z / n, w / n];
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 0,
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 0,
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 0,
  ];
}

function along(from, to) { // a pose whose z axis points from one place to another, which is its origin's
  const z = unit(sub(to, from)), side = Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
  const x = unit(cross(side, z)), y = cross(z, x);
  return [x[0], y[0], z[0], from[0], x[1], y[1], z[1], from[1], x[2], y[2], z[2], from[2]];
}

// -- matrices for WebGL ------------------------------------------------------------------------------------------------

const matrixOf = (X, [a, b, c] = [1, 1, 1]) => new Float32Array([
  X[0] * a, X[4] * a, X[8] * a, 0, X[1] * b, X[5] * b, X[9] * b, 0, X[2] * c, X[6] * c, X[10] * c, 0, X[3], X[7],
    X[11], 1,
]);

function product(A, B) {
  const C = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) {
    C[4 * j + i] = A[i] * B[4 * j] + A[4 + i] * B[4 * j + 1] + A[8 + i] * B[4 * j + 2] + A[12 + i] * B[4 * j + 3];
  }
  return C;
}

function perspective(focal, aspect, near, far) {
  const d = 1 / (near - far);
  return new Float32Array([focal / aspect, 0, 0, 0, 0, focal, 0, 0, 0, 0, (far + near) * d, -1, 0, 0,
    2 * far * near * d, 0]);
}

const orthographic = (r, near, far) => new Float32Array([
  1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1,
]);

function lookAt(eye, centre) { // z up; the camera looks along its -z
  const z = unit(sub(eye, centre)), x = unit(cross(Math.abs(z[2]) > 0.9999 ? [0, 1, 0] : [0, 0, 1], z)),
    y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ]);
}
