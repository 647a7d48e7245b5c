"""Code generation: the model of an arm in seven languages, as object code, as a package of ROS 2 and as an FMU.

The files don't depend on Kinetree. The payload is a named parameter, and so an argument of the functions. Each language
has a self-test; here the one of Python runs, and that of C where a compiler is installed. The
files go to report/exported.

Takes about 2 s.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import kinetree as kt

print("Takes about 2 s.", flush=True)

arm = kt.robots.rx90().attach(kt.Inertia(kt.parameter("payload", 2.0), (0, 0, 0.1)), "link6")

folder = Path("report/exported").absolute()
print("the inverse dynamics of", arm.name, "with a payload:")
for target in kt.export.TARGETS:
    paths = kt.export.write(arm, "inverse_dynamics", target, folder, overwrite=True)
    code = [path for path in paths if "_test" not in path.name]
    size = sum(path.stat().st_size for path in code)
    print(f"  {target:7} {size / 1e3:5.1f} kB  {', '.join(path.name for path in code)}")

# Python that needs NumPy alone, on a batch of states
sys.path.insert(0, str(folder))
from rx90_inverse_dynamics import rx90_inverse_dynamics  # type: ignore[import-not-found]  # noqa: E402

q, qd, qdd = np.random.default_rng(0).normal(size=(3, 1000, 6))
ours = arm.inverse_dynamics(q, qd, qdd, payload=3.5)
theirs = rx90_inverse_dynamics(q, qd, qdd, 3.5)
error = np.abs(ours - theirs).max() / np.abs(ours).max()
print(f"the exported Python and the compiled function differ by {error:.0e}, relative")
assert error < 1e-14

# the self-tests: states, and the expected results
test = subprocess.run([sys.executable, "rx90_inverse_dynamics_test.py"], cwd=folder, capture_output=True, text=True)
print("self-test in Python:", test.stdout.strip())
if shutil.which("gcc"):
    sources = ["rx90_inverse_dynamics.c", "rx90_inverse_dynamics_test.c"]
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2"]
    subprocess.run(["gcc", *flags, *sources, "-lm", "-o", "self_test"], cwd=folder, check=True)
    test = subprocess.run([folder / "self_test"], cwd=folder, capture_output=True, text=True)
    print("self-test in C:     ", test.stdout.strip())

# for a microcontroller: float32, one function for the weight
small = kt.export.code(arm, "gravity_forces", "c", dtype="float32", name="weight")
print("for a microcontroller:", next(line for line in small.header.splitlines() if line.startswith("void")))

# the same as object code, which needs neither a compiler nor a mathematical library
heavy = kt.export.object_file(arm, "gravity_forces", "thumbv7em-none-eabihf", dtype="float32", name="weight")
heavy.write(folder, overwrite=True)
print("for a Cortex-M7:", next(line for line in heavy.header.splitlines() if "Stack" in line).strip(" *"))

# the whole robot: for ROS 2, with nodes for gravity compensation and computed torque; and for Simulink and its like
package = kt.export.ros2(arm, values={"payload": 3.5})
package.write(folder, overwrite=True)
print(f"for ROS 2: {package.name}, {len(package.files)} files")
unit = kt.fmi.write(arm, folder / "rx90.fmu", compiler=None)
print(f"for Simulink: {unit.name}, {unit.stat().st_size / 1e3:.0f} kB of sources")
print(folder)
