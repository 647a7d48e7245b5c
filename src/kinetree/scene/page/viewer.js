// One picture of a robot with its controls: everything between the figure in the page and the renderer.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const SHOWN = { shapes: true, loads: true, axes: false, frames: false, names: false, masses: false, inertias: false,
  bearings: false, trail: true, ghosts: true };

class Viewer {
  constructor(figure) {
    Object.assign(this, { figure, canvas: figure.querySelector("canvas"), camera: new Camera(), show: { ...SHOWN } });
    Object.assign(this, { time: 0, rate: 1, playing: false, loop: true, moved: false, frames: 0, onDrawn: null,
      followers: [], live: null });
    this.labels = figure.querySelector(".kt-labels");
  }
  async start() {
    const data = JSON.parse(this.figure.querySelector("script[type='application/json']").textContent);
    const block = this.figure.querySelector("script[type='application/octet-stream']");
    const read = reader(await unpacked(block ? block.textContent : ""));
    this.renderer = new Renderer(this.canvas);
    this.data = data;
    this.scene = new Scene(data, this.renderer, read);
    this.fileName = data.name.replace(/[^\w-]+/g, "_").slice(0, 60) || "robot";
    this.tracks = (data.motions || []).map((motion) => new Track(motion, read, this.scene.tree));
    this.q = Float64Array.from(data.q || []);
    if (this.tracks.length) this.time = this.tracks[0].start;
    if (data.engine) this.live = await Live.of(this, read).catch((error) =>
      { this.say(`Live dynamics are off: ${error.message}.`); return null; });
    this.frameAll();
    this.colour();
    this.controls();
    this.steering();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    dark.addEventListener("change", () => { this.colour(); this.request(); });
    this.resize();
    this.figure.classList.add("kt-ready");
    if (data.notes.length) this.say(data.notes.join(" "));
    if (this.tracks.length && !still.matches && data.autoplay !== false) this.play(true);
  }
  say(text) {
    const box = this.figure.querySelector(".kt-message");
    box.textContent = text;
    box.hidden = !text;
  }

  // -- what there is to see --------------------------------------------------------------------------------------------

