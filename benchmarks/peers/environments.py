"""The peers, and an environment of its own for each of them under ``.peers``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / ".peers"


@dataclass(frozen=True)
class Peer:
    """A library: its name, what pip installs, and what a reader should know of how it is used here."""

    name: str
    packages: tuple[str, ...]
    note: str

    @property
    def key(self) -> str:
        return self.name.lower().replace(" ", "_")

    @property
    def worker(self) -> Path:
        return Path(__file__).parent / f"with_{self.key}.py"

    def python(self, seconds: float) -> Path:
        """The interpreter of its environment, which is made when it is not there; raises CalledProcessError."""
        folder = FOLDER / self.key
        python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        ready = folder / "ready"
        wanted = " ".join(self.packages)
        if not (ready.is_file() and ready.read_text(encoding="utf-8") == wanted):
            shutil.rmtree(folder, ignore_errors=True)
            venv.create(folder, with_pip=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary"]
            subprocess.run([*pip, *self.packages], check=True, capture_output=True, text=True, timeout=seconds)
            ready.write_text(wanted, encoding="utf-8")
        return python


@dataclass(frozen=True)
class Kinetree(Peer):
    """Kinetree itself, in the environment that runs this."""

    def python(self, seconds: float) -> Path:
        return Path(sys.executable)


KINETREE = Kinetree("Kinetree", (), "compiled for the robot at the first call; the natural call, without `out=`")
PEERS = (
    Peer("Pinocchio", ("pin",), "C++ from Python; analytic derivatives"),
    Peer("MuJoCo", ("mujoco",), "`mj_inverse`, `mj_forward`, constraints off; derivatives are finite differences"),
    Peer("MJX", ("mujoco-mjx",), "MuJoCo in JAX, on the processor, double precision; derivatives with `jacfwd`"),
    Peer("Drake", ("drake",), "`MultibodyPlant`; derivatives with `AutoDiffXd`"),
    Peer("adam", ("adam-robotics[casadi]",), "CasADi; inverse dynamics is $M\\ddot q + h$, forward dynamics a solve"),
    Peer("jaxsim", ("jaxsim",), "JAX on the processor, double precision; derivatives with `jacfwd`"),
    Peer("Robotics Toolbox", ("roboticstoolbox-python",), "a robot from URDF, which is Python code"),
)  # fmt: skip
