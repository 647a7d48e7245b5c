// What the graphics card runs: surfaces under a sun and a sky, their shadows, and the ground.

const SHADERS = {};

// light comes from the sun, from the sky above and from the ground below; `light` is where a place lies in the sun's view
const LIGHT = `
precision highp float;
precision highp sampler2DShadow;
uniform sampler2DShadow u_shadows;
uniform float u_taps;
float sunlight(vec3 light) {
  if (max(abs(light.x - 0.5), abs(light.y - 0.5)) > 0.49 || light.z > 1.0) return 1.0;
  if (u_taps < 2.0) return texture(u_shadows, light);
  float sum = 0.0, texel = 1.4 / float(textureSize(u_shadows, 0).x);
  for (int i = 0; i < 9; i++) sum += texture(u_shadows, light + vec3(float(i % 3 - 1) * texel, float(i / 3 - 1) * texel, 0.0));
  return sum / 9.0;
}
`;

SHADERS.surface = [`#version 300 es
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
uniform mat4 u_model, u_camera, u_sunview;
out vec3 v_normal, v_place, v_light;
void main() {
  vec4 place = u_model * vec4(point, 1.0);
  mat3 turn = mat3(u_model);
  v_normal = turn * (normal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2])));
  v_place = place.xyz;
  v_light = (u_sunview * place).xyz * 0.5 + 0.5;
  gl_Position = u_camera * place;
}`, `#version 300 es
${LIGHT}
in vec3 v_normal, v_place, v_light;
uniform vec4 u_colour;
uniform vec3 u_eye, u_sun, u_sky, u_earth;
uniform float u_glow, u_shine;
out vec4 colour;
void main() {
  vec3 n = normalize(v_normal), to = normalize(u_eye - v_place);
  if (dot(n, to) < 0.0) n = -n;
  float facing = dot(n, u_sun), sun = max(facing, 0.0) * sunlight(v_light - vec3(0.0, 0.0, 0.0015));
  vec3 base = pow(u_colour.rgb, vec3(2.2));
  vec3 around = mix(u_earth, u_sky, 0.5 + 0.5 * n.z);
  float gleam = pow(max(dot(n, normalize(u_sun + to)), 0.0), 48.0) * sun;
  float rim = pow(1.0 - max(dot(n, to), 0.0), 4.0);
  vec3 light = base * (around + 0.78 * sun) + u_shine * (0.35 * gleam + 0.12 * rim * u_sky);
  light = mix(light, base * 1.25, u_glow);
  colour = vec4(pow(light, vec3(1.0 / 2.2)) * u_colour.a, u_colour.a);
}`];

SHADERS.depth = [`#version 300 es
layout(location = 0) in vec3 point;
uniform mat4 u_model, u_camera;
void main() { gl_Position = u_camera * (u_model * vec4(point, 1.0)); }`, `#version 300 es
precision highp float;
uniform vec4 u_colour;
out vec4 colour;
void main() { colour = u_colour; }`];

// a plane of lines at every metre (or another round length), which fades away; where the sun does not reach it is dark
SHADERS.ground = [`#version 300 es
layout(location = 0) in vec3 point;
uniform mat4 u_model, u_camera, u_sunview;
out vec3 v_place, v_light;
void main() {
  vec4 place = u_model * vec4(point, 1.0);
  v_place = place.xyz;
  v_light = (u_sunview * place).xyz * 0.5 + 0.5;
  gl_Position = u_camera * place;
}`, `#version 300 es
${LIGHT}
in vec3 v_place, v_light;
uniform vec4 u_colour;
uniform vec3 u_middle;
uniform vec2 u_gone;
uniform float u_step, u_reach, u_dark;
out vec4 colour;
float lines(vec2 at, float width) {
  vec2 wide = max(fwidth(at), 1e-6), near = abs(fract(at - 0.5) - 0.5) / wide;
  vec2 faded = clamp(1.0 - 2.0 * wide, 0.0, 1.0) * clamp(width + 0.5 - near, 0.0, 1.0);
  return max(faded.x, faded.y);
}
void main() {
  float away = length(v_place.xy - u_middle.xy) / u_reach, fade = exp(-3.0 * away * away);
  vec2 at = v_place.xy + u_gone;
  float grid = max(0.5 * lines(at / u_step, 0.5), lines(at / (5.0 * u_step), 0.7));
  float shade = (1.0 - sunlight(v_light)) * u_dark * fade;
  float line = grid * u_colour.a * fade;
  float alpha = shade + line * (1.0 - shade);
  colour = vec4(u_colour.rgb * line * (1.0 - shade), alpha);
}`];

// a ribbon of constant width in pixels: each point is there twice, on either side of the line
SHADERS.ribbon = [`#version 300 es
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 next;
layout(location = 2) in vec2 side;
uniform mat4 u_camera;
uniform vec2 u_size;
uniform float u_width;
out float v_age;
void main() {
  vec4 here = u_camera * vec4(point, 1.0), there = u_camera * vec4(next, 1.0);
  vec2 line = (there.xy / there.w - here.xy / here.w) * u_size;
  vec2 out_ = vec2(-line.y, line.x) / max(length(line), 1e-6);
  v_age = side.y;
  gl_Position = here + vec4(out_ * side.x * u_width / u_size * here.w, 0.0, 0.0);
}`, `#version 300 es
precision highp float;
in float v_age;
uniform vec4 u_colour;
out vec4 colour;
void main() { float a = u_colour.a * v_age; colour = vec4(u_colour.rgb * a, a); }`];
