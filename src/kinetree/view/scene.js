// A skeleton in three dimensions on a plain canvas: colours, scene, camera and painting. player.js uses it.
"use strict";
const kinetree = (() => {
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
  const mix = (a, b, w) => a + (b - a) * w;

  // -- colours: from the style sheet, so that they follow the theme --------------------------------------------------

  function palette() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => rgb(style.getPropertyValue(name).trim());
    const names = ["card", "grid", "metal", "shade", "shadow", "accent", "soft"];
    const colours = Object.fromEntries(names.map((name) => [name, read("--" + name)]));
    colours.joints = [1, 2, 3, 4, 5, 6, 7, 8].map((k) => read("--kt-" + k));
    return colours;
  }
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  const css = (c, alpha = 1) => `rgba(${c[0]},${c[1]},${c[2]},${alpha})`;
  const toward = (c, d, w) => c.map((x, k) => Math.round(mix(x, d[k], w)));
  const WHITE = [255, 255, 255], BLACK = [0, 0, 0];

  // -- the scene -----------------------------------------------------------------------------------------------------

  class Scene {
    constructor(data) {
      Object.assign(this, data);
      this.count = data.frames[0].length / 3;
      const span = this.high.map((x, k) => x - this.low[k]);
      this.size = Math.max(Math.hypot(...span), 1e-6);
      this.centre = this.low.map((x, k) => ((k < 2 ? x : Math.min(x, this.floor)) + this.high[k]) / 2);
      this.depth = this.depths();
      this.radius = this.depth.map((d) => this.size * Math.max(0.0105, 0.024 * 0.88 ** d));
      this.rings = this.ringed();
      const sources = new Set(this.edges.map((e) => e[0]));
      this.tips = [...Array(this.count).keys()].filter((k) => !sources.has(k));
    }
    depths() {
      const depth = Array(this.count).fill(0);
      for (const [a, b] of this.edges) depth[b] = a < 0 ? 0 : depth[a] + 1;
      return depth;
    }
    ringed() { // joints that share a centre become rings: the later, the smaller
      const scale = Array(this.count).fill(1), first = this.at(0);
      const apart = (p, q) => Math.hypot(...p.map((x, k) => x - q[k]));
      for (const [a, b] of this.edges) {
        if (a >= 0 && apart(first[a], first[b]) < 1e-3 * this.size) scale[b] = 0.66 * scale[a];
      }
      return scale;
    }
    index(time) { // the frame at or before a time
      let low = 0, high = this.t.length - 2;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.t[middle] <= time) low = middle; else high = middle - 1;
      }
      return low;
    }
    at(frame, weight = 0) { // all points, between a frame and the next
      const a = this.frames[frame], b = this.frames[Math.min(frame + 1, this.frames.length - 1)];
      const point = (k) => [3 * k, 3 * k + 1, 3 * k + 2].map((j) => mix(a[j], b[j], weight));
      return Array.from({ length: this.count }, (_, k) => point(k));
    }
    points(time) {
      const k = this.index(time);
      return this.at(k, clamp((time - this.t[k]) / (this.t[k + 1] - this.t[k]), 0, 1));
    }
  }

  // -- the camera: orbits the centre, z up ---------------------------------------------------------------------------

  class Camera {
    constructor(scene) {
      this.scene = scene;
      this.home();
      this.fit();
    }
    home() { this.yaw = -0.9; this.pitch = 0.32; this.zoom = 1; }
    turn(yaw, pitch) { this.yaw += yaw; this.pitch = clamp(this.pitch + pitch, -0.15, 1.5); }
    fit() { // how far the whole motion and its shadow reach on a canvas of focal length one, seen from home
      const { scene } = this, step = Math.ceil(scene.frames.length / 200), seen = [];
      this.point(0, 0, 1);
      const see = ([x, y, z]) => seen.push(this.project([x, y, z]), this.project([x, y, scene.floor]));
      for (let k = 0; k < scene.frames.length; k += step) scene.at(k).forEach(see);
      if (scene.fixed) see([0, 0, 0]);
      const margin = 0.025, ys = seen.map((p) => p.y);
      this.across = Math.max(0.1, ...seen.map((p) => Math.abs(p.x))) + margin;
      [this.top, this.bottom] = [Math.min(-0.1, ...ys) - margin, Math.max(0.1, ...ys) + margin];
    }
    aim(width, height) {
      const focal = 0.9 * Math.min(width / (2 * this.across), height / (this.bottom - this.top));
      this.point(width / 2, height / 2 - focal * (this.top + this.bottom) / 2, this.zoom * focal);
    }
    point(x0, y0, focal) {
      const { size, centre } = this.scene;
      [this.x0, this.y0, this.focal, this.centre, this.distance] = [x0, y0, focal, centre, 2.1 * size];
      [this.cy, this.sy] = [Math.cos(this.yaw), Math.sin(this.yaw)];
      [this.cp, this.sp] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    }
    project(p) { // x, y on the canvas, pixels per metre there, distance
      const [x, y, z] = p.map((value, k) => value - this.centre[k]);
      const across = this.cy * y - this.sy * x, toward = this.cy * x + this.sy * y;
      const depth = Math.max(this.distance - this.cp * toward - this.sp * z, 0.05 * this.distance);
      const scale = this.focal / depth;
      return { x: this.x0 + across * scale, y: this.y0 - (this.cp * z - this.sp * toward) * scale, scale, depth };
    }
  }

  // -- painting ------------------------------------------------------------------------------------------------------

  function gridStep(size) {
    const power = 10 ** Math.floor(Math.log10(size / 4));
    return power * [5, 2, 1].find((m) => m * power <= size / 4 || m === 1);
  }

  function paintFloor(g, scene, camera, colours) {
    const step = gridStep(scene.size), reach = 1.5 * scene.size, n = Math.ceil(reach / step);
    const [cx, cy] = [0, 1].map((k) => Math.round(scene.centre[k] / step) * step);
    const corner = (i, j) => [cx + i * step, cy + j * step, scene.floor];
    g.lineWidth = 1;
    for (let i = -n; i <= n; i++) for (let j = -n; j < n; j++) for (const flip of [false, true]) {
      const fade = 1 - Math.hypot(i, j + 0.5) / n;
      if (fade <= 0) continue;
      const [a, b] = [j, j + 1].map((k) => camera.project(flip ? corner(k, i) : corner(i, k)));
      g.strokeStyle = css(colours.grid, 0.42 * fade);
      g.beginPath(); g.moveTo(a.x, a.y); g.lineTo(b.x, b.y); g.stroke();
    }
  }

  function disc(g, camera, centre, radius, fill) {
    g.beginPath();
    for (let angle = 0; angle < 2 * Math.PI; angle += 0.15) {
      const [x, y, z] = centre, p = camera.project([x + radius * Math.cos(angle), y + radius * Math.sin(angle), z]);
      g.lineTo(p.x, p.y);
    }
    g.closePath(); g.fillStyle = fill; g.fill();
  }

  function paintShadow(g, scene, camera, colours, segments) { // from a high sun, one layer: overlaps are not darker
    g.save();
    g.globalAlpha = 0.16;
    g.strokeStyle = g.fillStyle = css(colours.shadow);
    g.lineCap = g.lineJoin = "round";
    g.beginPath();
    const flat = ([x, y, z]) => {
      const rise = z - scene.floor;
      return camera.project([x + 0.12 * rise, y + 0.2 * rise, scene.floor]);
    };
    let width = 1;
    for (const { from, to, radius } of segments) {
      const [a, b] = [flat(from), flat(to)];
      g.moveTo(a.x, a.y); g.lineTo(b.x, b.y);
      width = Math.max(width, 1.5 * radius * a.scale);
    }
    g.lineWidth = width;
    g.stroke();
    g.restore();
  }

  function paintLink(g, a, b, ra, rb, colours) { // a round bar that tapers, lit from above
    const angle = Math.atan2(b.y - a.y, b.x - a.x), quarter = Math.PI / 2;
    const [nx, ny] = [Math.cos(angle - quarter), Math.sin(angle - quarter)];
    const side = ny <= 0 ? 1 : -1, r = Math.max(ra, rb);
    const [dx, dy] = [side * nx * r, side * ny * r];
    const light = g.createLinearGradient(a.x + dx, a.y + dy, a.x - dx, a.y - dy);
    light.addColorStop(0, css(toward(colours.metal, WHITE, 0.25)));
    light.addColorStop(0.28, css(toward(colours.metal, WHITE, 0.5)));
    light.addColorStop(0.62, css(colours.metal));
    light.addColorStop(1, css(colours.shade));
    g.beginPath();
    g.arc(a.x, a.y, ra, angle + quarter, angle - quarter);
    g.arc(b.x, b.y, rb, angle - quarter, angle + quarter);
    g.closePath(); g.fillStyle = light; g.fill();
  }

  function paintBall(g, p, r, colour) {
    const light = g.createRadialGradient(p.x - 0.35 * r, p.y - 0.4 * r, 0.05 * r, p.x, p.y, r);
    light.addColorStop(0, css(toward(colour, WHITE, 0.62)));
    light.addColorStop(0.45, css(colour));
    light.addColorStop(1, css(toward(colour, BLACK, 0.38)));
    g.beginPath(); g.arc(p.x, p.y, r, 0, 2 * Math.PI); g.fillStyle = light; g.fill();
  }

  function segmentsOf(scene, points) {
    const base = [0, 0, 0];
    const links = scene.edges.map(([a, b]) => ({
      from: a < 0 ? base : points[a], to: points[b], radius: scene.radius[Math.max(a, 0)], end: scene.radius[b],
    }));
    const column = 1.25 * scene.radius[0];
    const foot = [0, 0, scene.floor];
    if (scene.fixed && scene.floor < 0) links.push({ from: foot, to: base, radius: column, end: column });
    return links;
  }

  function traceOf(scene, time, points, colours) { // where the tips have been in the last seconds
    const shown = [], last = scene.index(time), length = Math.min(4, 0.6 * (scene.t.at(-1) - scene.t[0]));
    for (const tip of scene.tips) {
      let newer = points[tip];
      for (let k = last; k >= 0 && scene.t[k] > time - length; k--) {
        const older = scene.frames[k].slice(3 * tip, 3 * tip + 3);
        shown.push({ a: newer, b: older, alpha: 0.9 * (1 - (time - scene.t[k]) / length), colour: colours.accent });
        newer = older;
      }
    }
    return shown;
  }

  function paint(g, width, height, scene, camera, time, colours) {
    g.clearRect(0, 0, width, height);
    camera.aim(width, height);
    const points = scene.points(time), links = segmentsOf(scene, points), items = [];
    paintFloor(g, scene, camera, colours);
    const foot = (radius, fill) => scene.fixed && disc(g, camera, [0, 0, scene.floor], radius * scene.size, fill);
    foot(0.09, css(colours.shade, 0.55));
    paintShadow(g, scene, camera, colours, links);
    foot(0.062, css(toward(colours.metal, colours.shade, 0.45)));
    const add = (depth, draw) => items.push({ depth, draw });
    for (const { a, b, alpha, colour } of traceOf(scene, time, points, colours)) {
      const [p, q] = [camera.project(a), camera.project(b)];
      add((p.depth + q.depth) / 2, () => {
        g.strokeStyle = css(colour, alpha); g.lineCap = "butt";
        g.lineWidth = Math.max(1.5, 0.006 * scene.size * p.scale);
        g.beginPath(); g.moveTo(p.x, p.y); g.lineTo(q.x, q.y); g.stroke();
      });
    }
    for (const { from, to, radius, end } of links) {
      const [p, q] = [camera.project(from), camera.project(to)];
      add((p.depth + q.depth) / 2, () => paintLink(g, p, q, radius * p.scale, end * q.scale, colours));
    }
    points.forEach((point, k) => {
      const p = camera.project(point), joint = scene.joints[k] ?? -1; // tips and fixed bodies are no joints
      const r = scene.radius[k] * p.scale * (joint < 0 ? 0.9 : 1.5 * scene.rings[k]);
      const colour = joint < 0 ? colours.accent : colours.joints[joint % 8];
      add(p.depth - (0.036 + 1e-4 * k) * scene.size, () => paintBall(g, p, r, colour));
    });
    items.sort((a, b) => b.depth - a.depth).forEach((item) => item.draw());
  }

  return { Scene, Camera, palette, paint, clamp };
})();