  frameAll() { // floor, sun and camera around everything that the motions reach
    const { scene, renderer, tracks } = this, places = [];
    const see = (values) => places.push(...(scene.tree
      ? scene.extent(scene.poses(values)) : this.points(values).map((p) => moved(scene.root, p))));
    if (scene.tree) see(this.q);
    for (const track of tracks) {
      const n = Math.min(track.t.length, scene.parts.length > 100 ? 20 : 60);
      for (let k = 0; k < n; k++) {
        const values = track.at(mix(track.start, track.end, n > 1 ? k / (n - 1) : 0));
        if (values) see(values);
      }
    }
    const { centre, radius, floor } = scene.reach(places);
    Object.assign(renderer, { centre, radius, floor });
    const power = 10 ** Math.floor(Math.log10(radius / 2));
    renderer.step = power * [5, 2, 1].find((m) => m * power <= radius / 2 || m === 1);
    this.size = radius;
    if (scene.tree) Object.assign(scene.tree, { size: radius });
    this.homeView = () => this.camera.home(centre, radius);
    this.homeView();
  }
  colour() {
    const style = getComputedStyle(this.figure), get = (name) => hex(style.getPropertyValue(`--${name}`));
    const isDark = dark.matches;
    this.colours = {
      link: get("kt-link"), joint: get("kt-joint"), base: get("kt-base"), tip: get("kt-tip"), accent: get("accent"),
      grid: [...get("grid").slice(0, 3), isDark ? 0.42 : 0.5], dark: isDark ? 0.55 : 0.3,
      sky: isDark ? [0.3, 0.33, 0.4] : [0.42, 0.45, 0.5], earth: isDark ? [0.07, 0.08, 0.1] : [0.2, 0.195, 0.19],
    };
  }
  points(values) { return Array.from({ length: values.length / 3 }, (_, k) => [...values.slice(3 * k, 3 * k + 3)]); }
  items() {
    const { scene, colours, show, tracks } = this;
    if (!scene.tree) {
      const points = this.points(this.q);
      return scene.sticks((k) => (k < 0 ? [0, 0, 0] : points[k])).map((item) => ({ ...item, colour: colours.link }));
    }
    const X = this.X = scene.poses(this.q), loads = show.loads ? this.loads : null;
    const items = this.gap ? [] : scene.robot(X, colours,
      { loads: loads && { share: this.jointShares(loads) }, lit: this.lit, solid: show.shapes });
    this.solid = items.length;
    if (show.ghosts) for (const track of tracks.slice(1)) {
      const q = track.at(this.time);
      if (q) items.push(...scene.robot(scene.poses(q), colours,
        { alpha: 0.32, tint: hex(track.colour), solid: show.shapes }));
    }
    if (show.frames) X.forEach((pose) => items.push(...scene.frame(pose, 0.13 * this.size)));
    if (show.frames) (scene.tree.frames || []).forEach((f) =>
      items.push(...scene.frame(compose(f.body < 0 ? scene.root : X[f.body], f.pose), 0.1 * this.size)));
    if (show.axes) items.push(...scene.axes(X, 0.2 * this.size, colours));
    if (show.masses) items.push(...scene.centres(X, colours, this.size));
    if (show.inertias) items.push(...scene.inertias(X, colours));
    if (loads && !this.gap) items.push(...this.arrows(X, loads));
    return items;
  }
  jointShares(loads) { // of each body's joint: the largest of its coordinates
    return this.scene.tree.bodies.map(({ joint }) => {
      let most = 0;
      for (let k = 0; k < joint.nv; k++) most = Math.max(most, loads.share[joint.v + k]);
      return most;
    });
  }
  arrows(X, loads) { // what the drives do: arcs about axes that turn, arrows along those that slide
    const { scene, data } = this, size = data.arrow ?? 0.1 * this.size;
    return scene.tree.bodies.flatMap(({ joint }, i) => {
      const share = clamp(loads.share[joint.v], 0, 1) * Math.sign(loads.tau[joint.v]);
      if (joint.mimic || !joint.axis || !Number.isFinite(share)) return [];
      if (joint.type === "prismatic") {
        const p = place(X[i]), u = times(turned(X[i], joint.axis), 3 * size * share);
        return scene.arrow(p, add(p, u), 0.05 * size, [...heat(Math.abs(share)), 1]).map((item) =>
          ({ ...item, bare: true, over: true, glow: 0.35 }));
      }
      return scene.moment(X[i], joint.axis, share, joint.size ? 1.75 * joint.size : size);
    }).concat(this.live ? this.live.arrows(X) : []);
  }
  trails() { // where the ends of the branches have been
    const { scene, tracks, time } = this;
    if (!this.show.trail || !tracks.length || this.moved || !scene.tree) return [];
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
  }

  // -- time and motion -------------------------------------------------------------------------------------------------

  state() { // positions, loads and active limits now
    const { scene, tracks, time } = this;
    this.lit = new Set();
    this.gap = false;
    if (tracks.length && !this.moved) {
      const q = tracks[0].at(time);
      this.gap = q === null;
      if (q) this.q = q;
      this.loads = this.gap ? null : tracks[0].loads(time);
    } else this.loads = this.live ? this.live.loads(this.q) : null;
    if (!scene.tree || this.gap) return;
    scene.tree.bodies.forEach(({ joint }, i) => {
      if (!joint.nv || joint.mimic || joint.nq !== joint.nv) return;
      const near = 1e-3 * (joint.upper - joint.lower), x = this.q[joint.q];
      const position = joint.lower !== null && joint.upper !== null && this.tracks.length > 0 && !this.moved
        && (x < joint.lower + near || x > joint.upper - near);
      const effort = this.loads && joint.effort !== null && Math.abs(this.loads.tau[joint.v]) > 0.99 * joint.effort;
      if (position || effort) this.lit.add(i);
    });
    for (const { joint, intervals } of this.data.active || []) {
      if (intervals.some(([a, b]) => time >= a - 1e-9 && time <= b + 1e-9)) this.lit.add(joint);
    }
  }
  move(one, value) { // a slider: the other joints follow where loops must close
    let q = Float64Array.from(this.q);
    if (this.live) q = this.live.move(q, one, value); else one.set(q, value);
    this.pose(q);
  }
  pose(q) { // by hand: the motion waits
    this.play(false);
    this.moved = true;
    this.q = q;
    if (this.live) this.live.stop();
    this.request();
  }
  select(index) { if (this.scene.selected !== index) { this.scene.selected = index; this.request(); } }
  seek(time) { this.play(false); this.at(time); }
  at(time) { this.moved = false; this.time = clamp(time, this.tracks[0].start, this.tracks[0].end); this.request(); }
  play(on) {
    if (!this.tracks.length) return;
    if (on && this.time >= this.tracks[0].end) this.time = this.tracks[0].start;
    if (on) this.moved = false;
    this.playing = on;
    this.before = performance.now();
    this.request();
  }
  film(done) { // one run from the start
    if (!this.tracks.length) { setTimeout(done, 5000); return; }
    const loop = this.loop;
    this.at(this.tracks[0].start);
    this.loop = false;
    this.play(true);
    this.onEnd = () => { this.loop = loop; this.onEnd = null; setTimeout(done, 100); };
  }

