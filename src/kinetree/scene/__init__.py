"""A robot as a page that moves: its tree, its parts and its motions as data, and the scripts that draw them.

The page needs no network and no other file. What it holds is numbers; `page` has the scripts, which are plain and are
put into it as they are.
"""

from kinetree.scene import viser as viser
from kinetree.scene.engine import Engine as Engine
from kinetree.scene.fixture import Fixture as Fixture
from kinetree.scene.movement import Arrow as Arrow, Movement as Movement
from kinetree.scene.view import View as View
