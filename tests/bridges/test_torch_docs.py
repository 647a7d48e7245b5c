"""The page on PyTorch: its code runs and finds what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.xdist_group("torch")

PAGE = Path(__file__).parents[2] / "docs" / "pytorch.md"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch's own code
def test_the_code_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec("\n".join(blocks), names)
    (promised,) = re.findall(r"# (.* kg, .*)", "\n".join(blocks))
    assert capsys.readouterr().out.strip() == promised
    assert names["stiffness"].shape == (2000, 6, 6)  # type: ignore[attr-defined]
    robot, q = names["robot"], names["q"]
    torch.testing.assert_close(names["M"], torch.from_numpy(robot.mass_matrix(q.numpy())))  # type: ignore[attr-defined]
