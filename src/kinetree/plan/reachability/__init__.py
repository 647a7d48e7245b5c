"""The fastest motion along a path by reachability analysis: two passes over a grid, no search.

Along a path q(s) forces and accelerations are linear in u = d2s/dt2 and x = (ds/dt)^2, velocities bound x alone:

    lower <= a u + b x + c <= upper,        x <= most.

On a grid u is constant in each interval, so that x changes by 2 (s_(i+1) - s_i) u, and the rows hold at both of its
ends. Two passes find the largest x (`passes`), which no motion exceeds at any point, and the whole is slowed down
until the rows hold in between too (`slowing`).

No two-variable linear program is left to solve, and nothing is searched for. Limits on jerks and rates of forces are
not linear in u and x; they are left to the general solver. Reference: [Pham2018].
"""

from kinetree.plan.reachability.reachable import reachable

__all__ = ["reachable"]
