// A slider for each coordinate, within the joint's limits. Orientations have three angles: roll, pitch and yaw.

const PI = Math.PI;

function angles(x, y, z, w) { // roll, pitch and yaw: R = Rz(yaw) Ry(pitch) Rx(roll)
  const R = quaternion(x, y, z, w);
  return [Math.atan2(R[9], R[10]), Math.asin(clamp(-R[8], -1, 1)), Math.atan2(R[4], R[0])];
}

function fromAngles([roll, pitch, yaw]) {
  const [a, b, c] = [roll / 2, pitch / 2, yaw / 2].map((x) => [Math.cos(x), Math.sin(x)]);
  return [
    a[1] * b[0] * c[0] - a[0] * b[1] * c[1], a[0] * b[1] * c[0] + a[1] * b[0] * c[1],
    a[0] * b[0] * c[1] - a[1] * b[1] * c[0], a[0] * b[0] * c[0] + a[1] * b[1] * c[1],
  ];
}

function coordinates(tree) { // each with its name, unit, range, and how it is read from q and set in it
  const list = [];
  const plain = (joint, k, name, angular, v) => {
    const [low, high] = angular ? [-PI, PI] : [-0.6 * tree.size, 0.6 * tree.size];
    const [lower, upper] = [joint.lower ?? low, joint.upper ?? high];
    list.push({
      joint, name, v, unit: angular ? "rad" : "m", lower, upper, bounded: joint.lower !== null && joint.upper !== null,
      get: (q) => q[k], set: (q, x) => { q[k] = x; },
    });
  };
  const orientation = (joint, k, v) => ["roll", "pitch", "yaw"].forEach((word, i) => list.push({
    joint, name: `${joint.name} ${word}`, v: v + i, all: [v, v + 1, v + 2], unit: "rad", lower: i === 1
      ? -PI / 2 : -PI, upper: i === 1 ? PI / 2 : PI,
    get: (q) => angles(q[k], q[k + 1], q[k + 2], q[k + 3])[i],
    set: (q, x) => {
      const all = angles(q[k], q[k + 1], q[k + 2], q[k + 3]);
      all[i] = x;
      fromAngles(all).forEach((value, j) => { q[k + j] = value; });
    },
  }));
  for (const { joint } of tree.moving) {
    const { type, q, v, name } = joint;
    if (type === "free") {
      ["x", "y", "z"].forEach((word, i) => plain(joint, q + i, `${name} ${word}`, false, v + 3 + i));
      orientation(joint, q + 3, v);
    } else if (type === "spherical") orientation(joint, q, v);
    else if (type === "planar") ["x", "y", "angle"].forEach((word, i) => plain(joint, q + i, `${name} ${word}`,
      i === 2, v + i));
    else if (type === "cylindrical") ["angle", "slide"].forEach((word, i) => plain(joint, q + i, `${name} ${word}`,
      i === 0, v + i));
    else if (type === "universal") [1, 2].forEach((word, i) => plain(joint, q + i, `${name} ${word}`, true, v + i));
    else plain(joint, q, name, type !== "prismatic", v);
  }
  return list;
}

function sliders(viewer) { // the rows, and a function that brings them up to date
  const { tree } = viewer.scene, leads = new Set(viewer.live ? viewer.live.facts.independent : []);
  const free = new Set(viewer.live ? viewer.live.facts.base : []); // what nothing drives
  const list = coordinates(tree).sort((a, b) => leads.has(b.v) - leads.has(a.v)); // what leads comes first
  const box = element("div", { className: "kt-joints" });
  const rows = list.map((one) => {
    const input = element("input", { type: "range", min: one.lower, max: one.upper, step: "any",
      disabled: viewer.scene.hasLoops && !viewer.live, "aria-label": `${one.name} [${one.unit}]` });
    const value = element("output"), load = element("span", { className: "kt-load" }), bar = element("i");
    const name = element("span", { className: "kt-name", textContent: one.name, title: one.name });
    const row = element("div", { className: "kt-joint" }, name, value, input,
      element("div", { className: "kt-bar" }, bar), load);
    const index = tree.bodies.findIndex(({ joint }) => joint === one.joint);
    input.oninput = () => viewer.move(one, +input.value);
    row.onpointerenter = () => viewer.select(index);
    row.onpointerleave = () => viewer.select(null);
    box.append(row);
    return { one, input, value, load, bar, row, index };
  });
  const update = (q, loads, lit) => {
    for (const { one, input, value, load, bar, row, index } of rows) {
      const x = one.get(q), share = loads ? clamp(loads.share[one.v], 0, 1) : 0;
      if (document.activeElement !== input || Math.abs(+input.value - x) > 1e-6) input.value = x;
      write(value, `${number(x)} ${one.unit}`);
      write(load, loads && !free.has(one.v) ? `${number(loads.tau[one.v])} ${one.unit === "m" ? "N" : "N m"}` : "");
      bar.style.width = `${100 * share}%`;
      bar.style.background = css(heat(share));
      row.classList.toggle("kt-active", lit.has(index));
      row.classList.toggle("kt-selected", viewer.scene.selected === index);
    }
    box.classList.toggle("kt-loaded", Boolean(loads));
  };
  return { box, update, list };
}
