// What is drawn: the parts of a robot where its bodies are, and on demand frames, axes, masses, loads and trails.

// from no load to all that a joint may bear; small shares are seen, too
const HEAT = [[0.24, 0.29, 0.36], [0.87, 0.68, 0.26], [0.93, 0.5, 0.14], [0.84, 0.14, 0.13]];
const HOTTEST = HEAT[HEAT.length - 1];
const AXIS_COLOURS = [[0.86, 0.27, 0.25, 1], [0.2, 0.63, 0.32, 1], [0.21, 0.45, 0.87, 1]];

function heat(share) {
  const x = clamp(share, 0, 1) ** 0.6 * (HEAT.length - 1), i = Math.min(Math.floor(x), HEAT.length - 2);
  return HEAT[i].map((u, k) => mix(u, HEAT[i + 1][k], x - i));
}
const css = (colour) => `rgb(${colour.map((c) => Math.round(255 * c))})`;

class Scene {
  constructor(data, renderer, read) {
    Object.assign(this, { data, renderer, meshes: new Map(), root: data.root, tree: new Tree(data.tree) });
    this.files = (data.meshes || []).map(({ points, indices, low, step }) => {
      const raw = read(points), places = Float32Array.from(raw, (x, k) => low[k % 3] + step[k % 3] * (x + 32768));
      return withNormals(places, read(indices));
    });
    this.parts = data.parts.map((part) => ({ ...part, ...this.solid(part) }));
    this.fixtures = (data.obstacles || []).map((one) => ({ ...one, ...this.solid(one), path: one.path
      ? read(one.path) : null }));
    this.selected = null;
  }
  get hasLoops() { return this.tree.loops.length + this.tree.couplings.length > 0; }
  mesh(key, make) {
    if (!this.meshes.has(key)) this.meshes.set(key, this.renderer.mesh(make()));
    return this.meshes.get(key);
  }
  solid({ kind, size }) { // the surface of a part, and how it is scaled
    if (kind === "drum") return { mesh: this.mesh(`drum ${size}`, () => drum(...size)), scale: [1, 1, 1] };
    if (kind === "capsule") return { mesh: this.mesh(`capsule ${size}`, () => capsule(...size)), scale: [1, 1, 1] };
    if (kind === "mesh") return { mesh: this.mesh(`mesh ${size[0]}`, () => this.files[size[0]]), scale: size.slice(1) };
    if (kind === "cylinder") return { mesh: this.mesh(kind, SOLIDS.cylinder), scale: [size[0], size[0], size[1]] };
    if (kind === "sphere") return { mesh: this.mesh(kind, SOLIDS.sphere), scale: [size[0], size[0], size[0]] };
    if (kind === "ellipsoid") return { mesh: this.mesh("sphere", SOLIDS.sphere), scale: size };
    if (kind === "soft") return { mesh: this.mesh("soft", () => box(0.18)), scale: size };
    return { mesh: this.mesh("box", SOLIDS.box), scale: size };
  }

  // -- measures --------------------------------------------------------------------------------------------------------

