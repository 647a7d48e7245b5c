"""Models that MuJoCo writes out: replicas, models attached to others, and files that included files include."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mjcf_oracle import Tally, compare, read
from mjcf_texts import GEOM, JOINT, WHOLE

from kinetree.errors import ModelFileError

mujoco = pytest.importorskip("mujoco")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file where it is."""
    monkeypatch.chdir(tmp_path)


INNER = f'<body name="b"><joint name="k" axis="1 0 0"/>{GEOM}</body>'
PAIR = f'<body name="a" pos="0 1 0"><joint name="j"/>{GEOM}{INNER}</body>'

REPLICAS = {
    "several": f'<replicate count="3" offset="0 1 0" euler="10 20 30" sep="-">{PAIR}<site name="s"/></replicate>',
    "eleven": f'<replicate count="11" offset="1 0 0"><body name="a" pos="1 0 0">{JOINT}{GEOM}</body>'
    f"{WHOLE}</replicate>",
    "one": f'<replicate count="1" euler="0 0 90">{PAIR}</replicate>',
    "among others": f'{WHOLE}<replicate count="2" offset="0 1 0">{WHOLE}<body name="r">{JOINT}{GEOM}</body>'
    f"</replicate>{WHOLE}",
    "nested": f'<replicate count="2" offset="0 1 0" euler="90 0 0"><replicate count="3" sep="-" offset="1 0 0" '
    f'euler="0 90 0">{PAIR}</replicate></replicate>',
    "nested in bodies": f'<replicate count="2" offset="0 1 0"><body name="o">{GEOM}{JOINT}'
    f'<replicate count="2" sep="_">{PAIR}'
    "</replicate></body></replicate>",
    "geoms": f'<body>{JOINT}<replicate count="4" offset="1 0 0" euler="0 0 90"><geom size=".1" pos="1 0 0"/>'
    '<site name="s" pos="0 1 0"/></replicate></body>',
    "in a frame": f'<frame pos="1 2 3" euler="10 0 0"><replicate count="2" offset="0 1 0">{PAIR}</replicate></frame>',
}


@pytest.mark.parametrize("name", REPLICAS)
def test_replicas_are_those_of_mujoco(name: str) -> None:
    tally = Tally()
    compare(tally, f"<mujoco><worldbody>{REPLICAS[name]}</worldbody></mujoco>", name)
    assert tally.wrong == {}


def test_equalities_are_copied_with_what_they_name() -> None:
    """As in MuJoCo those with one end elsewhere vanish; here a warning says so."""
    text = f"""<mujoco><worldbody><body name="w"><joint name="h"/>{GEOM}</body>
      <replicate count="2" offset="0 1 0">{PAIR}</replicate></worldbody><equality><joint joint1="j" joint2="k"/>
      <connect name="c" body1="a" anchor="0 0 0"/><weld name="x" body1="a" body2="w"/><weld name="y" body1="w"/>
      </equality></mujoco>"""
    robot, warning = read(text)
    assert "not read: 1 equality with one end in a <replicate> ('x')" in warning
    assert [(c.joint, c.leader) for c in robot.couplings] == [("j0", "k0"), ("j1", "k1")]
    assert [loop.name for loop in robot.loops] == ["y", "c0", "c1"]
    assert mujoco.MjModel.from_xml_string(text).neq == 5


# -- other models ------------------------------------------------------------------------------------------------------

# radians, its own classes, an equality that goes along with "a" and one that does not
CHILD = f"""<mujoco model="kid"><compiler angle="radian"/><default><joint damping="3"/><geom size=".2"/>
  <default class="c"><joint armature="2"/></default></default>
  <worldbody><site name="ws" pos="9 9 9"/><frame name="f" pos="5 0 0"><body name="a" pos="1 0 0" euler=".5 0 0">
    <joint name="j" range="-1 1"/><geom/><site name="s" pos="0 0 1"/>
    <body name="b" pos="0 0 2" childclass="c"><joint name="k"/><geom/>
      <body name="d">{JOINT}<geom pos="1 0 0"/></body></body>
  </body></frame><body name="z" pos="0 7 0"><joint name="l"/><geom/></body></worldbody>
  <equality><joint joint1="j" joint2="k"/><connect name="q" body1="a" body2="z" anchor="0 0 0"/></equality></mujoco>"""

