// The renderer: items with a surface, a matrix and a colour, drawn by WebGL 2 with shadows of one sun.

const SUN = unit([0.42, -0.58, 1.0]);
const SHADOW_SIZE = 1536; // pixels

class Renderer {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("this browser has no WebGL 2");
    Object.assign(this, { canvas, gl, taps: 9, programs: {}, floor: 0, centre: [0, 0, 0], radius: 1 });
    for (const [name, texts] of Object.entries(SHADERS)) this.programs[name] = this.program(...texts);
    this.shadows = this.shadowMap(SHADOW_SIZE);
    this.picker = this.pickTarget();
    this.plane = this.mesh({ points: [-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0], normals: new Array(12).fill(0),
      indices: [0, 1, 2, 2, 1, 3] });
    this.ribbonBuffer = gl.createBuffer();
    this.ribbonArray = gl.createVertexArray();
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }
  program(vertex, fragment) {
    const { gl } = this, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(gl.getProgramInfoLog(program) + gl.getAttachedShaders(program).map((s) =>
        gl.getShaderInfoLog(s)));
    }
    const uniforms = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
      const { name } = gl.getActiveUniform(program, k);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }
  mesh({ points, normals, indices }) {
    const { gl } = this, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [points, normals].forEach((values, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(indices), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, count: indices.length };
  }
  shadowMap(size) {
    const { gl } = this, texture = gl.createTexture(), target = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    const settings = {
      TEXTURE_COMPARE_MODE: gl.COMPARE_REF_TO_TEXTURE, TEXTURE_COMPARE_FUNC: gl.LEQUAL, TEXTURE_MIN_FILTER: gl.LINEAR,
      TEXTURE_MAG_FILTER: gl.LINEAR, TEXTURE_WRAP_S: gl.CLAMP_TO_EDGE, TEXTURE_WRAP_T: gl.CLAMP_TO_EDGE,
    };
    for (const [name, value] of Object.entries(settings)) gl.texParameteri(gl.TEXTURE_2D, gl[name], value);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, target, size };
  }
  pickTarget() { // one pixel, in which a colour is the number of an item
    const { gl } = this, target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    for (const [format, place] of [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]]) {
      const store = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, store);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, store);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return target;
  }
  use(name, values) {
    const { gl } = this, { program, uniforms } = this.programs[name];
    gl.useProgram(program);
    for (const [key, value] of Object.entries(values)) this.set(uniforms, key, value);
    return uniforms;
  }
  set(uniforms, key, value) {
    const { gl } = this, where = uniforms[`u_${key}`];
    if (where === undefined) return;
    if (typeof value === "number") key === "shadows" ? gl.uniform1i(where, value) : gl.uniform1f(where, value);
    else if (value.length === 16) gl.uniformMatrix4fv(where, false, value);
    else [null, null, gl.uniform2fv, gl.uniform3fv, gl.uniform4fv][value.length].call(gl, where, value);
  }
  each(items, uniforms, coloured) {
    const { gl } = this;
    for (const item of items) {
      gl.uniformMatrix4fv(uniforms.u_model, false, item.matrix);
      if (coloured) coloured(item);
      gl.bindVertexArray(item.mesh.array);
      gl.drawElements(gl.TRIANGLES, item.mesh.count, gl.UNSIGNED_INT, 0);
    }
  }
  get middle() { return add(this.centre, this.walked ?? [0, 0, 0]); } // of what is lit, and of the floor
  sunView() {
    const far = 2.2 * this.radius, [x, y, z] = this.middle, centre = [x, y, Math.max(z, this.floor)];
    return product(orthographic(1.55 * this.radius, 0, 2 * far), lookAt(add(centre, times(SUN, far)), centre));
  }
  draw(camera, items, colours, ribbons = []) {
    const { gl } = this, [width, height] = [this.canvas.width, this.canvas.height];
    const over = items.filter((item) => item.over), solid = items.filter((item) => !item.over && item.colour[3] >= 1),
      clear = items.filter((item) => !item.over && item.colour[3] < 1);
    const sunview = this.sunView();
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    // the sun's view: how far its light reaches
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadows.target);
    gl.viewport(0, 0, this.shadows.size, this.shadows.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 4);
    if (this.taps) this.each(solid.filter((item) => !item.bare), this.use("depth", { camera: sunview, colour: [0, 0, 0, 0] }));
    gl.disable(gl.POLYGON_OFFSET_FILL);
    // ours
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, this.shadows.texture);
    const shared = { camera: camera.matrix, sunview, shadows: 0, taps: this.taps };
    const lit = { ...shared, eye: camera.eye, sun: SUN, sky: colours.sky, earth: colours.earth };
    this.surfaces(solid, lit);
    gl.enable(gl.BLEND);
    this.ground(camera, shared, colours);
    if (clear.length) { // what shines through hides its own back
      gl.colorMask(false, false, false, false);
      gl.enable(gl.POLYGON_OFFSET_FILL); // and yields where it is at the same place as what is solid
      gl.polygonOffset(1, 2);
      this.each(clear, this.use("depth", { camera: camera.matrix, colour: [0, 0, 0, 0] }));
      gl.colorMask(true, true, true, true);
      gl.depthFunc(gl.LEQUAL);
      this.surfaces(clear, lit);
      gl.depthFunc(gl.LESS);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }
    ribbons.forEach((ribbon) => this.ribbon(ribbon, camera, width, height));
    if (over.length) { // forces are seen through bodies
      gl.clear(gl.DEPTH_BUFFER_BIT);
      this.surfaces(over, lit);
    }
    gl.bindVertexArray(null);
  }
  surfaces(items, values) {
    const uniforms = this.use("surface", values), { gl } = this;
    this.each(items, uniforms, (item) => {
      gl.uniform4fv(uniforms.u_colour, item.colour);
      gl.uniform1f(uniforms.u_glow, item.glow || 0);
      gl.uniform1f(uniforms.u_shine, item.shine ?? 1);
    });
  }
  ground(camera, shared, colours) {
    const { gl } = this, reach = 3.2 * this.radius, middle = [this.middle[0], this.middle[1], this.floor];
    const X = translation(middle), size = 2.2 * reach;
    const values = { colour: colours.grid, middle, step: this.step, reach, dark: colours.dark,
      gone: this.gone ?? [0, 0] };
    gl.depthMask(false);
    this.each([{ mesh: this.plane, matrix: matrixOf(X, [size, size, 1]) }],
      this.use("ground", { ...shared, ...values }));
    gl.depthMask(true);
  }
  ribbon({ points, colour, width }, camera, across, high) { // the newest point first
    const { gl } = this, count = points.length, values = new Float32Array(16 * count);
    if (count < 2) return;
    points.forEach((p, k) => {
      const next = k + 1 < count ? points[k + 1] : add(p, sub(p, points[k - 1])), age = 1 - k / (count - 1);
      [1, -1].forEach((side, i) => values.set([...p, ...next, side, age], 16 * k + 8 * i));
    });
    gl.bindVertexArray(this.ribbonArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ribbonBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STREAM_DRAW);
    [[0, 3, 0], [1, 3, 12], [2, 2, 24]].forEach(([k, size, start]) => {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, gl.FLOAT, false, 32, start);
    });
    this.use("ribbon", { camera: camera.matrix, size: [across, high], width, colour });
    gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 2 * count);
    gl.depthMask(true);
  }
  pick(camera, items, x, y) { // the item at a pixel, counted from the lower left; undefined where there is none
    const { gl } = this, found = new Uint8Array(4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.picker);
    gl.viewport(-x, -y, this.canvas.width, this.canvas.height);
    gl.disable(gl.BLEND);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const uniforms = this.use("depth", { camera: camera.matrix });
    let number = 0;
    this.each(items, uniforms, () => {
      number += 1;
      gl.uniform4f(uniforms.u_colour, (number & 255) / 255, (number >> 8) / 255, 0, 1);
    });
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, found);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return items[found[0] + 256 * found[1] - 1];
  }
}