  poses(q, root = this.root) { // of the bodies in the world of the picture, z up
    return this.tree.poses(q).map((X) => compose(root, X));
  }
  reach(places) { // the sphere and the floor around all places
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const p of places) for (let k = 0; k < 3; k++) { low[k] = Math.min(low[k], p[k]);
      high[k] = Math.max(high[k], p[k]); }
    if (!(low[0] <= high[0])) return { centre: [0, 0, 0], radius: 0.5, floor: 0 };
    const size = Math.max(length(sub(high, low)), 1e-9), grounded = low[2] >= -0.03 * size;
    const floor = grounded ? Math.min(0, low[2]) : low[2] - 0.06 * size;
    if (grounded) low[2] = Math.min(low[2], 0);
    return { centre: times(add([low[0], low[1], Math.min(low[2], floor)], high), 0.5), radius: 0.56 * size, floor };
  }
  extent(X) { // places that the picture must hold: corners of the parts
    const found = [];
    for (const { body, pose, kind, size } of this.parts) {
      const at = compose(body < 0 ? this.root : X[body], pose);
      const far = kind === "capsule" ? [[0, 0, 0], [0, 0, size[2]]] : kind === "mesh"
        ? this.corners(size) : [[0, 0, 0]];
      const thick = kind === "mesh" ? 0 : kind === "capsule" ? size[0] : Math.max(...size);
      for (const p of far.map((x) => moved(at, x))) for (const side of [HOME_RIGHT, [0, 0, 1]]) {
        found.push(add(p, times(side, thick)), sub(p, times(side, thick)));
      }
    }
    X.forEach((pose) => found.push(place(pose)));
    return found;
  }
  extentOfObstacles() { // where they are at first, without planes that have no end
    return this.fixtures.filter(({ endless }) => !endless).flatMap(({ kind, pose, size }) => {
      const at = compose(this.root, pose), [a, b, c] = kind === "sphere" ? [size[0], size[0], size[0]] : size;
      if (kind === "capsule") return [moved(at, [0, 0, 0]), moved(at, [0, 0, c])];
      return [-1, 1].flatMap((i) => [-1, 1].flatMap((j) => [-1, 1].map((k) => moved(at, [i * a, j * b, k * c]))));
    });
  }
  corners([k, ...scale]) {
    const { low, step } = this.data.meshes[k];
    return [0, 65535].flatMap((a) => [0, 65535].flatMap((b) => [0, 65535].map(
      (c) => [a, b, c].map((x, i) => scale[i] * (low[i] + step[i] * x)))));
  }

  // -- items -----------------------------------------------------------------------------------------------------------

  robot(X, colours, { root = this.root, loads = null, lit = new Set(), alpha = 1, tint = null, solid = true } = {}) {
    const shown = this.parts.filter((part) => (solid ? !part.plain : part.role !== "visual"));
    return shown.map((part) => {
      const { body, pose, scale, mesh, role, joint } = part, X_WB = body < 0 ? root : X[body];
      let colour = tint || part.colour || colours[role] || colours.link, glow = 0;
      if (role === "joint" && loads && joint >= 0 && !tint) colour = heat(loads[joint]);
      if (joint >= 0 && lit.has(joint) && !tint) [colour, glow] = [HOTTEST, 0.55];
      if (joint >= 0 && joint === this.selected && role === "joint" && !tint) glow = 0.6;
      const a = (colour[3] ?? 1) * alpha;
      return { part, mesh, matrix: matrixOf(compose(X_WB, pose), scale), colour: [...colour.slice(0, 3), a], glow };
    });
  }
  obstacles(colour, at) { // those that move are where the motion says
    return this.fixtures.map(({ mesh, scale, pose, path, endless }) => {
      const X = path ? compose(translation(at(path)), pose) : pose;
      return { mesh, matrix: matrixOf(compose(this.root, X), scale), colour: endless
        ? [...colour.slice(0, 3), 0.2] : colour, shine: 0.3 };
    });
  }
  arrow(from, to, radius, colour) {
    const far = length(sub(to, from));
    if (!(far > 1e-9)) return [];
    const head = Math.min(5 * radius, 0.5 * far), X = along(from, to), neck = translation([0, 0, (far - head) / 2]);
    const tip = compose(X, translation([0, 0, far - head]));
    return [
      { mesh: this.mesh("cylinder", SOLIDS.cylinder),
        matrix: matrixOf(compose(X, neck), [radius, radius, (far - head) / 2]), colour, shine: 0.4 },
      { mesh: this.mesh("cone", SOLIDS.cone), matrix: matrixOf(tip, [2.4 * radius, 2.4 * radius, head]), colour,
        shine: 0.4 },
    ];
  }
  frame(X, size) {
    return [0, 1, 2].flatMap((k) => this.arrow(place(X), add(place(X), times(column(X, k), size)), 0.03 * size,
      AXIS_COLOURS[k]));
  }
  axes(X, size, colours) { // of the joints
    return this.tree.bodies.flatMap(({ joint }, i) => [joint.axis, joint.second].filter(Boolean).map((axis) => {
      const p = place(X[i]), u = times(turned(X[i], axis), size), from = sub(p, u);
      const matrix = matrixOf(compose(along(from, add(p, u)), translation([0, 0, size])),
        [0.012 * size, 0.012 * size, size]);
      return { mesh: this.mesh("cylinder", SOLIDS.cylinder), matrix, colour: colours.accent, bare: true };
    }));
  }
  centres(X, colours, size) { // of mass: of each body, and of all
    let [sum, mass] = [[0, 0, 0], 0];
    const ball = (p, r, colour) => ({ mesh: this.mesh("sphere", SOLIDS.sphere),
      matrix: matrixOf(translation(p), [r, r, r]), colour, glow: 0.3 });
    const items = [];
    this.tree.bodies.forEach((body, i) => {
      if (!(body.mass > 0)) return;
      const p = moved(X[i], body.com);
      [sum, mass] = [add(sum, times(p, body.mass)), mass + body.mass];
      items.push(ball(p, 0.012 * size, colours.accent));
    });
    return mass ? [...items, ball(times(sum, 1 / mass), 0.024 * size, [...HOTTEST, 1])] : items;
  }
  inertias(X, colours) { // ellipsoids of uniform density with the same moments
    return this.tree.bodies.flatMap(({ ellipsoid }, i) => (ellipsoid ? [{
      mesh: this.mesh("sphere", SOLIDS.sphere), matrix: matrixOf(compose(X[i], ellipsoid.pose), ellipsoid.size),
      colour: [...colours.accent.slice(0, 3), 0.35],
    }] : []));
  }
  moment(X, axis, share, size) { // a force about an axis: the arc is as long as it is large
    const turn = Math.abs(share) * 1.65 * Math.PI, steps = Math.round(turn / 0.15);
    if (steps < 2) return [];
    const z = times(turned(X, axis), share < 0 ? -1 : 1), p = place(X);
    const mesh = this.mesh(`hoop ${steps}`, () => hoop(0.15 * steps));
    return [{ mesh, matrix: matrixOf(along(p, add(p, z)), [size, size, size]), colour: [...heat(Math.abs(share)), 1] }];
  }
}
