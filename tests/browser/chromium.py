"""Chromium without a driver: a page runs a script of a test, and what it found is read from the document.

Nothing is installed for it beyond the browser itself. WebGL runs in software where there is no graphics card.
"""

from __future__ import annotations

import html
import json
import os
import queue
import re
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "headless_shell")
BROWSER = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
)
needs_browser = [
    pytest.mark.browser,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(BROWSER is None and not os.environ.get("CI"), reason="there is no Chromium"),
]
# errors of the page are found, too; and a page that waits for the network waits for ever
BEFORE = """<script>
window.found = { errors: [], fetched: [] };
addEventListener("error", (e) => found.errors.push(String(e.message)));
addEventListener("unhandledrejection", (e) => found.errors.push(String(e.reason && e.reason.stack || e.reason)));
for (const kind of ["error", "warn"]) console[kind] = (...x) => found.errors.push(x.join(" "));
addEventListener("securitypolicyviolation", (e) => found.errors.push(`${e.violatedDirective} ${e.blockedURI}`));
</script>"""
AFTER = """<script>
(async () => {
  const tell = (result) => {
    found.fetched = performance.getEntriesByType("resource").map((x) => x.name);
    document.documentElement.dataset.found = JSON.stringify({ ...found, result });
  };
  try {
    await kinetree.ready;
    const [viewer] = kinetree.viewers;
    tell(await (async () => { SCRIPT })());
  } catch (error) { found.errors.push(error.stack); tell(null); }
})();
</script></body>"""


def small(page: str) -> str:
    """With pictures of few pixels, which software draws soon."""
    return page.replace(
        "</style>", ".kt-stage { max-height: 6rem; max-width: 10rem; min-height: 0 !important }</style>", 1
    )


def run(folder: Path, page: str, script: str = "return 1;", *, options: tuple[str, ...] = (), seconds: int = 90) -> Any:
    """What a script returns that runs in a page after it has started; fails where the page reports an error."""
    path = folder / "page.html"
    page = page.replace("<head>", f"<head>{BEFORE}", 1)
    path.write_text(page.replace("</body>", AFTER.replace("SCRIPT", script)), encoding="utf-8")
    budget = ("--window-size=800,500", "--virtual-time-budget=6000", "--dump-dom")
    command = [str(BROWSER), *OPTIONS, *budget, f"--user-data-dir={folder / 'profile'}", *options, path.as_uri()]
    for _ in range(2):  # a loaded machine may stop the browser while it starts
        try:
            out = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False).stdout
        except subprocess.TimeoutExpired:
            continue
        if told := re.search(r'data-found="([^"]*)"', out):
            found = json.loads(html.unescape(told[1]))
            assert found["errors"] == []
            assert found["fetched"] == []
            return found["result"]
    raise AssertionError(f"the page told nothing: {out[:300]}")


def timed(folder: Path, page: str, script: str, seconds: int = 90) -> Any:
    """What a script returns, in real time: `run` has a clock of its own, which stands still while a script works.

    The page comes from a server of the test, to which it tells what it found.
    """
    told: queue.Queue[dict[str, Any]] = queue.Queue()
    tell = "await fetch('/found', { method: 'POST', body: JSON.stringify({ ...found, result }) });"
    after = AFTER.replace("const tell = (result) => {", f"const tell = async (result) => {{ {tell}").replace(
        "SCRIPT", script
    )
    page = (
        page.replace("<head>", f"<head>{BEFORE}", 1)
        .replace("</body>", after)
        .replace("default-src 'none'", "default-src *")
    )

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode() if self.path == "/" else b"")

        def do_POST(self) -> None:
            told.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = [
            *OPTIONS,
            "--window-size=800,500",
            f"--user-data-dir={folder / 'profile'}",
            "--remote-debugging-port=0",
        ]
        browser = subprocess.Popen(
            [str(BROWSER), *options, f"http://127.0.0.1:{server.server_port}/"], stdout=-3, stderr=-3
        )
        try:
            found = told.get(timeout=seconds)
        finally:
            browser.terminate()
            browser.wait(20)
            server.shutdown()
    assert found["errors"] == []
    return found["result"]
