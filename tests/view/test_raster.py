"""Pictures as PNG and PDF, where Matplotlib is installed."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import InputError, MissingExtraError
from kinetree.view import Curves

T = np.linspace(0.0, 1.0, 50)
CURVES = Curves("Costs $ and %", T, {"a": T, "b & c": np.where(T > 0.5, np.nan, T**2)}, dashed=["a"])


def test_every_picture_is_a_png_and_a_pdf(tmp_path):
    pytest.importorskip("matplotlib")
    arm = kt.robots.two_link()
    motion = kt.Motion(T, np.stack([T, T], axis=1), robot=arm)
    for k, picture in enumerate([CURVES.picture(), motion.snapshots(3), motion.plot(), kt.view.portrait(arm)]):
        png = picture.save(tmp_path / f"{k}.png").read_bytes()
        assert png[:8] == bytes([137]) + b"PNG" + bytes([13, 10, 26, 10])
        width, height = (int.from_bytes(png[n : n + 4], "big") for n in (16, 20))
        assert (width, height) == pytest.approx((2 * picture.width, 2 * picture.height), abs=2)
        pdf = picture.save(tmp_path / f"{k}.pdf").read_bytes()
        assert pdf[:5] == b"%PDF-"
        assert pdf == picture.save(tmp_path / f"{k}.pdf").read_bytes()


def test_curves_are_where_the_svg_has_them(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    picture = Curves("", [0.0, 1.0], {"line": [0.0, 1.0]}).picture()
    pixels = image.imread(picture.save(tmp_path / "line.png"))
    blue = (pixels[..., 2] - pixels[..., 0]) > 0.3
    rows, columns = np.nonzero(blue[160:])
    assert np.corrcoef(rows, columns)[0, 1] < -0.95  # a straight line upwards


def test_without_matplotlib_it_is_said(tmp_path, monkeypatch):
    real = builtins.__import__

    def fail(name, *args):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(MissingExtraError, match=r"kinetree\[plot\]"):
        CURVES.picture().save(tmp_path / "a.png")
    with pytest.raises(InputError, match=r"\.png or \.pdf"):
        CURVES.picture().save(tmp_path / "a.gif")
