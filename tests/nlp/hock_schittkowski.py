"""Problems of Hock and Schittkowski, with their numbers, starts and optima."""

from __future__ import annotations

from math import log as ln, pi, sqrt as root
from typing import Any

from published import Published, inf
from taylor import cos, exp, log, sin, sqrt

R2, R3 = root(2.0), root(3.0)


def banana(x: Any, y: Any) -> Any:
    return 100 * (y - x**2) ** 2 + (1 - x) ** 2


def fifth(a: Any, b: Any, c: Any, d: Any, e: Any) -> list[Any]:
    """The equalities of problems 78, 80 and 81."""
    return [a**2 + b**2 + c**2 + d**2 + e**2 - 10, b * c - 5 * d * e, a**3 + b**3 + 1]


def _colville(x: Any, y: Any, z: Any, w: Any) -> Any:
    both = 10.1 * ((y - 1) ** 2 + (w - 1) ** 2) + 19.8 * (y - 1) * (w - 1)
    return banana(x, y) + 90 * (w - z**2) ** 2 + (1 - z) ** 2 + both


def _rosen_suzuki(a: Any, b: Any, c: Any, d: Any) -> list[Any]:
    return [
        8 - a**2 - b**2 - c**2 - d**2 - a + b - c + d,
        10 - a**2 - 2 * b**2 - c**2 - 2 * d**2 + a + d,
        5 - 2 * a**2 - b**2 - c**2 - 2 * a + b + d,
    ]


def _hs62(x: Any, y: Any, z: Any) -> Any:
    first = 255 * log((x + y + z + 0.03) / (0.09 * x + y + z + 0.03))
    second = 280 * log((y + z + 0.03) / (0.07 * y + z + 0.03))
    return -32.174 * (first + second + 290 * log((z + 0.03) / (0.13 * z + 0.03)))


