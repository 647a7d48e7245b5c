// What leaves the page: a picture, a film, an animated GIF, the numbers, the plots.

const GIF_WIDTH = 640, GIF_FRAMES = 150, GIF_PAUSE = 5; // pixels and frames at the most; hundredths of a second

function painted(viewer, width = viewer.canvas.width, flat = false) { // the picture on its background, as a canvas
  const { canvas } = viewer, height = Math.round(width * canvas.height / canvas.width);
  const copy = element("canvas", { width, height }), g = copy.getContext("2d", { willReadFrequently: flat });
  const style = getComputedStyle(viewer.figure), shade = g.createLinearGradient(0, 0, 0, height);
  shade.addColorStop(0, style.getPropertyValue(flat ? "--ground" : "--sky"));
  shade.addColorStop(0.78, style.getPropertyValue("--ground"));
  g.imageSmoothingQuality = "high";
  const paint = () => {
    g.fillStyle = shade;
    g.fillRect(0, 0, width, height);
    g.drawImage(canvas, 0, 0, width, height);
    letter(viewer, g, width);
  };
  return { copy, g, paint };
}

function letter(viewer, g, width) { // the words that stand over the picture, as the page shows them
  const frame = viewer.canvas.getBoundingClientRect(), scale = width / frame.width;
  const place = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left - frame.left, y: top - frame.top, width, height };
  };
  g.save();
  g.scale(scale, scale);
  g.textBaseline = "middle";
  for (const span of viewer.labels.children) {
    if (span.hidden) continue;
    const box = place(span), style = getComputedStyle(span), lead = getComputedStyle(span, "::before");
    g.fillStyle = style.backgroundColor;
    g.beginPath();
    g.roundRect(box.x, box.y, box.width, box.height, parseFloat(style.borderRadius));
    g.fill();
    if (lead.content !== "none") { // a line leads to the joint, from the side with an edge
      const before = span.classList.contains("kt-before"), far = parseFloat(lead.width);
      const edge = parseFloat(before ? style.borderRightWidth : style.borderLeftWidth);
      const x = before ? box.x + box.width : box.x;
      g.fillStyle = lead.borderTopColor;
      g.fillRect(before ? x - edge : x, box.y, edge, box.height);
      g.fillRect(before ? x : x - far, box.y + parseFloat(lead.top), far, parseFloat(lead.borderTopWidth));
    }
    for (const part of span.children) {
      const { x, y, height } = place(part), { color, fontWeight, fontSize, fontFamily } = getComputedStyle(part);
      g.font = `${fontWeight} ${fontSize} ${fontFamily}`;
      g.fillStyle = color;
      g.fillText(part.textContent, x, y + height / 2);
    }
  }
  g.restore();
}

function savePicture(viewer) {
  const { copy, paint } = painted(viewer);
  viewer.draw();
  paint();
  copy.toBlob((blob) => save(`${viewer.fileName}.png`, blob), "image/png");
}

// what a film shows: the motion once, a fall of five seconds, or a turn about the robot; `to` goes on to a time
function take(viewer) {
  const { camera, live, tracks, rate } = viewer, before = { time: viewer.time, yaw: camera.yaw, moved: viewer.moved };
  const back = () => { Object.assign(viewer, { filming: false, time: before.time }); camera.yaw = before.yaw; };
  viewer.play(false);
  viewer.filming = true;
  if (tracks.length && !before.moved) {
    const { begin: start, end } = viewer;
    return { seconds: (end - start) / rate, to: (t) => { viewer.time = Math.min(start + rate * t, end); }, back };
  }
  if (live && live.falling) {
    let last = 0;
    return { seconds: 5, to: (t) => { viewer.q = live.step(viewer.q, t - last); last = t; }, back };
  }
  return { seconds: 4, to: (t) => { camera.yaw = before.yaw + PI / 2 * t; }, back };
}

function saveFilm(viewer, done) { // as it is shown
  const { copy, paint } = painted(viewer), type = ["video/webm;codecs=vp9", "video/webm"].find((x) =>
    MediaRecorder.isTypeSupported(x));
  const film = new MediaRecorder(copy.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 }), pieces = [];
  const { seconds, to, back } = take(viewer), began = performance.now();
  film.ondataavailable = (e) => pieces.push(e.data);
  film.onstop = () => { back(); done(); save(`${viewer.fileName}.webm`, new Blob(pieces, { type: "video/webm" })); };
  film.start();
  const next = () => {
    const t = (performance.now() - began) / 1000;
    to(Math.min(t, seconds));
    viewer.draw();
    paint();
    if (t < seconds) requestAnimationFrame(next); else setTimeout(() => film.stop(), 100);
  };
  next();
}

async function animated(viewer, tell = () => {}) { // a GIF, frame by frame
  const { copy, g, paint } = painted(viewer, Math.min(GIF_WIDTH, viewer.canvas.width), true);
  const { seconds, to, back } = take(viewer), pause = Math.max(GIF_PAUSE, Math.ceil(100 * seconds / GIF_FRAMES));
  const count = Math.max(2, Math.round(100 * seconds / pause)), frames = [];
  try {
    for (let k = 0; k < count; k++) {
      to(k * pause / 100);
      viewer.draw();
      paint();
      const { data } = g.getImageData(0, 0, copy.width, copy.height), frame = new Uint16Array(data.length / 4);
      for (let i = 0; i < frame.length; i++) frame[i] = to565(data[4 * i], data[4 * i + 1], data[4 * i + 2]);
      frames.push(frame);
      tell(k / count);
      await new Promise((go) => setTimeout(go));
    }
  } finally { back(); }
  return gif(frames, copy.width, copy.height, pause);
}

function table(viewer) { // the numbers of the motion; all digits that the page has
  const track = viewer.tracks[0], { names, positions } = viewer.scene.tree;
  const columns = ["t", ...positions.map((n) => `q.${n}`)];
  if (track.tau) columns.push(...names.map((n) => `tau.${n}`));
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = [columns.map(quoted).join(",")];
  const part = (values, k) => { const n = values.length / track.t.length;
    return [...values.subarray(k * n, (k + 1) * n)]; };
  track.t.forEach((t, k) => lines.push([t, ...part(track.q, k), ...(track.tau ? part(track.tau, k) : [])].join(",")));
  return lines.join("\r\n") + "\r\n";
}

function saveTable(viewer) {
  save(`${viewer.fileName}.csv`, new Blob([table(viewer)], { type: "text/csv" }));
}

function savePlots(viewer) { // each as an SVG file of its own, in the colours of the page
  document.querySelectorAll("figure.plot svg").forEach((svg, k) => {
    const copy = svg.cloneNode(true), style = getComputedStyle(svg);
    copy.querySelectorAll(".cursor").forEach((line) => line.remove());
    copy.setAttribute("style", `color: ${style.color}; background: ${getComputedStyle(document.body).backgroundColor}`);
    let text = new XMLSerializer().serializeToString(copy);
    text = text.replace(/var\((--[\w-]+),\s*([^)]+)\)/g, (_, name, other) => style.getPropertyValue(name).trim()
      || other);
    save(`${viewer.fileName}-${k + 1}.svg`, new Blob([text], { type: "image/svg+xml" }));
  });
}
