"""Problems from elsewhere, for what Hock and Schittkowski leave out; problems without a solution."""

from __future__ import annotations

from hock_schittkowski import banana
from published import Published, inf
from taylor import exp

NOCEDAL = "Nocedal, Wright: Numerical Optimization (2006)"
BY_HAND = "by hand"

PROBLEMS = [
    Published("rosenbrock", banana, 0.0, (-1.2, 1), source="Rosenbrock (1960)"),
    Published("fixed", banana, 0.25, (3, 1), lower=(0.5, -inf), upper=(0.5, inf), source=BY_HAND),
    Published(
        "fixed_between", lambda x, y, z, w: x * w * (x + y + z) + z, 17.0140173, (1, 5, 5, 1),
        lower=(1, 1, 1, 1.3794082932), upper=(5, 5, 5, 1.3794082932),
        ge=lambda x, y, z, w: [x * y * z * w - 25], eq=lambda x, y, z, w: [x**2 + y**2 + z**2 + w**2 - 40],
        source="HS71 with the last variable of its solution",
    ),
    Published(
        "maratos", lambda x, y: 2 * (x**2 + y**2 - 1) - x, -1.0, (0.6, 0.8), eq=lambda x, y: [x**2 + y**2 - 1],
        source=f"{NOCEDAL}, example 15.4",
    ),
    Published(
        "wyndor", lambda x, y: -3 * x - 5 * y, -36.0, (1, 1), lower=0,
        ge=lambda x, y: [4 - x, 12 - 2 * y, 18 - 3 * x - 2 * y], source="Hillier, Lieberman: linear programming",
    ),
    Published(
        "many_solutions", lambda x, y: -x - y, -1.0, (0.1, 0.1), lower=0, ge=lambda x, y: [1 - x - y], source=BY_HAND
    ),
    Published(
        "twice_the_same", lambda x, y: x**2 + y**2, 0.5, (3, -1), eq=lambda x, y: [x + y - 1, 2 * x + 2 * y - 2],
        source=BY_HAND,
    ),
    Published(
        "two_sided", lambda x, y: (x - 3) ** 2 + (y - 2) ** 2, 4.0, (0, 0), lower=-1, upper=(1, 2), source=BY_HAND
    ),
    Published(
        "domain", lambda x, y: x - 3 * (x - 0.25) ** 0.5 + exp(y) - y, 2.25 + 0.25 - 4.5 + 1, (9, 1),
        source=f"{BY_HAND}; not finite below x = 1/4",
    ),
]  # fmt: skip

# no point satisfies all constraints
INFEASIBLE = [
    Published("disjoint", lambda x, y: x, None, (1, 1), ge=lambda x, y: [1 - x**2 - y**2, 1 - (x - 3) ** 2 - y**2]),
    Published("no_root", lambda x: x, None, (0.3,), eq=lambda x: [x**2 + 1]),
    Published("linear", lambda x, y: x + y, None, (0, 0), lower=0, upper=1, ge=lambda x, y: [x + y - 3]),
    Published(
        "contradiction", lambda x, y: x**2 + y**2, None, (2, 0), eq=lambda x, y: [x + y - 1, x + y - 2]
    ),
]  # fmt: skip

# the objective falls without end
UNBOUNDED = [
    Published("ray", lambda x, y: -x, None, (1, 1), lower=0, ge=lambda x, y: [x - y]),
    Published("line", lambda x, y: x + y, None, (0, 0), eq=lambda x, y: [x - y]),
    Published("cubic", lambda x: x**3, None, (-1,)),
]
