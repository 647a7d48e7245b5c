"""Progress and views in a real kernel of Jupyter; `make test-viewers` has it installed."""

from __future__ import annotations

import pytest

nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytestmark = pytest.mark.filterwarnings("ignore")

SEEN = """
import kinetree as kt
from kinetree import status
from IPython.core.displaypub import DisplayPublisher

shown, publish = [], get_ipython().display_pub.publish
def kept(data, *args, **options):
    shown.append((data.get("text/html", ""), options.get("update", False)))
    return publish(data, *args, **options)
get_ipython().display_pub.publish = kept
status.PATIENCE = status._EVERY = 0.0
"""
LONG = """
motion = kt.simulate(kt.robots.two_link(), [0.0, 0.5], [1.0, 0.0], 20.0, dt=0.001)
assert len(shown) > 2, shown
assert [update for _, update in shown] == [False] + [True] * (len(shown) - 1)
assert "<progress value=" in shown[0][0] and "simulating" in shown[0][0]
"""
THREAD = """
shown.clear()
status.COMPILING = 0.02
with status.waiting("long work"):
    import time
    time.sleep(0.2)
assert "long work" in shown[0][0] and "<progress style" in shown[0][0], shown
"""


def test_a_bar_is_updated_in_place_and_is_gone_at_the_end(tmp_path):
    cells = [nbformat.v4.new_code_cell(text) for text in (SEEN, LONG, THREAD, "motion.view()")]
    book = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(
        book, timeout=120, iopub_timeout=60, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    for cell in cells[1:3]:
        (output,) = cell.outputs  # one, whose last state is empty; nothing on standard error
        assert output.data == {"text/html": "", "text/plain": ""}
    assert "<iframe" in cells[3].outputs[0].data["text/html"]
