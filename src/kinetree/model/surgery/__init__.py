"""Other mechanisms made of a mechanism; each a pure function, one idea a file.

All that a mechanism has goes along: frames by name, loops, couplings, mimics, springs, friction, rotors, limits,
parameters, gravity. What can't go along is refused, never dropped in silence.
"""

from kinetree.model.surgery.attach import attach as attach
from kinetree.model.surgery.base import with_base as with_base, with_gravity as with_gravity
from kinetree.model.surgery.mirror import mirror as mirror
from kinetree.model.surgery.reroot import reroot as reroot
from kinetree.model.surgery.scale import scale as scale
from kinetree.model.surgery.subtree import subtree as subtree
from kinetree.model.surgery.weld import lock as lock, merge_fixed as merge_fixed
