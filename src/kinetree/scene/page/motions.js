// Motions over time: where a robot is at a time, and what acts on it then.

class Track {
  constructor({ name, t, q, tau, scale, limited, colour, arrows, travel }, read, tree) {
    Object.assign(this, { name, t: read(t), q: read(q), tau: tau ? read(tau) : null, scale, limited, colour, tree,
      travel });
    this.pushes = (arrows || []).map((arrow) => ({ at: read(arrow.at), along: read(arrow.along),
      colour: hex(arrow.colour) }));
    this.width = this.q.length / this.t.length;
    [this.start, this.end] = [this.t[0], this.t[this.t.length - 1]];
  }
  index(time) { // the row at or before a time, and how far it is to the next
    let [low, high] = [0, this.t.length - 2];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= time) low = middle; else high = middle - 1;
    }
    return [low, clamp((time - this.t[low]) / (this.t[low + 1] - this.t[low]), 0, 1)];
  }
  row(values, time) { // between two rows; NaN where either is
    const [k, weight] = this.index(time), n = values.length / this.t.length, row = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const [a, b] = [values[k * n + i], values[(k + 1) * n + i]];
      row[i] = weight === 0 ? a : weight === 1 ? b : mix(a, b, weight);
    }
    return row;
  }
  at(time) { // positions; null in a gap
    const q = this.row(this.q, time), [k] = this.index(time);
    if (!q.every(Number.isFinite)) return null;
    for (const start of this.tree.quaternions) { // the shorter way between two orientations
      const n = this.width, a = this.q.subarray(k * n + start, k * n + start + 4),
        b = this.q.subarray((k + 1) * n + start);
      const [, weight] = this.index(time), sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
      for (let i = 0; i < 4; i++) q[start + i] = mix(a[i], sign * b[i], weight);
    }
    return q;
  }
  arrows(time) { // where each begins, and its tip
    return this.pushes.map(({ at, along, colour }) => {
      const from = this.row(at, time);
      return { from, to: add(from, this.row(along, time)), colour };
    });
  }
  loads(time) { // the forces, and what share of its limit (or of the largest) each is
    if (!this.tau) return null;
    const tau = this.row(this.tau, time), share = Array.from(tau, (x, k) => Math.abs(x) / this.scale[k]);
    return tau.every(Number.isFinite) ? { tau, share, limited: this.limited } : null;
  }
}

// the line in a plot that is at the time of the motion; a click in the plot goes there
function follower(figure, seek) {
  const svg = figure.querySelector("svg"), plots = svg.matches(".kt-plot")
    ? [svg] : [...svg.querySelectorAll(".kt-plot")];
  const lines = plots.map((plot) => {
    const line = document.createElementNS(svg.namespaceURI, "line"), [left, right, low, high] =
      ["left", "right", "low", "high"].map((name) => +plot.dataset[name]);
    line.setAttribute("class", "cursor");
    line.setAttribute("y1", plot.dataset.top);
    line.setAttribute("y2", plot.dataset.bottom);
    plot.append(line);
    plot.onpointerdown = plot.onpointermove = (e) => {
      if (!e.buttons) return;
      const box = plot.getBoundingClientRect(), x = (e.clientX - box.left) / box.width * plot.viewBox.baseVal.width;
      seek(low + (x - left) / (right - left) * (high - low));
    };
    return (time) => {
      const x = left + clamp((time - low) / (high - low), 0, 1) * (right - left);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    };
  });
  return (time) => lines.forEach((line) => line(time));
}
