"""``python -m benchmarks.peers [PEER ...]``: install, measure, compare, write the page; without names, all.

Results are kept in ``.peers/results``, one file for each peer and robot, and the page is written anew after each, so
that a run can be interrupted and taken up again with the peers that are missing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import models
from benchmarks.page import filled
from benchmarks.peers.environments import FOLDER, KINETREE, PEERS, REPOSITORY, Peer
from benchmarks.peers.page import sections
from kinetree import files

PAGE = REPOSITORY / "docs" / "comparison.md"
BATCH = 4096
# one thread for all that would start more
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ALONE["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
ROBOTS: dict[str, Callable[[], kt.Robot]] = {
    "UR5": kt.robots.ur5, "Panda": kt.robots.panda,
    "iiwa14": kt.robots.iiwa14, "HyQ": kt.robots.hyq, "Atlas": kt.robots.atlas,
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    known = {peer.key: peer for peer in (KINETREE, *PEERS)}
    parser.add_argument("peers", nargs="*", metavar="PEER", help=", ".join(known))
    parser.add_argument("--robots", nargs="+", choices=ROBOTS, default=[*ROBOTS], metavar="ROBOT")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for a peer and a robot")
    parser.add_argument("--page", action="store_true", help="write the page from the results that are kept")
    given = parser.parse_args(arguments)
    for key in given.peers:
        if key not in known:
            parser.error(f"there is no peer {key!r}; choose from {', '.join(known)}")
    chosen = [known[key] for key in given.peers] or [*known.values()]
    try:
        for robot in [] if given.page else given.robots:
            first = [] if KINETREE in chosen or place(robot, KINETREE).is_file() else [KINETREE]
            for peer in (*first, *chosen):
                print(f"{robot}, {peer.name} ... ", end="", flush=True)
                with tempfile.TemporaryDirectory() as folder:
                    found = measure(peer, prepare(bare(robot), Path(folder)), given.limit)
                files.write(place(robot, peer), json.dumps(found).encode())
                print(found.get("error") or f"{len(found['functions'])} functions", flush=True)
                write_page()
    except KeyboardInterrupt:
        print("\ninterrupted; what was measured is kept")
    write_page()
    print(PAGE)
    return 0


@cache
def bare(robot: str) -> kt.Robot:
    return models.bare(ROBOTS[robot]())


def place(robot: str, peer: Peer) -> Path:
    """Where a result is kept; that of a robot with other numbers is another file."""
    digest = hashlib.sha256(bare(robot).to_urdf().encode()).hexdigest()[:8]
    return FOLDER / "results" / f"{robot}-{digest}-{peer.key}.json"


def prepare(robot: kt.Robot, folder: Path) -> tuple[Path, Path]:
    """A URDF file of the robot's bodies and joints, and a file of random states, for the workers."""
    urdf, states = folder / "robot.urdf", folder / "states.npz"
    urdf.write_text(robot.to_urdf(), encoding="utf-8")
    q, qd, qdd, tau = np.random.default_rng(0).standard_normal((4, BATCH, robot.nv))
    np.savez(states, names=np.array(robot.joint_names), q=q, qd=qd, qdd=qdd, tau=tau)
    return urdf, states


def measure(peer: Peer, task: tuple[Path, Path], limit: float) -> dict[str, Any]:
    """What the peer's worker finds, or why it finds nothing."""
    urdf, states = task
    result = urdf.with_name("result.json")
    result.unlink(missing_ok=True)
    try:
        python = peer.python(limit)
    except subprocess.CalledProcessError as error:
        return {"error": f"is not installed: {_last_line(error.stderr)}"}
    except subprocess.TimeoutExpired:
        return {"error": f"is not installed: pip took more than {limit:g} s"}
    environment = {**os.environ, **ALONE, "PYTHONPATH": str(REPOSITORY / "src") if peer is KINETREE else ""}
    command = [str(python), str(peer.worker), str(urdf), str(states), str(result)]
    with tempfile.TemporaryDirectory() as cache:  # Kinetree compiles as others do
        try:
            subprocess.run(
                command, env={**environment, "KINETREE_CACHE_DIR": cache}, check=True, capture_output=True, text=True,
                timeout=limit,
            )  # fmt: skip
            error = None
        except subprocess.CalledProcessError as failed:
            error = _last_line(failed.stderr)
        except subprocess.TimeoutExpired:
            error = f"took more than {limit:g} s"
    found = json.loads(result.read_text(encoding="utf-8")) if result.is_file() else {}
    return {**found, "error": error} if error else found


def write_page() -> None:
    """Put what is kept into the page."""
    found: dict[str, dict[str, Any]] = {}
    for robot in ROBOTS:
        places = {peer.key: place(robot, peer) for peer in (KINETREE, *PEERS)}
        found[robot] = {
            key: json.loads(file.read_text(encoding="utf-8")) for key, file in places.items() if file.is_file()
        }
    text = PAGE.read_text(encoding="utf-8")
    for name, parts in sections({robot: of for robot, of in found.items() if of}).items():
        text = filled(text, name, parts)
    files.write(PAGE, text.encode())


def _last_line(text: str | None) -> str:
    """The line of a message that says what is wrong: pip's last error, or the end of a traceback."""
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return ([x for x in lines if x.startswith("ERROR")] or lines or ["no message"])[-1][:200]


if __name__ == "__main__":
    raise SystemExit(main())
