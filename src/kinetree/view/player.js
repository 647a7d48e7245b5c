// The players of the animations, and the lines in the plots that follow them.
"use strict";
(() => {
  const { Scene, Camera, palette, paint, clamp } = kinetree;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const players = [], followers = [];

  // -- the player: time, buttons, mouse and keys ---------------------------------------------------------------------

  function player(figure) {
    const find = (selector) => figure.querySelector(selector);
    const scene = new Scene(JSON.parse(find("script").textContent)), camera = new Camera(scene);
    const canvas = find("canvas"), g = canvas.getContext("2d");
    const [button, slider, clock, speed] = [".play", ".time", ".clock", ".speed"].map(find);
    const [start, end] = [scene.t[0], scene.t.at(-1)];
    let time = start, playing = false, rate = 1, before = 0, colours = palette();
    [slider.min, slider.max] = [start, end];

    function draw() {
      paint(g, canvas.clientWidth, canvas.clientHeight, scene, camera, time, colours);
      slider.value = time;
      clock.textContent = time.toFixed(2) + " s";
      followers.forEach((follower) => follower(time));
    }
    function resize() {
      const dense = window.devicePixelRatio || 1;
      const pixels = (length) => Math.max(1, Math.round(length * dense));
      [canvas.width, canvas.height] = [pixels(canvas.clientWidth), pixels(canvas.clientHeight)];
      g.setTransform(dense, 0, 0, dense, 0, 0);
      draw();
    }
    function tick(now) {
      if (!playing) return;
      time += rate * Math.min((now - before) / 1000, 0.1);
      if (time > end) time = start;
      before = now;
      draw();
      requestAnimationFrame(tick);
    }
    function play(on) {
      if (on && !playing) { before = performance.now(); requestAnimationFrame(tick); }
      playing = on;
      button.textContent = on ? "❚❚" : "▶";
      button.setAttribute("aria-label", on ? "Pause" : "Play");
    }
    function seek(to) { play(false); time = clamp(to, start, end); draw(); }

    button.onclick = () => play(!playing);
    slider.oninput = () => seek(+slider.value);
    speed.onclick = () => { rate = { 1: 0.5, 0.5: 0.25, 0.25: 2, 2: 1 }[rate]; speed.textContent = rate + "×"; };
    canvas.onpointerdown = (e) => canvas.setPointerCapture(e.pointerId);
    canvas.onpointermove = (e) => {
      if (e.buttons) { camera.turn(-0.008 * e.movementX, 0.006 * e.movementY); draw(); }
    };
    canvas.ondblclick = () => { camera.home(); draw(); };
    canvas.addEventListener("wheel", (e) => { // a plain wheel scrolls the page
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault(); camera.zoom = clamp(camera.zoom * Math.exp(-0.004 * e.deltaY), 0.4, 4); draw();
    }, { passive: false });
    canvas.onkeydown = (e) => {
      const turn = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] }[e.key];
      if (turn) camera.turn(...turn);
      else if (e.key === "+" || e.key === "-") camera.zoom = clamp(camera.zoom * (e.key === "+" ? 1.1 : 0.9), 0.4, 4);
      else if (e.key === " ") play(!playing);
      else return;
      e.preventDefault(); draw();
    };
    dark.addEventListener("change", () => { colours = palette(); draw(); });
    new ResizeObserver(resize).observe(canvas);
    resize();
    play(!still.matches);
    return { seek };
  }

  // -- plots that follow ---------------------------------------------------------------------------------------------

  function follower(figure) {
    const svg = figure.querySelector("svg"), line = document.createElementNS(svg.namespaceURI, "line");
    const [left, right, low, high] = ["left", "right", "low", "high"].map((name) => +svg.dataset[name]);
    line.setAttribute("class", "cursor");
    line.setAttribute("y1", svg.dataset.top);
    line.setAttribute("y2", svg.dataset.bottom);
    svg.append(line);
    svg.onpointerdown = svg.onpointermove = (e) => {
      if (!e.buttons) return;
      const box = svg.getBoundingClientRect(), x = (e.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
      players.forEach((one) => one.seek(low + (x - left) / (right - left) * (high - low)));
    };
    return (time) => {
      const x = left + clamp((time - low) / (high - low), 0, 1) * (right - left);
      line.setAttribute("x1", x); line.setAttribute("x2", x);
    };
  }

  const animations = document.querySelectorAll("[data-kinetree-animation]");
  if (animations.length) followers.push(...[...document.querySelectorAll("[data-follow]")].map(follower));
  players.push(...[...animations].map(player));
})();
