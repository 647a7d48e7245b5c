// The controls of a picture: a bar for time, a panel of sliders and switches, and what pointers do on the canvas.

const MANY = 12; // joints whose sliders are out of the way where there is a motion to see

Object.assign(Viewer.prototype, {
  controls() {
    const { figure, scene, tracks, data } = this, panel = figure.querySelector(".kt-panel"), updates = [];
    updates.push(this.headline(figure.querySelector(".kt-head")));
    if (tracks.length) updates.push(this.timeBar(figure.querySelector(".kt-time")));
    if (scene.tree.moving.length) {
      const { box, update, list } = sliders(this);
      this.coordinates = list;
      panel.append(section("Joints", !tracks.length || list.length <= MANY, box));
      updates.push(() => update(this.q, this.loads, this.lit));
    }
    if (this.live) panel.append(this.live.controls(updates));
    const switches = [
      ...(data.parts.some(({ role }) => role === "visual") ? [["shapes", "shapes of the file"]] : []),
      ["axes", "joint axes"], ["frames", "frames"], ["names", "names"],
      ["masses", "centres of mass"], ["inertias", "inertia ellipsoids"],
      ...(this.live || tracks.some((track) => track.tau) ? [["loads", "joint forces"]] : []),
      ...(this.live ? [["bearings", "bearing forces"]] : []),
      ...(tracks.length ? [["trail", "trail"]] : []), ...(scene.fixtures.length ? [["obstacles", "obstacles"]] : []),
      ...(tracks.length > 1 ? [["ghosts", "other motions"], ["beside", "side by side"]] : []), ["rate", "frame rate"],
    ];
    const changed = (key) => { if (key === "beside") this.frameAll(); this.request(); };
    panel.append(section("Show", !tracks.length || tracks.length > 1, element("div", { className: "kt-switches" },
      ...switches.map(([key, text]) => toggle(text, `Show ${text}`, this.show, key, () => changed(key))))));
    panel.append(section("Save", false, element("div", { className: "kt-buttons" },
      button("PNG", "Save this picture", () => savePicture(this)),
      this.filmButton("GIF", "Save an animated picture", (done, tell) => this.gif(tell).then((blob) =>
        save(`${this.fileName}.gif`, blob)).catch((error) => this.say(`No GIF: ${error.message}.`)).finally(done)),
      ...(window.MediaRecorder && this.canvas.captureStream
        ? [this.filmButton("WebM", "Record a film", (done) => saveFilm(this, done))] : []),
      ...(tracks.length ? [button("CSV", "Save the numbers of the motion", () => saveTable(this))] : []),
      ...(document.querySelector("figure.plot svg") ? [button("SVG", "Save the plots", () => savePlots(this))] : []))));
    this.update = () => updates.forEach((update) => update());
  },
  headline(head) { // what is shown; which colours the motions have, and what the colours of the joints mean
    const { tracks, data } = this;
    if (this.figure.matches(".kt-whole")) head.prepend(element("strong", { textContent: data.name }));
    const others = element("p", { className: "kt-motions" }, ...tracks.map(({ name, colour }, k) => element("span", {},
      element("i", { style: `background: ${k ? colour : "var(--kt-joint)"}` }), name)));
    if (tracks.length > 1) head.append(others);
    if (!this.live) head.querySelector(".kt-hint").textContent = "drag to turn · shift to move · wheel to zoom";
    const ramp = `linear-gradient(90deg, ${[0, 0.1, 0.25, 0.5, 0.75, 1].map((x) => `${css(heat(x))} ${100 * x}%`)})`;
    const legend = element("p", { className: "kt-scale", hidden: true }, "drive force: 0", element("i", { style:
      `background: ${ramp}` })), most = element("span"), bearing = element("span");
    legend.append(most, bearing);
    this.figure.querySelector(".kt-stage").append(legend);
    const hint = head.querySelector(".kt-hint"), advice = hint.textContent;
    return () => {
      legend.hidden = !(this.show.loads && this.loads);
      const limits = this.loads && this.coordinates ? this.coordinates.filter(({ joint }) => joint.type !== "free").map(
        ({ v }) => this.loads.limited[v]) : [];
      most.textContent = limits.every(Boolean) ? "its limit" : limits.some(Boolean)
        ? "its limit, or the largest" : "the largest";
      others.hidden = !this.show.ghosts || this.show.beside;
      hint.textContent = this.show.rate && this.pace ? `${Math.round(1 / this.pace)} frames a second, ${
        number(this.spent)} ms of each for scripts` : advice;
      const heavy = this.show.bearings && this.live ? this.live.heaviest : null;
      bearing.textContent = heavy ? `· largest bearing force: ${heavy.joint.name}, ${number(heavy.size)} N` : "";
    };
  },
  csv() { return table(this); },
  gif(tell) { return animated(this, tell); },
  filmButton(text, title, begin) { // which tells how far it is
    const film = button(text, title, () => {
      film.disabled = true;
      begin(() => { Object.assign(film, { disabled: false, textContent: text }); this.request(); },
        (share) => { film.textContent = `${text} ${Math.round(100 * share)} %`; });
    });
    return film;
  },
  timeBar(bar) {
    const { begin: start, end } = this;
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
      if (this.gap) return undefined;
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