  // -- drawing ---------------------------------------------------------------------------------------------------------

  resize() {
    this.density = Math.min(window.devicePixelRatio || 1, 2) * (this.coarse || 1);
    const pixels = (x) => Math.max(1, Math.round(x * this.density));
    [this.canvas.width, this.canvas.height] = [pixels(this.canvas.clientWidth), pixels(this.canvas.clientHeight)];
    const aspect = this.canvas.width / this.canvas.height;
    const untouched = this.camera.distance === this.homeDistance;
    this.camera.aspect = aspect;
    if (untouched || this.homeDistance === undefined) { this.homeView(); this.homeDistance = this.camera.distance; }
    this.draw();
  }
  request() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => { this.waiting = false; this.tick(now); });
  }
  ease(now) { // where frames take too long, fewer pixels and softer shadows have to do
    const took = now - (this.before ?? now), level = this.level ?? 0;
    if (!(took > 0 && took < 1000) || level > 2) return;
    this.mean = 0.85 * (this.mean ?? 16) + 0.15 * took;
    if (this.mean < 36) return;
    [this.level, this.mean] = [level + 1, 16];
    [this.coarse, this.renderer.taps] = [[0.75, 1], [0.5, 1], [0.5, 0]][level];
    this.resize();
  }
  tick(now) {
    if (this.playing || (this.live && this.live.falling)) this.ease(now);
    const step = Math.min((now - (this.before ?? now)) / 1000, 0.1);
    this.before = now;
    if (this.playing) {
      this.time += this.rate * step;
      const { start, end } = this.tracks[0];
      if (this.time > end) {
        this.time = this.loop ? start : end;
        if (!this.loop) { this.playing = false; if (this.onEnd) this.onEnd(); }
      }
    }
    if (this.live && this.live.falling) this.q = this.live.step(this.q, Math.min(step, 0.05));
    this.draw();
    if (this.playing || (this.live && this.live.falling) || this.held) this.request();
  }
  draw() {
    const began = performance.now();
    this.state();
    this.camera.update(this.canvas.clientWidth || 1, this.canvas.clientHeight || 1);
    this.drawn = this.items();
    this.renderer.draw(this.camera, this.drawn, this.colours, this.trails());
    this.label();
    this.update();
    this.followers.forEach((follow) => follow(this.time));
    if (this.onDrawn) this.onDrawn();
    this.frames += 1;
    this.spent = performance.now() - began;
  }
  label() { // names where their joints are
    const wanted = this.show.names && this.scene.tree && !this.gap ? this.scene.tree.bodies : [];
    while (this.labels.children.length < wanted.length) this.labels.append(element("span"));
    [...this.labels.children].forEach((span, i) => {
      span.hidden = i >= wanted.length;
      if (span.hidden) return;
      const { x, y, seen } = this.camera.project(place(this.X[i]));
      span.textContent = wanted[i].joint.nv ? wanted[i].joint.name : wanted[i].name;
      span.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      span.hidden = !seen;
    });
  }
}