def _hs100(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> Any:
    squares = (a - 10) ** 2 + 5 * (b - 12) ** 2 + 3 * (d - 11) ** 2 + 7 * f**2
    return squares + c**4 + 10 * e**6 + g**4 - 4 * f * g - 10 * f - 8 * g


def _hs113(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, j: Any) -> Any:
    first = a**2 + b**2 + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2 + (e - 3) ** 2
    return first + 2 * (f - 1) ** 2 + 5 * g**2 + 7 * (h - 11) ** 2 + 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45


PROBLEMS = [
    Published("HS1", banana, 0.0, (-2, 1), lower=(-inf, -1.5)),
    Published("HS3", lambda x, y: y + 1e-5 * (y - x) ** 2, 0.0, (10, 1), lower=(-inf, 0)),
    Published("HS4", lambda x, y: (x + 1) ** 3 / 3 + y, 8 / 3, (1.125, 0.125), lower=(1, 0)),
    Published(
        "HS5", lambda x, y: sin(x + y) + (x - y) ** 2 - 1.5 * x + 2.5 * y + 1, -R3 / 2 - pi / 3, (0, 0),
        lower=(-1.5, -3), upper=(4, 3),
    ),
    Published("HS6", lambda x, y: (1 - x) ** 2, 0.0, (-1.2, 1), eq=lambda x, y: [10 * (y - x**2)]),
    Published("HS7", lambda x, y: log(1 + x**2) - y, -R3, (2, 2), eq=lambda x, y: [(1 + x**2) ** 2 + y**2 - 4]),
    Published("HS8", lambda x, y: 0 * x - 1, -1.0, (2, 1), eq=lambda x, y: [x**2 + y**2 - 25, x * y - 9]),
    Published(
        "HS9", lambda x, y: sin(pi * x / 12) * cos(pi * y / 16), -0.5, (0, 0), eq=lambda x, y: [4 * x - 3 * y]
    ),
    Published("HS10", lambda x, y: x - y, -1.0, (-10, 10), ge=lambda x, y: [-3 * x**2 + 2 * x * y - y**2 + 1]),
    Published("HS11", lambda x, y: (x - 5) ** 2 + y**2 - 25, -8.498464223, (4.9, 0.1), ge=lambda x, y: [y - x**2]),
    Published(
        "HS12", lambda x, y: 0.5 * x**2 + y**2 - x * y - 7 * x - 7 * y, -30.0, (0, 0),
        ge=lambda x, y: [25 - 4 * x**2 - y**2],
    ),
    Published(
        "HS13", lambda x, y: (x - 2) ** 2 + y**2, 1.0, (-2, -2), lower=0, ge=lambda x, y: [(1 - x) ** 3 - y]
    ),
    Published(
        "HS14", lambda x, y: (x - 2) ** 2 + (y - 1) ** 2, 9 - 2.875 * root(7), (2, 2),
        ge=lambda x, y: [1 - 0.25 * x**2 - y**2], eq=lambda x, y: [x - 2 * y + 1],
    ),
    Published("HS15", banana, 306.5, (-2, 1), upper=(0.5, inf), ge=lambda x, y: [x * y - 1, x + y**2]),
    Published(
        "HS17", banana, 1.0, (-2, 1), lower=(-0.5, -inf), upper=(0.5, 1), ge=lambda x, y: [y**2 - x, x**2 - y]
    ),
    Published(
        "HS18", lambda x, y: 0.01 * x**2 + y**2, 5.0, (2, 2), lower=(2, 0), upper=50,
        ge=lambda x, y: [x * y - 25, x**2 + y**2 - 25],
    ),
    Published(
        "HS19", lambda x, y: (x - 10) ** 3 + (y - 20) ** 3, -6961.81381, (20.1, 5.84), lower=(13, 0), upper=100,
        ge=lambda x, y: [(x - 5) ** 2 + (y - 5) ** 2 - 100, 82.81 - (y - 5) ** 2 - (x - 6) ** 2],
    ),
    Published(
        "HS21", lambda x, y: 0.01 * x**2 + y**2 - 100, -99.96, (-1, -1), lower=(2, -50), upper=50,
        ge=lambda x, y: [10 * x - y - 10],
    ),
    Published(
        "HS22", lambda x, y: (x - 2) ** 2 + (y - 1) ** 2, 1.0, (2, 2), ge=lambda x, y: [2 - x - y, y - x**2]
    ),
    Published(
        "HS23", lambda x, y: x**2 + y**2, 2.0, (3, 1), lower=-50, upper=50,
        ge=lambda x, y: [x + y - 1, x**2 + y**2 - 1, 9 * x**2 + y**2 - 9, x**2 - y, y**2 - x],
    ),
    Published(
        "HS24", lambda x, y: ((x - 3) ** 2 - 9) * y**3 / (27 * R3), -1.0, (1, 0.5), lower=0,
        ge=lambda x, y: [x / R3 - y, x + R3 * y, 6 - x - R3 * y],
    ),
    Published(
        "HS26", lambda x, y, z: (x - y) ** 2 + (y - z) ** 4, 0.0, (-2.6, 2, 2),
        eq=lambda x, y, z: [(1 + y**2) * x + z**4 - 3],
    ),
    Published(
        "HS27", lambda x, y, z: 0.01 * (x - 1) ** 2 + (y - x**2) ** 2, 0.04, (2, 2, 2),
        eq=lambda x, y, z: [x + z**2 + 1],
    ),
    Published(
        "HS28", lambda x, y, z: (x + y) ** 2 + (y + z) ** 2, 0.0, (-4, 1, 1),
        eq=lambda x, y, z: [x + 2 * y + 3 * z - 1],
    ),
    Published(
        "HS29", lambda x, y, z: -x * y * z, -16 * R2, (1, 1, 1), ge=lambda x, y, z: [48 - x**2 - 2 * y**2 - 4 * z**2]
    ),
    Published(
        "HS30", lambda x, y, z: x**2 + y**2 + z**2, 1.0, (1, 1, 1), lower=(1, -10, -10), upper=10,
        ge=lambda x, y, z: [x**2 + y**2 - 1],
    ),
    Published(
        "HS31", lambda x, y, z: 9 * x**2 + y**2 + 9 * z**2, 6.0, (1, 1, 1), lower=(-10, 1, -10), upper=(10, 10, 1),
        ge=lambda x, y, z: [x * y - 1],
    ),
    Published(
        "HS32", lambda x, y, z: (x + 3 * y + z) ** 2 + 4 * (x - y) ** 2, 1.0, (0.1, 0.7, 0.2), lower=0,
        ge=lambda x, y, z: [6 * y + 4 * z - x**3 - 3], eq=lambda x, y, z: [1 - x - y - z],
    ),
    Published(
        "HS33", lambda x, y, z: (x - 1) * (x - 2) * (x - 3) + z, R2 - 6, (0, 0, 3), lower=0, upper=(inf, inf, 5),
        ge=lambda x, y, z: [z**2 - y**2 - x**2, x**2 + y**2 + z**2 - 4],
    ),
    Published(
        "HS34", lambda x, y, z: -x, -ln(ln(10)), (0, 1.05, 2.9), lower=0, upper=(100, 100, 10),
        ge=lambda x, y, z: [y - exp(x), z - exp(y)],
    ),
    Published(
        "HS35", lambda x, y, z: 9 - 8*x - 6*y - 4*z + 2*x**2 + 2*y**2 + z**2 + 2*x*y + 2*x*z, 1 / 9, (0.5, 0.5, 0.5),
        lower=0, ge=lambda x, y, z: [3 - x - y - 2 * z],
    ),
    Published(
        "HS36", lambda x, y, z: -x * y * z, -3300.0, (10, 10, 10), lower=0, upper=(20, 11, 42),
        ge=lambda x, y, z: [72 - x - 2 * y - 2 * z],
    ),
    Published(
        "HS37", lambda x, y, z: -x * y * z, -3456.0, (10, 10, 10), lower=0, upper=42,
        ge=lambda x, y, z: [72 - x - 2 * y - 2 * z, x + 2 * y + 2 * z],
    ),
    Published("HS38", _colville, 0.0, (-3, -1, -3, -1), lower=-10, upper=10),
    Published(
        "HS39", lambda x, y, z, w: -x, -1.0, (2, 2, 2, 2), eq=lambda x, y, z, w: [y - x**3 - z**2, x**2 - y - w**2]
    ),
    Published(
        "HS40", lambda x, y, z, w: -x * y * z * w, -0.25, (0.8, 0.8, 0.8, 0.8),
        eq=lambda x, y, z, w: [x**3 + y**2 - 1, x**2 * w - z, w**2 - y],
    ),
    Published(
        "HS41", lambda x, y, z, w: 2 - x * y * z, 52 / 27, (2, 2, 2, 2), lower=0, upper=(1, 1, 1, 2),
        eq=lambda x, y, z, w: [x + 2 * y + 2 * z - w],
    ),
    Published(
        "HS42", lambda x, y, z, w: (x - 1) ** 2 + (y - 2) ** 2 + (z - 3) ** 2 + (w - 4) ** 2, 28 - 10 * R2,
        (1, 1, 1, 1), eq=lambda x, y, z, w: [x - 2, z**2 + w**2 - 2],
    ),
    Published(
        "HS43", lambda a, b, c, d: a**2 + b**2 + 2 * c**2 + d**2 - 5 * a - 5 * b - 21 * c + 7 * d, -44.0,
        (0, 0, 0, 0), ge=_rosen_suzuki,
    ),
    Published(
        "HS44", lambda a, b, c, d: a - b - c - a * c + a * d + b * c - b * d, -15.0, (0, 0, 0, 0), lower=0,
        ge=lambda a, b, c, d: [
            8 - a - 2 * b, 12 - 4 * a - b, 12 - 3 * a - 4 * b, 8 - 2 * c - d, 8 - c - 2 * d, 5 - c - d
        ],
    ),
    Published(
        "HS45", lambda a, b, c, d, e: 2 - a * b * c * d * e / 120, 1.0, (2, 2, 2, 2, 2), lower=0, upper=(1, 2, 3, 4, 5)
    ),
    Published(
        "HS46", lambda a, b, c, d, e: (a - b) ** 2 + (c - 1) ** 2 + (d - 1) ** 4 + (e - 1) ** 6, 0.0,
        (0.5 * R2, 1.75, 0.5, 2, 2), eq=lambda a, b, c, d, e: [a**2 * d + sin(d - e) - 1, b + c**4 * d**2 - 2],
    ),
    Published(
        "HS48", lambda a, b, c, d, e: (a - 1) ** 2 + (b - c) ** 2 + (d - e) ** 2, 0.0, (3, 5, -3, 2, -2),
        eq=lambda a, b, c, d, e: [a + b + c + d + e - 5, c - 2 * (d + e) + 3],
    ),
    Published(
        "HS49", lambda a, b, c, d, e: (a - b) ** 2 + (c - 1) ** 2 + (d - 1) ** 4 + (e - 1) ** 6, 0.0,
        (10, 7, 2, -3, 0.8), eq=lambda a, b, c, d, e: [a + b + c + 4 * d - 7, c + 5 * e - 6],
    ),
    Published(
        "HS50", lambda a, b, c, d, e: (a - b) ** 2 + (b - c) ** 2 + (c - d) ** 4 + (d - e) ** 2, 0.0,
        (35, -31, 11, 5, -5),
        eq=lambda a, b, c, d, e: [a + 2 * b + 3 * c - 6, b + 2 * c + 3 * d - 6, c + 2 * d + 3 * e - 6],
    ),
    Published(
        "HS51", lambda a, b, c, d, e: (a - b) ** 2 + (b + c - 2) ** 2 + (d - 1) ** 2 + (e - 1) ** 2, 0.0,
        (2.5, 0.5, 2, -1, 0.5), eq=lambda a, b, c, d, e: [a + 3 * b - 4, c + d - 2 * e, b - e],
    ),
    Published(
        "HS52", lambda a, b, c, d, e: (4 * a - b) ** 2 + (b + c - 2) ** 2 + (d - 1) ** 2 + (e - 1) ** 2, 1859 / 349,
        (2, 2, 2, 2, 2), eq=lambda a, b, c, d, e: [a + 3 * b, c + d - 2 * e, b - e],
    ),
    Published(
        "HS53", lambda a, b, c, d, e: (a - b) ** 2 + (b + c - 2) ** 2 + (d - 1) ** 2 + (e - 1) ** 2, 176 / 43,
        (2, 2, 2, 2, 2), lower=-10, upper=10, eq=lambda a, b, c, d, e: [a + 3 * b, c + d - 2 * e, b - e],
    ),
    Published(
        "HS60", lambda x, y, z: (x - 1) ** 2 + (x - y) ** 2 + (y - z) ** 4, 0.03256820025, (2, 2, 2), lower=-10,
        upper=10, eq=lambda x, y, z: [x * (1 + y**2) + z**4 - 4 - 3 * R2],
    ),
    Published(
        "HS61", lambda x, y, z: 4 * x**2 + 2 * y**2 + 2 * z**2 - 33 * x + 16 * y - 24 * z, -143.6461422, (0, 0, 0),
        eq=lambda x, y, z: [3 * x - 2 * y**2 - 7, 4 * x - z**2 - 11],
    ),
    Published("HS62", _hs62, -26272.514, (0.7, 0.2, 0.1), lower=0, upper=1, eq=lambda x, y, z: [x + y + z - 1]),
    Published(
        "HS63", lambda x, y, z: 1000 - x**2 - 2 * y**2 - z**2 - x * y - x * z, 961.7151721, (2, 2, 2), lower=0,
        eq=lambda x, y, z: [8 * x + 14 * y + 7 * z - 56, x**2 + y**2 + z**2 - 25],
    ),
    Published(
        "HS64", lambda x, y, z: 5 * x + 50000 / x + 20 * y + 72000 / y + 10 * z + 144000 / z, 6299.842428, (1, 1, 1),
        lower=1e-5, ge=lambda x, y, z: [1 - 4 / x - 32 / y - 120 / z],
    ),
    Published(
        "HS65", lambda x, y, z: (x - y) ** 2 + (x + y - 10) ** 2 / 9 + (z - 5) ** 2, 0.9535288567, (-5, 5, 0),
        lower=(-4.5, -4.5, -5), upper=(4.5, 4.5, 5), ge=lambda x, y, z: [48 - x**2 - y**2 - z**2],
    ),
    Published(
        "HS66", lambda x, y, z: 0.2 * z - 0.8 * x, 0.5181632741, (0, 1.05, 2.9), lower=0, upper=(100, 100, 10),
        ge=lambda x, y, z: [y - exp(x), z - exp(y)],
    ),
    Published(
        "HS71", lambda x, y, z, w: x * w * (x + y + z) + z, 17.0140173, (1, 5, 5, 1), lower=1, upper=5,
        ge=lambda x, y, z, w: [x * y * z * w - 25], eq=lambda x, y, z, w: [x**2 + y**2 + z**2 + w**2 - 40],
    ),
    Published(
        "HS72", lambda x, y, z, w: 1 + x + y + z + w, 727.67937, (1, 1, 1, 1), lower=0.001, upper=(4e5, 3e5, 2e5, 1e5),
        ge=lambda x, y, z, w: [
            0.0401 - 4 / x - 2.25 / y - 1 / z - 0.25 / w, 0.010085 - 0.16 / x - 0.36 / y - 0.64 / z - 0.64 / w
        ],
    ),
    Published(
        "HS73", lambda x, y, z, w: 24.55 * x + 26.75 * y + 39 * z + 40.5 * w, 29.894378, (1, 1, 1, 1), lower=0,
        ge=lambda x, y, z, w: [
            2.3 * x + 5.6 * y + 11.1 * z + 1.3 * w - 5,
            12 * x + 11.9 * y + 41.8 * z + 52.1 * w - 21
            - 1.645 * sqrt(0.28 * x**2 + 0.19 * y**2 + 20.5 * z**2 + 0.62 * w**2),
        ],
        eq=lambda x, y, z, w: [x + y + z + w - 1],
    ),
    Published(
        "HS76", lambda a, b, c, d: a**2 + 0.5*b**2 + c**2 + 0.5*d**2 - a*c + c*d - a - 3*b + c - d, -4.681818181,
        (0.5, 0.5, 0.5, 0.5), lower=0,
        ge=lambda a, b, c, d: [5 - a - 2 * b - c - d, 4 - 3 * a - b - 2 * c + d, b + 4 * c - 1.5],
    ),
    Published(
        "HS77", lambda a, b, c, d, e: (a - 1)**2 + (a - b)**2 + (c - 1)**2 + (d - 1)**4 + (e - 1)**6, 0.24150513,
        (2, 2, 2, 2, 2), eq=lambda a, b, c, d, e: [a**2 * d + sin(d - e) - 2 * R2, b + c**4 * d**2 - 8 - R2],
    ),
    Published("HS78", lambda a, b, c, d, e: a * b * c * d * e, -2.91970041, (-2, 1.5, 2, -1, -1), eq=fifth),
    Published(
        "HS79", lambda a, b, c, d, e: (a - 1)**2 + (a - b)**2 + (b - c)**2 + (c - d)**4 + (d - e)**4, 0.0787768209,
        (2, 2, 2, 2, 2),
        eq=lambda a, b, c, d, e: [a + b**2 + c**3 - 2 - 3 * R2, b - c**2 + d + 2 - 2 * R2, a * e - 2],
    ),
    Published(
        "HS80", lambda a, b, c, d, e: exp(a * b * c * d * e), 0.0539498478, (-2, 2, 2, -1, -1),
        lower=(-2.3, -2.3, -3.2, -3.2, -3.2), upper=(2.3, 2.3, 3.2, 3.2, 3.2), eq=fifth,
    ),
    Published(
        "HS81", lambda a, b, c, d, e: exp(a * b * c * d * e) - 0.5 * (a**3 + b**3 + 1) ** 2, 0.0539498478,
        (-2, 2, 2, -1, -1), lower=(-2.3, -2.3, -3.2, -3.2, -3.2), upper=(2.3, 2.3, 3.2, 3.2, 3.2), eq=fifth,
    ),
    Published(
        "HS100", _hs100, 680.6300573, (1, 2, 0, 4, 0, 1, 1),
        ge=lambda a, b, c, d, e, f, g: [
            127 - 2 * a**2 - 3 * b**4 - c - 4 * d**2 - 5 * e,
            282 - 7 * a - 3 * b - 10 * c**2 - d + e,
            196 - 23 * a - b**2 - 6 * f**2 + 8 * g,
            -4 * a**2 - b**2 + 3 * a * b - 2 * c**2 - 5 * f + 11 * g,
        ],
    ),
    Published(
        "HS113", _hs113, 24.3062091, (2, 3, 5, 5, 1, 2, 7, 3, 6, 10),
        ge=lambda a, b, c, d, e, f, g, h, i, j: [
            105 - 4 * a - 5 * b + 3 * g - 9 * h,
            -10 * a + 8 * b + 17 * g - 2 * h,
            8 * a - 2 * b - 5 * i + 2 * j + 12,
            -3 * (a - 2) ** 2 - 4 * (b - 3) ** 2 - 2 * c**2 + 7 * d + 120,
            -5 * a**2 - 8 * b - (c - 6) ** 2 + 2 * d + 40,
            -0.5 * (a - 8) ** 2 - 2 * (b - 4) ** 2 - 3 * e**2 + f + 30,
            -(a**2) - 2 * (b - 2) ** 2 + 2 * a * b - 14 * e + 6 * f,
            3 * a - 6 * b - 12 * (i - 8) ** 2 + 7 * j,
        ],
    ),
]  # fmt: skip