ATTACHED = {
    "a body": f'<body name="p" pos="0 0 1"><freejoint/>{GEOM}<attach model="kid" body="a" prefix="x_"/></body>',
    "in a frame": f'<frame pos="0 0 1" euler="90 0 0"><attach model="kid" body="a" prefix="x_"/></frame>{WHOLE}',
    "all": f'{WHOLE}<frame pos="0 0 1"><attach model="kid" prefix="x_"/></frame>{WHOLE}',
    "a frame": '<attach model="kid" frame="f" prefix="x_"/>',
    "twice": '<attach model="kid" body="a" prefix="x_"/>'
    '<frame pos="0 3 0"><attach model="kid" body="a" prefix="y"/></frame>',
    "in a class": '<body childclass="pc"><geom size=".1"/><joint/><attach model="kid" body="b" prefix="x_"/></body>',
    "deep in a class": '<attach model="kid" body="d" prefix="x_"/>',
    "in a replica": '<replicate count="2" offset="1 0 0"><attach model="kid" body="a" prefix="x_"/></replicate>',
    "itself": f'{PAIR}<frame pos="0 0 9"><attach body="b" prefix="p_"/></frame>',
}
HEAD = '<default><joint damping="9"/><default class="pc"><joint damping="8"/></default></default>'


def models(folder: Path, world: str, asset: str = '<model name="kid" file="parts/kid.xml"/>', **files: str) -> Path:
    (folder / "parts").mkdir(exist_ok=True)
    for name, text in {
        "main": f"<mujoco>{HEAD}<asset>{asset}</asset><worldbody>{world}</worldbody></mujoco>",
        **files,
    }.items():
        (folder / f"{name.replace('__', '/')}.xml").write_text(text)
    return folder / "main.xml"


@pytest.mark.parametrize("name", ATTACHED)
def test_attached_models_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    for asset in ('<model name="kid" file="parts/kid.xml"/>', '<model file="parts/kid.xml"/>'):
        main, tally = models(tmp_path, ATTACHED[name], asset, parts__kid=CHILD), Tally()
        compare(tally, main, name)
        assert tally.wrong == {}
        robot, _ = read(main)
        assert len(robot.loops) + len(robot.couplings) == mujoco.MjModel.from_xml_path(str(main)).neq


def test_models_are_attached_in_models_with_their_own_meshes(tmp_path: Path) -> None:
    cube = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1"'
    child = f"""<mujoco><asset><mesh name="m" {cube}/><model name="inner" file="inner.xml"/></asset><worldbody>
      <body name="t">{JOINT}<geom type="mesh" mesh="m"/><attach model="inner" prefix="i_"/></body>
      </worldbody></mujoco>"""
    inner = f"""<mujoco><asset><mesh name="m" {cube} scale="2 2 2"/></asset><worldbody>
      <body name="u" pos="1 0 0">{JOINT}<geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    world = '<attach model="kid" body="t" prefix="o_"/>'
    main, tally = models(tmp_path, world, parts__kid=child, parts__inner=inner), Tally()
    compare(tally, main, "in each other")
    assert tally.wrong == {}
    assert {"o_t", "o_i_u"} <= {*read(main)[0].frames}


def test_a_model_that_attaches_itself_or_is_elsewhere_is_refused(tmp_path: Path) -> None:
    again = '<worldbody><attach model="kid" prefix="p"/></worldbody>'
    circle = f'<mujoco><asset><model name="kid" file="kid.xml"/></asset>{again}</mujoco>'
    main = models(tmp_path, '<attach model="kid" prefix="p"/>', parts__kid=circle)
    with pytest.raises(ModelFileError, match="attached more than 20 deep; does one attach itself"):
        read(main)
    for file, message in (("../kid.xml", "leads outside"), ("none.xml", "there is no file"), ("", "has no file=")):
        with pytest.raises(ModelFileError, match=f"^main.xml, line 1, .*{message}"):
            read(models(tmp_path, '<attach model="kid" prefix="p"/>', f'<model name="kid" file="{file}"/>'))


# -- includes ----------------------------------------------------------------------------------------------------------


def part(name: str, more: str = "") -> str:
    return f'<mujocoinclude><body name="{name}">{JOINT}{GEOM}{more}</body></mujocoinclude>'


@pytest.mark.parametrize(
    ("named", "files"),
    [
        ("hand.xml", {"parts__hand": part("beside")}),
        ("hand.xml", {"hand": part("main")}),
        ("hand.xml", {"hand": part("main"), "parts__hand": part("beside")}),
        ("parts/hand.xml", {"parts__hand": part("beside")}),
        ("../hand.xml", {"hand": part("main")}),
    ],
)
def test_nested_includes_are_found_as_mujoco_finds_them(named: str, files: dict[str, str], tmp_path: Path) -> None:
    arm = part("arm", f'<include file="{named}"/>')
    main, tally = models(tmp_path, '<include file="parts/arm.xml"/>', "", parts__arm=arm, **files), Tally()
    compare(tally, main, named)
    assert tally.wrong == {}


def test_folders_that_are_named_may_be_included_from(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "arm.xml").write_text(part("arm"))
    options: dict[str, Any] = {"packages": [tmp_path]}
    main, tally = models(tmp_path / "inner", '<include file="../arm.xml"/>', ""), Tally()
    compare(tally, main, "above", **options)
    assert tally.wrong == {}
    with pytest.raises(ModelFileError, match=r"leads outside the folders .* or in one of packages="):
        read(main)
