"""How the tests run modules of WebAssembly: in wasmtime, in Node.js through the loader, and in Chromium."""

from __future__ import annotations

import base64
import html
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetree.export import live, wasm

Array = np.ndarray
Call = tuple[str, Mapping[str, Any]]  # the name of a function, and its operands
SECONDS = 120


def in_wasmtime(content: bytes, calls: Sequence[Call]) -> list[dict[str, Array]]:
    """The results of calls one after the other."""
    wasmtime = pytest.importorskip("wasmtime")
    store, table = wasmtime.Store(), wasm.listing(content)
    exports = wasmtime.Instance(store, wasmtime.Module(store.engine, content), []).exports(store)
    memory, found = exports["memory"], []
    for name, given in calls:
        for key, shape, address in table[name]["operands"]:
            if key in given:
                numbers = np.asarray(given[key], float)
                assert numbers.shape == tuple(shape)
                memory.write(store, numbers.tobytes(), address)
        exports[name](store)
        results = {}
        for key, shape, address in table[name]["results"]:
            numbers = memory.read(store, address, address + 8 * int(np.prod(shape)))
            results[key] = np.frombuffer(numbers, float).reshape(shape)
        found.append(results)
    return found


def in_node(content: bytes, calls: Sequence[Call]) -> list[dict[str, Array]]:
    """The same through the loader."""
    listed = [[name, {key: np.ravel(x).tolist() for key, x in given.items()}] for name, given in calls]
    script = f"""
    const robot = await load({json.dumps(base64.b64encode(content).decode())});
    answer({json.dumps(listed)}.map(([name, given]) => {{
      const found = robot[name](given);
      return Object.fromEntries(Object.entries(found).map(([key, x]) => [key, [...x]]));
    }}));
    """
    table = wasm.listing(content)
    shapes = {name: {key: shape for key, shape, _ in table[name]["results"]} for name, _ in calls}
    return [
        {key: np.array(x).reshape(shapes[name][key]) for key, x in found.items()}
        for (name, _), found in zip(calls, node(script))
    ]


ENGINES = {"wasmtime": in_wasmtime, "node": in_node}


def scripts() -> str:
    """What pages paste: the loader, and what moves a robot with it."""
    return wasm.loader() + live.script()


def node(script: str) -> Any:
    """What a script gives to ``answer``."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed (apt-get install nodejs)")
    text = f"{scripts()}\nconst answer = (x) => console.log(JSON.stringify(x));\n{script}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "script.mjs"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(["node", str(file)], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def chromium(script: str) -> Any:
    """The same in a page, from a file, without a network."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed (apt-get install chromium)")
    page = f"""<!doctype html><meta charset="utf-8"><body><script type="module">
    const answer = (x) => {{ document.documentElement.dataset.answer = JSON.stringify(x); }};
    // virtual time does not wait for another thread that compiles
    WebAssembly.instantiate = async (bytes) => {{
      const module = new WebAssembly.Module(bytes);
      return {{ module, instance: new WebAssembly.Instance(module) }};
    }};
    window.onerror = window.onunhandledrejection = (e) => answer({{ error: String(e.reason ?? e) }});
    {scripts()}
    {script}
    </script>"""
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        command = [browser, *flags, f"--user-data-dir={folder}/profile", file.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    found = re.search(r'data-answer="([^"]*)"', done.stdout)
    assert found is not None, (done.stdout[-500:], done.stderr[-2000:])
    answer = json.loads(html.unescape(found[1]))
    assert not (isinstance(answer, dict) and "error" in answer), answer
    return answer
