// The controls of a picture: a bar for time, a panel of sliders and switches, and what pointers do on the canvas.

Object.assign(Viewer.prototype, {
  controls() {
    const { figure, scene, tracks, data } = this, panel = figure.querySelector(".kt-panel"), updates = [];
    const redraw = () => this.request();
    if (tracks.length) updates.push(this.timeBar(figure.querySelector(".kt-time")));
    if (scene.tree) {
      if (scene.tree.moving.length) {
        const { box, update, list } = sliders(this);
        this.coordinates = list;
        panel.append(section("Joints", true, box));
        updates.push(() => update(this.q, this.loads, this.lit));
      }
      if (this.live) panel.append(this.live.controls(updates));
      const switches = [
        ...(data.parts.some(({ role }) => role === "visual") ? [["shapes", "shapes of the file"]] : []),
        ["axes", "joint axes"], ["frames", "frames"], ["names", "names"],
        ["masses", "centres of mass"], ["inertias", "inertia ellipsoids"],
        ...(this.live || tracks.some((track) => track.tau) ? [["loads", "joint forces"]] : []),
        ...(this.live ? [["bearings", "bearing forces"]] : []),
        ...(tracks.length ? [["trail", "trail"]] : []), ...(tracks.length > 1 ? [["ghosts", "other motions"]] : []),
      ];
      panel.append(section("Show", !tracks.length, element("div", { className: "kt-switches" },
        ...switches.map(([key, text]) => toggle(text, `Show ${text}`, this.show, key, redraw)))));
    }
    panel.append(section("Save", false, element("div", { className: "kt-buttons" },
      button("PNG", "Save this picture", () => savePicture(this)),
      ...(window.MediaRecorder && this.canvas.captureStream ? [this.filmButton()] : []),
      ...(tracks.length ? [button("CSV", "Save the numbers of the motion", () => saveTable(this))] : []),
      ...(document.querySelector("figure.plot svg") ? [button("SVG", "Save the plots", () => savePlots(this))] : []))));
    this.update = () => updates.forEach((update) => update());
  },
  csv() { return table(this); },
  filmButton() {
    const film = button("WebM", "Record a film", () => {
      film.disabled = true;
      saveFilm(this, () => { film.disabled = false; });
    });
    return film;
  },
  timeBar(bar) {
    const [{ start, end }] = this.tracks;
    const play = button("", "Play or pause (space)", () => this.play(!this.playing));
    const slider = element("input", { type: "range", min: start, max: end, step: "any", value: start,
      "aria-label": "Time [s]" });
    const clock = element("output"), speed = element("select", { title: "Speed", "aria-label": "Speed" });
    [0.1, 0.25, 0.5, 1, 2, 5].forEach((rate) =>
      speed.append(element("option", { value: rate, textContent: `${rate}×`, selected: rate === 1 })));
    const loop = button("↻", "Repeat", () => { this.loop = !this.loop; this.request(); });
    play.className = "kt-play";
    slider.oninput = () => this.seek(+slider.value);
    speed.onchange = () => { this.rate = +speed.value; };
    bar.append(play, slider, clock, speed, loop);
    bar.hidden = false;
    this.canvas.addEventListener("keydown", (e) =>
      { if (e.key === " ") { e.preventDefault(); this.play(!this.playing); } });
    const digits = end - start < 0.1 ? 4 : end - start < 10 ? 2 : 1;
    return () => {
      slider.value = this.time;
      clock.textContent = `${this.time.toFixed(digits)} s${this.gap ? " · no data" : ""}`;
      play.textContent = this.playing ? "❚❚" : "▶";
      play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
      loop.setAttribute("aria-pressed", this.loop);
      this.followers.forEach((follow) => follow(this.time));
    };
  },
  steering() {
    const { canvas, camera, scene } = this;
    const found = (e) => { // the part of the robot under the pointer
      if (!scene.tree || this.gap) return undefined;
      const box = canvas.getBoundingClientRect(), x = (e.clientX - box.left) * this.density,
        y = (box.bottom - e.clientY) * this.density;
      return this.renderer.pick(camera, this.drawn.slice(0, this.solid), Math.round(x), Math.round(y));
    };
    const place3 = (e, body) => { // the place under the pointer at the depth of a body
      const box = canvas.getBoundingClientRect(), at = place(this.X[body]), seen = camera.project(at);
      return add(at, camera.across(at, e.clientX - box.left - seen.x, e.clientY - box.top - seen.y));
    };
    steer(canvas, camera, {
      changed: () => this.request(),
      home: () => this.homeView(),
      grab: (e) => {
        const item = found(e);
        if (!item || item.part.body < 0 || !this.dragging) return null;
        const { body } = item.part, point = place3(e, body);
        return { body, local: moved(inverse(this.X[body]), point), target: point };
      },
      drag: (held, dx, dy) => {
        held.target = add(held.target, camera.across(held.target, dx, dy));
        this.pull(held);
      },
      drop: () => { this.live.pulled = null; },
      tap: (e) => { const item = found(e); this.select(item && item.part.joint >= 0 ? item.part.joint : null); },
    });
    this.dragging = Boolean(this.live);
    canvas.addEventListener("pointermove", (e) => {
      if (e.buttons || !this.dragging) return;
      const item = found(e);
      canvas.style.cursor = item && item.part.body >= 0 ? "pointer" : "";
    });
  },
  pull(held) { // bring a point of a body to a place: by inverse kinematics, or by a spring while the robot falls
    const goal = moved(inverse(this.scene.root), held.target);
    if (this.live.falling) this.live.pulled = { ...held, goal };
    else this.pose(this.live.drag(this.q, held, goal));
  },
});
