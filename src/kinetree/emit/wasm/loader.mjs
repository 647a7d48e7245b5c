/**
 * The functions of a module in WebAssembly, by their names.
 *
 * A function takes an object of numbers and arrays by the names of its operands, and gives its results by name:
 *
 *     const robot = await load(bytes);
 *     const { tau } = robot.inverse_dynamics({ q: [0, 0], qd: [0, 0], qdd: [1, 0] });
 *
 * Arrays are row-major. The results are the memory of the module itself: the next call writes over them, and
 * tau.slice() keeps them. An operand that is not given keeps its numbers, whichever function has got them or left them
 * there under this name and shape. All begin as zeros, named parameters with their defaults.
 * f.operands and f.results are the arrays of a function by name, f.shapes their shapes.
 *
 * @param source bytes (ArrayBuffer or typed array), or text in base64.
 */
export async function load(source) {
  const bytes = typeof source === "string" ? Uint8Array.from(atob(source), (c) => c.charCodeAt(0)) : source;
  const { module, instance } = await WebAssembly.instantiate(bytes);
  const [section] = WebAssembly.Module.customSections(module, "kinetree");
  if (section === undefined) throw new TypeError("this module of WebAssembly was not written by Kinetree");
  const table = JSON.parse(new TextDecoder().decode(section)).functions;
  const functions = Object.create(null);
  for (const [name, { operands, results }] of Object.entries(table)) {
    functions[name] = callable(name, instance, operands, results);
  }
  return functions;
}

function callable(name, instance, operands, results) {
  const { memory, [name]: call } = instance.exports;
  const array = (shape, address) => new Float64Array(memory.buffer, address, shape.reduce((a, b) => a * b, 1));
  const arrays = (list) => Object.freeze(Object.fromEntries(list.map(([key, shape, at]) => [key, array(shape, at)])));
  const inputs = arrays(operands), outputs = arrays(results);
  const shapes = Object.fromEntries([...operands, ...results].map(([key, shape]) => [key, shape]));
  function run(given = {}) {
    for (const [key, value] of Object.entries(given)) {
      if (!Object.hasOwn(inputs, key)) {
        throw new TypeError(`${name} takes no ${key}, but ${Object.keys(inputs).join(", ")}`);
      }
      const numbers = typeof value === "number" ? [value] : value;
      if (numbers?.length !== inputs[key].length) {
        throw new RangeError(`${name}: ${key} is ${inputs[key].length} numbers, got ${numbers?.length ?? value}`);
      }
      inputs[key].set(numbers);
    }
    call();
    return outputs;
  }
  return Object.assign(run, { operands: inputs, results: outputs, shapes });
}
