// What there is to see at a time: the robot, other motions, obstacles, forces, trails, and the words beside them.

const NAME = [80, 18]; // pixels that a name takes
const SOLID = { bare: true, over: true, glow: 0.35 }; // forces: without a shadow, seen through bodies

Object.assign(Viewer.prototype, {
  items() {
    const { scene, colours, show } = this;
    const X = this.X = scene.poses(this.q), loads = show.loads ? this.loads : null;
    const items = this.gap ? [] : scene.robot(X, colours,
      { loads: this.jointShares(loads), lit: this.lit, solid: show.shapes });
    this.solid = items.length;
    items.push(...this.others());
    if (show.obstacles) items.push(...scene.obstacles(colours.obstacle, (path) => this.tracks[0].row(path, this.time)));
    if (show.frames) X.forEach((pose) => items.push(...scene.frame(pose, 0.13 * this.size)));
    if (show.frames) (scene.tree.frames || []).forEach((f) =>
      items.push(...scene.frame(compose(f.body < 0 ? scene.root : X[f.body], f.pose), 0.1 * this.size)));
    if (show.axes) items.push(...scene.axes(X, 0.2 * this.size, colours));
    if (show.masses) items.push(...scene.centres(X, colours, this.size));
    if (show.inertias) items.push(...scene.inertias(X, colours));
    if (loads && !this.gap) items.push(...this.arrows(X, loads));
    return items;
  },
  others() { // the other motions: beside the first, or as ghosts
    const { scene, colours, show, tracks, time } = this, items = [];
    if (show.ghosts) tracks.slice(1).forEach((track, k) => {
      const q = track.at(time), loads = show.loads ? track.loads(time) : null;
      if (!q) return;
      const root = show.beside ? this.beside(k + 1) : scene.root, X = scene.poses(q, root);
      const look = show.beside ? { loads: this.jointShares(loads) } : { alpha: 0.32, tint: hex(track.colour) };
      items.push(...scene.robot(X, colours, { ...look, root, solid: show.shapes }));
      if (show.beside && loads) items.push(...this.drives(X, loads));
    });
    return items;
  },
  beside(k) { // where the world of a motion is when they stand side by side
    return compose(translation(times(HOME_RIGHT, k * this.spacing)), this.scene.root);
  },
  jointShares(loads) { // of each body's joint: the largest of its coordinates
    return loads && this.scene.tree.bodies.map(({ joint }) => {
      let most = 0;
      for (let k = 0; k < joint.nv; k++) most = Math.max(most, loads.share[joint.v + k]);
      return most;
    });
  },
  drives(X, loads) { // what the drives do: arcs about axes that turn, arrows along those that slide
    const { scene, data } = this, size = data.arrow ?? 0.1 * this.size;
    return scene.tree.bodies.flatMap(({ joint }, i) => {
      const share = clamp(loads.share[joint.v], 0, 1) * Math.sign(loads.tau[joint.v]);
      if (joint.mimic || !joint.axis || !Number.isFinite(share)) return [];
      if (joint.type === "prismatic") {
        const p = place(X[i]), u = times(turned(X[i], joint.axis), 3 * size * share);
        return scene.arrow(p, add(p, u), 0.05 * size, [...heat(Math.abs(share)), 1]).map((item) =>
          ({ ...item, ...SOLID }));
      }
      return scene.moment(X[i], joint.axis, share, joint.size ? 1.75 * joint.size : size).map((item) =>
        ({ ...item, ...SOLID }));
    });
  },
  arrows(X, loads) { return [...this.drives(X, loads), ...(this.live ? this.live.arrows(X) : [])]; },
  trails() { // where the ends of the branches have been
    const { scene, tracks, time } = this;
    if (!this.show.trail || !tracks.length || this.moved) return [];
    const track = tracks[0], span = Math.min(2.5, 0.5 * (track.end - track.start)), count = 60;
    const found = (this.data.tips || []).map(() => []);
    for (let k = 0; k < count; k++) {
      const at = time - span * k / count;
      const q = at >= track.start ? track.at(at) : null;
      if (!q) break;
      const X = scene.poses(q);
      this.data.tips.forEach(({ body, point }, i) => found[i].push(moved(X[body], point)));
    }
    return found.map((points) => ({ points, colour: [...this.colours.accent.slice(0, 3), 0.9],
      width: 2.2 * this.density }));
  },

  // -- words -----------------------------------------------------------------------------------------------------------

  heaviest(loads) { // the coordinate with the largest share; the one before as long as it is about as large
    const share = (one) => (one && Number.isFinite(loads.share[one.v]) ? loads.share[one.v] : 0);
    const most = this.coordinates.reduce((a, b) => (share(b) > share(a) ? b : a), this.coordinates[0]);
    if (share(this.loaded) < 0.95 * share(most)) this.loaded = most;
    return share(this.loaded) > 0.005 ? this.loaded : null;
  },
  loadText({ v, unit }) { // of a coordinate, in words
    const { tau, share, limited } = this.loads, force = `${number(tau[v])} ${unit === "m" ? "N" : "N m"}`;
    return limited[v] ? `${force}, ${Math.round(100 * share[v])} % of its limit` : force;
  },
  words() { // what is written, and where
    const { scene, show, tracks } = this, { bodies } = scene.tree, found = [];
    if (this.gap) return found;
    if (show.names) bodies.forEach((body, i) => found.push({ text: body.joint.nv ? body.joint.name : body.name,
      at: place(this.X[i]) }));
    if (show.beside) tracks.forEach(({ name }, k) => found.push({ text: name, at: place(this.beside(k)),
      kind: "kt-below" }));
    const most = show.loads && this.loads && this.coordinates ? this.heaviest(this.loads) : null;
    if (most) {
      const i = bodies.findIndex(({ joint }) => joint === most.joint);
      found.push({ text: most.name, more: this.loadText(most), at: place(this.X[i]), kind: "kt-callout" });
    }
    return found;
  },
  label() {
    const words = this.words(), taken = [], { labels } = this;
    while (labels.children.length < words.length) labels.append(element("span", {}, element("b"), element("small")));
    [...labels.children].forEach((span, i) => {
      const word = words[i], { x, y, seen } = word ? this.camera.project(word.at) : { seen: false };
      span.hidden = !seen;
      if (!seen) return;
      if (span.className.split(" ")[0] !== (word.kind ?? "")) span.className = word.kind ?? "";
      write(span.firstChild, word.text);
      write(span.lastChild, word.more ?? "");
      const left = word.kind === "kt-callout" ? this.callout(span, x, y) : x;
      const hides = ([a, b]) => Math.abs(a - left) < NAME[0] && Math.abs(b - down) < NAME[1];
      let down = y;
      while (!word.kind && taken.some(hides)) down += NAME[1]; // names of joints at one place stand below each other
      taken.push([left, down]);
      span.style.transform = `translate(${left.toFixed(1)}px, ${down.toFixed(1)}px)`;
    });
  },
  callout(span, x, y) { // beside what there is of the robot at this height, where there is room; a line leads back
    const seen = this.X.map((pose) => this.camera.project(place(pose))), across = [], key = span.textContent.length;
    if (span.key !== key) Object.assign(span, { key, wide: span.offsetWidth }); // to measure is dear
    const { wide } = span;
    this.scene.tree.bodies.forEach(({ parent }, i) => [0, 0.25, 0.5, 0.75].forEach((w) => {
      const [a, b] = [seen[i], seen[Math.max(parent, 0)]];
      if (Math.abs(mix(a.y, b.y, w) - y) < 50) across.push(mix(a.x, b.x, w));
    }));
    for (const { body, point } of this.data.tips) {
      const [a, b] = [seen[body], this.camera.project(moved(this.X[body], point))];
      [0.3, 0.6, 1].forEach((w) => { if (Math.abs(mix(a.y, b.y, w) - y) < 50) across.push(mix(a.x, b.x, w)); });
    }
    const right = Math.max(x, ...across) + 40, left = Math.min(x, ...across) - 40 - wide;
    const most = this.camera.width - wide - 8;
    const fits = [left > 8, right < most], nearer = right - x < x - left - wide;
    const after = fits[0] && fits[1] ? nearer : fits[1] || !fits[0], at = after ? Math.min(right, most) : left;
    span.classList.toggle("kt-before", !after);
    span.style.setProperty("--lead", `${Math.max(after ? at - x : x - at - wide, 0).toFixed(1)}px`);
    return at;
  },
});
