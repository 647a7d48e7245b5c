// Arrays that came as text: one block of bytes, gzipped and in base64, and where in it each array lies.

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  if (!bytes.length) return new ArrayBuffer(0);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const TYPES = { f4: Float32Array, f8: Float64Array, i2: Int16Array, u2: Uint16Array, u4: Uint32Array, u1: Uint8Array };

function reader(block) { // from {type, start, count} to the array
  return ({ type, start, count }) => new TYPES[type](block, start, count);
}
