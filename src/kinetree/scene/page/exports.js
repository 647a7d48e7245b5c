// What leaves the page: a picture, a film, the numbers, the plots.

function painted(viewer) { // the picture on its background, as a canvas
  const { canvas } = viewer, copy = element("canvas", { width: canvas.width, height: canvas.height }),
    g = copy.getContext("2d");
  const style = getComputedStyle(viewer.figure), shade = g.createLinearGradient(0, 0, 0, copy.height);
  shade.addColorStop(0, style.getPropertyValue("--sky"));
  shade.addColorStop(0.78, style.getPropertyValue("--ground"));
  return { copy, paint: () => { g.fillStyle = shade; g.fillRect(0, 0, copy.width, copy.height);
    g.drawImage(canvas, 0, 0); } };
}

function savePicture(viewer) {
  const { copy, paint } = painted(viewer);
  viewer.draw();
  paint();
  copy.toBlob((blob) => save(`${viewer.fileName}.png`, blob), "image/png");
}

function saveFilm(viewer, done) { // one run of the motion, or five seconds of what moves
  const { copy, paint } = painted(viewer), type = ["video/webm;codecs=vp9", "video/webm"].find((x) =>
    MediaRecorder.isTypeSupported(x));
  const film = new MediaRecorder(copy.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 }), pieces = [];
  film.ondataavailable = (e) => pieces.push(e.data);
  film.onstop = () => { viewer.onDrawn = null; done(); save(`${viewer.fileName}.webm`,
    new Blob(pieces, { type: "video/webm" })); };
  viewer.onDrawn = paint;
  film.start();
  viewer.film(() => film.stop());
}

function table(viewer) { // the numbers of the motion; all digits that the page has
  const track = viewer.tracks[0], { names, positions } = viewer.scene.tree ?? { names: [], positions: [] };
  const columns = viewer.scene.tree ? ["t", ...positions.map((n) => `q.${n}`)] : ["t",
    ...[...Array(track.width).keys()].map(String)];
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
