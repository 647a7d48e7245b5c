// Elements of the page. Names from models are set as text, never as markup.

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list") made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const write = (node, text) => { if (node.textContent !== text) node.textContent = text; }; // layout is dear

const button = (text, title, onclick) => element("button", { type: "button", textContent: text, title, onclick });

function toggle(text, title, state, key, changed) {
  const box = element("input", { type: "checkbox", checked: state[key] });
  box.onchange = () => { state[key] = box.checked; changed(); };
  return element("label", { className: "kt-toggle", title }, box, element("span", { textContent: text }));
}

function section(title, open, ...children) {
  return element("details", { className: "kt-section", open }, element("summary", { textContent: title }), ...children);
}

function number(x, digits = 3) { // short: three digits that matter
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size < 1e-9) return "0";
  if (size >= 1e5 || (size > 0 && size < 1e-3)) return x.toExponential(1).replace("-", "−");
  return (size < 5e-4 ? 0 : x).toFixed(size >= 100 ? 0 : size >= 10 ? 1 : digits - 1).replace("-", "−");
}

function save(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const hex = (text) => { // from "#rrggbb" to numbers from 0 to 1
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim());
  return found ? [...found.slice(1).map((x) => parseInt(x, 16) / 255), 1] : [0.5, 0.5, 0.5, 1];
};
