"""Curves of walking that were published, rounded to the digits below: what a user's file of norms may look like.

[Schwartz2008] is the electronic addendum of "The effect of walking speed on the gait of typically developing children",
at the speed that they chose. [Falisse2019] is the adult that was measured for "Rapid predictive simulations with
complex musculoskeletal models".
"""

from __future__ import annotations

import numpy as np

_SCHWARTZ = """
      0   35.8  5.4     5.6  5.7    -2.1  5.6  -0.003 0.012   0.011 0.038    0.00 0.01
      4   35.5  5.6    10.9  5.6    -5.6  4.8  -0.091 0.062   0.595 0.164   -0.13 0.10
      8   34.2  5.9    16.9  6.1    -4.1  4.0  -0.151 0.048   0.839 0.163   -0.06 0.13
     12   31.1  6.0    19.3  6.3    -0.2  4.0  -0.151 0.038   1.079 0.146    0.06 0.16
     16   26.9  6.0    18.6  6.2     2.9  4.0  -0.105 0.028   1.061 0.110    0.18 0.21
     20   22.5  6.0    16.5  5.9     5.2  3.8  -0.066 0.022   0.926 0.102    0.31 0.23
     24   18.1  5.9    13.9  5.7     6.8  3.7  -0.041 0.019   0.824 0.096    0.44 0.23
     28   13.6  6.0    11.3  5.5     8.0  3.8  -0.023 0.017   0.793 0.093    0.56 0.22
     32    9.3  6.1     9.0  5.5     9.1  3.9  -0.006 0.015   0.812 0.094    0.69 0.21
     36    5.3  6.4     7.2  5.7    10.2  4.1   0.018 0.016   0.870 0.094    0.84 0.20
     40    1.6  6.7     6.2  5.7    11.1  4.4   0.053 0.021   0.960 0.098    1.00 0.21
     44   -1.7  6.8     6.8  5.7    11.8  4.7   0.100 0.028   1.056 0.108    1.16 0.23
     48   -4.4  6.8     9.5  5.6    11.5  5.2   0.152 0.035   1.075 0.117    1.23 0.24
     52   -5.8  6.8    14.5  5.8     8.4  6.2   0.190 0.035   0.907 0.153    1.07 0.24
     56   -4.9  6.7    22.6  6.2    -0.2  8.3   0.137 0.053   0.452 0.199    0.56 0.25
     60   -0.9  6.8    33.9  6.6   -13.8  9.5   0.016 0.031   0.070 0.076    0.05 0.11
     64    6.1  6.6    46.3  6.4   -19.8  8.8   0.000 0.006   0.004 0.015   -0.03 0.03
     68   14.1  6.3    55.7  5.7   -14.7  8.2   0.001 0.001   0.001 0.002   -0.02 0.01
     72   21.4  6.0    59.1  5.9    -7.9  6.8   0.000 0.000   0.001 0.001   -0.01 0.00
     76   27.4  5.7    56.9  6.8    -2.4  5.7   0.000 0.000   0.001 0.001   -0.01 0.00
     80   32.0  5.5    49.8  7.8     1.1  4.9   0.000 0.000   0.001 0.001   -0.01 0.00
     84   35.1  5.4    38.8  8.5     2.5  4.2   0.000 0.000   0.001 0.001   -0.01 0.00
     88   36.6  5.4    25.5  8.7     1.8  4.1   0.000 0.000   0.001 0.001   -0.02 0.00
     92   36.5  5.5    12.5  8.1     0.1  4.7   0.000 0.000   0.001 0.001   -0.01 0.01
     96   35.8  5.5     4.6  6.6    -1.1  5.3   0.000 0.000   0.001 0.001    0.00 0.01
    100   35.5  5.5     5.4  5.6    -2.3  5.4   0.000 0.000   0.000 0.001    0.00 0.01
"""
_FALISSE = """
      0   -12.2  1.1    -0.1  0.2     3.5  0.1     0.5  0.2
      5   -17.1  1.2    -5.4  0.5    37.7  3.4     1.8  1.1
     10   -23.9  0.9   -13.4  1.7    76.7  8.3    -0.8  1.7
     17   -27.6  1.0   -12.1  1.9   101.3  9.5    -5.4  2.1
     25   -23.7  1.5    -3.6  1.0    80.1  6.7    -4.2  1.6
     31   -19.1  1.7    -1.7  1.1    68.4  4.4    -2.5  1.1
     40   -12.7  1.5     4.1  1.3    86.6  5.5    -2.0  1.1
     47   -11.9  0.8    14.3  1.9   102.1  5.4    -2.1  1.4
     55   -19.8  1.1    19.3  1.6    74.7  5.7     0.0  1.5
     60   -30.9  1.7     9.5  2.0    29.5  6.1     1.0  0.8
     65   -46.4  2.1     0.6  0.6     1.9  1.8     0.3  0.2
     70   -60.5  2.0    -0.5  0.1    -1.6  0.2     0.0  0.1
     75   -66.2  2.3     0.0  0.0     0.0  0.0     0.0  0.0
     80   -62.1  2.8     0.0  0.0     0.0  0.0     0.0  0.0
     90   -32.3  2.4     0.0  0.0     0.0  0.0     0.0  0.0
    100   -12.3  1.1     0.0  0.0     0.0  0.0     0.0  0.0
"""
# percent of the stride, then mean and standard deviation of each
_COLUMNS = {
    _SCHWARTZ: (
        "Hip Flex/Extension @ [deg]", "Knee Flex/Extension @ [deg]", "Ankle Dorsi/Plantarflexion @ [deg]",
        "Anterior/Posterior @ [BW]", "Vertical @ [BW]", "Ankle Dorsi/Plantarflexion @ [Nm/kg]",
    ),
    _FALISSE: ("angle knee_angle @ [deg|m]", "grf Fore-aft @ [%BW]", "grf Vertical @ [%BW]", "grf Lateral @ [%BW]"),
}  # fmt: skip


def _csv(table: str) -> str:
    names = [column.replace("@", part) for column in _COLUMNS[table] for part in ("mean", "sd")]
    return (
        "\n".join(",".join(row) for row in (["percent", *names], *(x.split() for x in table.split("\n") if x))) + "\n"
    )


SCHWARTZ, FALISSE = _csv(_SCHWARTZ), _csv(_FALISSE)

_NUMBERS = np.array([x.split() for x in _SCHWARTZ.split("\n") if x], float)
PERCENT = _NUMBERS[:, 0]
ANGLES = {"hip": _NUMBERS[:, 1], "knee": _NUMBERS[:, 3], "ankle": _NUMBERS[:, 5]}  # deg, means of Schwartz
