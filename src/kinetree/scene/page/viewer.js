// One picture of a robot with its controls: everything between the figure in the page and the renderer.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const SHOWN = { shapes: true, loads: true, axes: false, frames: false, names: false, masses: false, inertias: false,
  bearings: false, trail: true, ghosts: true, beside: false, obstacles: true,
  rate: false };

class Viewer {
  constructor(figure) {
    Object.assign(this, { figure, canvas: figure.querySelector("canvas"), camera: new Camera(), show: { ...SHOWN } });
    Object.assign(this, { time: 0, rate: 1, playing: false, loop: true, moved: false, frames: 0, filming: false,
      followers: [], live: null });
    this.labels = figure.querySelector(".kt-labels");
  }
  async start() {
    const data = JSON.parse(this.figure.querySelector("script[type='application/json']").textContent);
    const block = this.figure.querySelector("script[type='application/octet-stream']");
    const read = reader(await unpacked(block ? block.textContent : ""));
    this.renderer = new Renderer(this.canvas);
    this.data = data;
    this.show.beside = Boolean(data.beside);
    this.scene = new Scene(data, this.renderer, read);
    this.fileName = data.name.replace(/[^\w-]+/g, "_").slice(0, 60) || "robot";
    this.tracks = (data.motions || []).map((motion) => new Track(motion, read, this.scene.tree));
    this.q = Float64Array.from(data.q || []);
    const ends = (name, of) => this.tracks.reduce((found, track) => of(found, track[name]), this.tracks[0][name]);
    if (this.tracks.length) [this.begin, this.end] = [ends("start", Math.min), ends("end", Math.max)];
    this.time = this.begin ?? 0;
    if (data.engine) this.live = await Live.of(this, read).catch((error) => {
      data.notes.push(`Forces, dragging and falling are off: ${error.message}.`);
      return null;
    });
    if (data.engine && this.scene.hasLoops && !this.live) {
      data.notes.push("The sliders are off, as the loops would not stay closed.");
    }
    if (this.live) this.live.assemble(data);
    this.canvas.addEventListener("webglcontextlost", () => { // the still picture comes back
      this.play(false);
      this.filming = true;
      this.figure.classList.remove("kt-ready");
      this.say("The graphics card has dropped this picture. Load the page again.");
    });
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

  // -- where there is something to see ---------------------------------------------------------------------------------

  places() { // that the motions reach
    const { scene, tracks } = this, places = scene.extentOfObstacles();
    const see = (values) => places.push(...scene.extent(scene.poses(values)));
    see(this.q);
    for (const track of tracks) {
      const n = track.travel ? 1 : Math.min(track.t.length, scene.parts.length > 100 ? 20 : 60);
      for (let k = 0; k < n; k++) {
        const values = track.at(mix(track.start, track.end, n > 1 ? k / (n - 1) : 0));
        if (values) see(values);
      }
    }
    return places;
  }
  frameAll() { // floor, sun and camera around all of it
    const { scene, renderer, tracks } = this, one = this.places(), wide = one.map((p) => dot(p, HOME_RIGHT));
    const range = (list) => list.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
    const [left, right] = range(wide);
    this.spacing = 1.15 * Math.max(right - left, 0.3 * scene.reach(one).radius);
    const copies = this.show.beside ? tracks.length : 1;
    const places = Array.from({ length: copies }, (_, k) =>
      one.map((p) => add(p, times(HOME_RIGHT, k * this.spacing)))).flat();
    const { centre, radius, floor } = scene.reach(places);
    Object.assign(renderer, { centre, radius, floor });
    const power = 10 ** Math.floor(Math.log10(radius / 2));
    renderer.step = power * [5, 2, 1].find((m) => m * power <= radius / 2 || m === 1);
    this.size = scene.reach(one).radius; // of what belongs to one robot
    scene.tree.size = this.size;
    this.homeView = () => { this.camera.home(centre, radius, places); this.homeDistance = this.camera.distance; };
    this.homeView();
  }
  colour() {
    const style = getComputedStyle(this.figure), get = (name) => hex(style.getPropertyValue(`--${name}`));
    const isDark = dark.matches;
    this.colours = {
      link: get("kt-link"), joint: get("kt-joint"), base: get("kt-base"), tip: get("kt-tip"), accent: get("accent"),
      obstacle: [...get("kt-obstacle").slice(0, 3), 0.55],
      grid: [...get("grid").slice(0, 3), isDark ? 0.42 : 0.5], dark: isDark ? 0.55 : 0.3,
      sky: isDark ? [0.3, 0.33, 0.4] : [0.42, 0.45, 0.5], earth: isDark ? [0.07, 0.08, 0.1] : [0.2, 0.195, 0.19],
    };
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
    if (this.gap) return;
    scene.tree.bodies.forEach(({ joint }, i) => {
      if (!joint.nv || joint.mimic || joint.nq !== joint.nv) return;
      const near = 1e-3 * (joint.upper - joint.lower), x = this.q[joint.q];
      const position = joint.lower !== null && joint.upper !== null && this.tracks.length > 0 && !this.moved
        && (x < joint.lower + near || x > joint.upper - near);
      const effort = this.loads && this.loads.limited[joint.v] && this.loads.share[joint.v] > 0.99;
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
  at(time) { this.moved = false; this.time = clamp(time, this.begin, this.end); this.request(); }
  play(on) {
    if (!this.tracks.length) return;
    if (on && this.time >= this.end) this.time = this.begin;
    if (on) this.moved = false;
    this.playing = on;
    this.before = performance.now();
    this.request();
  }

  // -- drawing ---------------------------------------------------------------------------------------------------------

  resize() {
    this.density = Math.min(window.devicePixelRatio || 1, 2) * (this.coarse || 1);
    const pixels = (x) => Math.max(1, Math.round(x * this.density));
    [this.canvas.width, this.canvas.height] = [pixels(this.canvas.clientWidth), pixels(this.canvas.clientHeight)];
    const aspect = this.canvas.width / this.canvas.height;
    const untouched = this.camera.distance === this.homeDistance;
    this.camera.aspect = aspect;
    if (untouched) this.homeView();
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
    if (this.filming) return; // it draws by itself
    if (this.playing || (this.live && this.live.falling)) this.ease(now);
    const step = Math.min((now - (this.before ?? now)) / 1000, 0.1);
    if (step > 0) this.pace = mix(this.pace ?? step, step, 0.1); // from one frame to the next [s]
    this.before = now;
    if (this.playing) {
      this.time += this.rate * step;
      if (this.time > this.end) {
        this.time = this.loop ? this.begin : this.end;
        if (!this.loop) this.playing = false;
      }
    }
    if (this.live && this.live.falling) this.q = this.live.step(this.q, Math.min(step, 0.05));
    this.draw();
    if (this.playing || (this.live && this.live.falling) || this.show.rate) this.request();
  }
  draw() {
    const began = performance.now();
    this.state();
    this.follow();
    this.camera.update(this.canvas.clientWidth || 1, this.canvas.clientHeight || 1);
    this.drawn = [...this.items(), ...this.pushes()];
    this.renderer.draw(this.camera, this.drawn, this.colours, this.trails());
    this.label();
    this.update();
    this.followers.forEach((follow) => follow(this.time));
    this.frames += 1;
    this.spent = performance.now() - began;
  }
}
