// The camera orbits a point, z up: mouse, wheel, fingers and keys move it.

const FOCAL = 2.1; // of the height of the picture
const HOME = { yaw: -0.9, pitch: 0.32 }; // where it looks from at first
const HOME_RIGHT = [-Math.sin(HOME.yaw), Math.cos(HOME.yaw), 0];
const FILLED = 0.8; // of the picture

class Camera {
  constructor() { Object.assign(this, { ...HOME, target: [0, 0, 0], distance: 3, aspect: 1, size: 1 }); }
  home(centre, radius, places) { // so near that all places are seen, those in the middle in the middle
    Object.assign(this, { ...HOME, size: radius });
    const [cp, sp] = [Math.cos(HOME.pitch), Math.sin(HOME.pitch)], right = HOME_RIGHT;
    const back = [cp * right[1], -cp * right[0], sp], up = cross(back, right);
    const seen = places.map((p) => [right, up, back].map((axis) => dot(sub(p, centre), axis)));
    const [x, y] = [0, 1].map((k) => seen.reduce(([a, b], p) => [Math.min(a, p[k]), Math.max(b, p[k])], [0, 0]));
    const middle = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
    this.target = add(centre, add(times(right, middle[0]), times(up, middle[1])));
    const far = ([a, b, c]) => c + FOCAL / FILLED * Math.max(Math.abs(a - middle[0]) / this.aspect,
      Math.abs(b - middle[1]));
    this.distance = seen.reduce((most, p) => Math.max(most, far(p)), 1.1 * radius);
  }
  update(width, height) {
    this.aspect = width / height;
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const target = add(this.target, this.walked ?? [0, 0, 0]); // whom it follows
    this.eye = add(target, times([cp * cy, cp * sy, sp], this.distance));
    this.view = lookAt(this.eye, target);
    const near = Math.max(0.02 * this.distance, this.distance - 6 * this.size);
    this.matrix = product(perspective(FOCAL, this.aspect, near, this.distance + 40 * this.size), this.view);
    Object.assign(this, { width, height });
  }
  look(yaw, pitch) { Object.assign(this, { yaw, pitch, distance: 1.0001 * this.distance }); } // not at home any more
  turn(dx, dy) { this.yaw -= dx; this.pitch = clamp(this.pitch + dy, -0.35, 1.55); }
  zoom(factor) { this.distance = clamp(this.distance * factor, 0.15 * this.size, 30 * this.size); }
  pan(dx, dy) { // by pixels: what is at the target follows the pointer
    const k = 2 * this.distance / (FOCAL * this.height), m = this.view;
    const [x, y] = [[m[0], m[4], m[8]], [m[1], m[5], m[9]]];
    this.target = add(this.target, add(times(x, -k * dx), times(y, k * dy)));
  }
  project(p) { // pixels from the upper left, and the depth
    const m = this.matrix, at = (i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i];
    const w = at(3);
    return { x: (at(0) / w + 1) / 2 * this.width, y: (1 - at(1) / w) / 2 * this.height, depth: at(2) / w, seen: w > 0 };
  }
  across(p, dx, dy) { // the movement in the plane of the picture through a point that is as many pixels
    const m = this.view, depth = -(m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14]);
    const k = 2 * depth / (FOCAL * this.height);
    return add(times([m[0], m[4], m[8]], k * dx), times([m[1], m[5], m[9]], -k * dy));
  }
}

// pointers on a canvas: one turns (or moves what `grab` finds there), two zoom and pan; keys do the same
function steer(canvas, camera, { changed, home, grab, drag, drop, tap }) {
  const pointers = new Map();
  let held = null, travelled = 0;
  canvas.addEventListener("pointerdown", (e) => {
    try { canvas.setPointerCapture(e.pointerId); } catch { /* a pointer that a test made */ }
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    travelled = 0;
    if (pointers.size === 1 && e.button === 0 && !e.shiftKey) held = grab(e);
    canvas.focus({ preventScroll: true });
  });
  canvas.addEventListener("pointermove", (e) => {
    const before = pointers.get(e.pointerId);
    if (!before) return;
    const [dx, dy] = [e.clientX - before[0], e.clientY - before[1]];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (held) drag(held, dx, dy);
    else if (pointers.size === 2) {
      const other = [...pointers.entries()].find(([id]) => id !== e.pointerId)[1];
      const gap = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      camera.zoom(gap(before) / Math.max(gap([e.clientX, e.clientY]), 1));
      camera.pan(dx / 2, dy / 2);
    } else if (e.shiftKey || e.buttons & 6) camera.pan(dx, dy);
    else camera.turn(0.008 * dx, 0.006 * dy);
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    changed();
  });
  const up = (e) => {
    if (!pointers.delete(e.pointerId)) return;
    if (held) drop(held);
    if (travelled < 4 && e.type === "pointerup") tap(e);
    held = null;
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("dblclick", () => { home(); changed(); });
  canvas.addEventListener("wheel", (e) => { // in a page that scrolls, a plain wheel scrolls it
    const whole = canvas.closest(".kt-whole") && window.top === window;
    if (!whole && !e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    camera.zoom(Math.exp(0.0015 * clamp(e.deltaY * (e.deltaMode ? 30 : 1), -200, 200)));
    changed();
  }, { passive: false });
  canvas.addEventListener("keydown", (e) => {
    const turn = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] }[e.key];
    if (turn) e.shiftKey ? camera.pan(turn[0] * 300, turn[1] * 300) : camera.turn(...turn);
    else if (e.key === "+" || e.key === "-") camera.zoom(e.key === "+" ? 0.9 : 1.1);
    else if (e.key === "0") home();
    else return;
    e.preventDefault();
    changed();
  });
}
