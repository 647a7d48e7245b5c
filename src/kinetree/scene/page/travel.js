// A motion that goes somewhere and arrows that move with it: the camera goes along, and each run begins where the last
// one ended. And where to look from.

const VIEWS = { Side: [-Math.PI / 2, 0.02], Front: [0, 0.02], Top: [-Math.PI / 2, 1.55], Home: null }; // yaw, pitch
SHOWN.pushes = true;

Object.assign(Viewer.prototype, {
  travelled(runs) { // how far so many runs lead, in the picture
    const { travel } = this.tracks[0];
    return travel ? turned(this.scene.root, times(travel, runs)) : [0, 0, 0];
  },
  follow() { // camera, sun and floor go along; the lines of the floor stay where they are on the ground
    const [track] = this.tracks, { renderer, camera } = this;
    if (!track || !track.travel) return;
    if (this.playing && this.time < this.shownAt) this.laps = (this.laps ?? 0) + 1;
    this.shownAt = this.time;
    const share = this.moved ? 0 : (this.time - track.start) / (track.end - track.start), whole = 5 * renderer.step;
    camera.walked = renderer.walked = this.travelled(share);
    renderer.gone = this.travelled(this.laps ?? 0).slice(0, 2).map((x) => x % whole);
  },
  pushes() { // the arrows of the motion, and a disc where each begins
    const [track] = this.tracks, { scene } = this, radius = 0.009 * this.size;
    if (!track || !this.show.pushes || this.moved || this.gap) return [];
    const look = { bare: true, over: true, glow: 0.4 };
    return track.arrows(this.time).flatMap(({ from, to, colour }) => {
      const [p, q] = [moved(scene.root, from), moved(scene.root, to)];
      if (!(length(sub(q, p)) > 3 * radius)) return [];
      const spot = { mesh: scene.mesh("cylinder", SOLIDS.cylinder), colour,
        matrix: matrixOf(translation(p), [3.2 * radius, 3.2 * radius, 0.3 * radius]) };
      return [spot, ...scene.arrow(p, q, radius, colour)].map((item) => ({ ...item, ...look }));
    });
  },
  lookFrom() { // a section of the panel
    const [track] = this.tracks, redraw = () => this.request();
    if (track && track.travel) this.show.trail = false; // it would lead away
    const buttons = Object.entries(VIEWS).map(([name, angles]) => button(name, `${name} view`, () => {
      if (angles) this.camera.look(...angles); else this.homeView();
      redraw();
    }));
    const arrows = track && track.pushes.length ? [toggle("forces", "Show forces", this.show, "pushes", redraw)] : [];
    this.figure.querySelector(".kt-panel").prepend(section("View", true,
      element("div", { className: "kt-buttons" }, ...buttons, ...arrows)));
  },
});
