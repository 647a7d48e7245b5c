// An animated GIF: at most 256 colours, chosen from those that the frames have, and Lempel-Ziv-Welch codes.

const to565 = (r, g, b) => ((r >> 3) << 11) | ((g >> 2) << 5) | (b >> 3);
const from565 = (c) => [(c >> 11) * 255 / 31, ((c >> 5) & 63) * 255 / 63, (c & 31) * 255 / 31];

// the colours that stand for all others: the box with most pixels times spread is cut at its median, again and again
function palette(frames, size) {
  const counts = new Uint32Array(65536);
  for (const frame of frames) for (const c of frame) counts[c]++;
  const all = [];
  counts.forEach((count, c) => { if (count) all.push({ c, count, rgb: from565(c) }); });
  const boxed = (list) => {
    const spread = [0, 1, 2].map((k) => { const x = list.map(({ rgb }) => rgb[k]);
      return x.reduce((a, b) => Math.max(a, b)) - x.reduce((a, b) => Math.min(a, b)); });
    const weight = list.reduce((sum, { count }) => sum + count, 0), axis = spread.indexOf(Math.max(...spread));
    return { list, axis, weight, score: list.length > 1 ? Math.sqrt(weight) * spread[axis] : -1 };
  };
  const boxes = [boxed(all)];
  while (boxes.length < size) {
    const worst = boxes.reduce((a, b) => (b.score > a.score ? b : a));
    if (worst.score < 0) break;
    const { list, axis, weight } = worst;
    list.sort((a, b) => a.rgb[axis] - b.rgb[axis]);
    let [half, cut] = [0, 0];
    while (cut < list.length - 1 && (half += list[cut].count) < weight / 2) cut++;
    cut = clamp(cut, 1, list.length - 1);
    boxes.splice(boxes.indexOf(worst), 1, boxed(list.slice(0, cut)), boxed(list.slice(cut)));
  }
  const index = new Uint8Array(65536), colours = boxes.map(({ list, weight }, k) => {
    list.forEach(({ c }) => { index[c] = k; });
    return [0, 1, 2].map((i) => Math.round(list.reduce((sum, { rgb, count }) => sum + rgb[i] * count, 0) / weight));
  });
  return { colours, index };
}

function compressed(pixels) { // codes of 9 to 12 bits: 256 clears the table, 257 ends
  const bytes = [];
  let table = new Map(), width = 9, next = 258, buffer = 0, filled = 0, prefix = pixels[0];
  const put = (code) => {
    buffer |= code << filled;
    for (filled += width; filled >= 8; filled -= 8) { bytes.push(buffer & 255); buffer >>>= 8; }
  };
  put(256);
  for (let i = 1; i < pixels.length; i++) {
    const key = prefix * 256 + pixels[i], known = table.get(key);
    if (known !== undefined) { prefix = known; continue; }
    put(prefix);
    prefix = pixels[i];
    if (next === 4096) { put(256); [table, width, next] = [new Map(), 9, 258]; continue; }
    if (next === 1 << width) width++;
    table.set(key, next++);
  }
  put(prefix);
  if (next === 1 << width && width < 12) width++;
  put(257);
  if (filled) bytes.push(buffer & 255);
  return bytes;
}

// frames are arrays of colours with 5, 6 and 5 bits; pixels that stay are not told again: they are transparent
function gif(frames, width, height, centiseconds) {
  const CLEAR = 255, { colours, index } = palette(frames, CLEAR), two = (x) => [x & 255, x >> 8];
  const table = new Uint8Array(768), parts = [];
  colours.forEach((rgb, k) => table.set(rgb, 3 * k));
  parts.push(new TextEncoder().encode("GIF89a"), [...two(width), ...two(height), 0xf7, 0, 0], table,
    [0x21, 0xff, 11], new TextEncoder().encode("NETSCAPE2.0"), [3, 1, 0, 0, 0]); // again and again
  frames.forEach((frame, k) => {
    const before = frames[k - 1], pixels = Uint8Array.from(frame, (c, i) =>
      (before && before[i] === c ? CLEAR : index[c]));
    const codes = compressed(pixels);
    parts.push([0x21, 0xf9, 4, before ? 5 : 4, ...two(centiseconds), CLEAR, 0],
      [0x2c, 0, 0, 0, 0, ...two(width), ...two(height), 0, 8]);
    for (let i = 0; i < codes.length; i += 255) {
      const block = codes.slice(i, i + 255);
      parts.push([block.length, ...block]);
    }
    parts.push([0]);
  });
  parts.push([0x3b]);
  return new Blob(parts.map((part) => Uint8Array.from(part)), { type: "image/gif" });
}
