"""The mass of meshes against MuJoCo: three file formats and inline points, all ways, on closed and broken surfaces."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mjcf_oracle import AGREEMENT, AXES, Oracle, error, loaded, read

from kinetree.errors import ModelFileError
from kinetree.model.mesh.file import MAX_POINTS, Surface, read_mesh
from kinetree.model.mesh.hull import convex_hull
from kinetree.model.mesh.mass import WAYS, mesh_mass

mujoco = pytest.importorskip("mujoco")

Array = np.ndarray

CORNERS_ROUNDED = 1e-7  # polygons with many corners lie in a plane up to single precision only


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file where it is."""
    monkeypatch.chdir(tmp_path)


# -- surfaces ----------------------------------------------------------------------------------------------------------

CORNERS = np.array([*itertools.product((0, 1), (0, 2), (0, 3))], float)
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def brick() -> Surface:
    return Surface(CORNERS, np.array([face for a, b, c, d in SIDES for face in ((a, b, c), (a, c, d))]))


def torus(around: int = 12, across: int = 8) -> Surface:
    """Not convex, with a hole; points that don't lie on a grid."""
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * np.pi * u / around, 2 * np.pi * v / across
    r = 1 + 0.4 * np.cos(b) + 0.05 * np.sin(3 * a)
    points = np.stack([r * np.cos(a), r * np.sin(a), 0.4 * np.sin(b) + 0.1 * np.cos(a)], axis=-1)
    i, j, k, m = ((u + du) % around * across + (v + dv) % across for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)))
    faces = np.concatenate([np.stack([i, j, k], -1).reshape(-1, 3), np.stack([i, k, m], -1).reshape(-1, 3)])
    return Surface((points.reshape(-1, 3) * 0.1 + (0.1, 0.2, -0.3)).astype(np.float32).astype(float), faces)


SURFACES = {"brick": brick(), "torus": torus()}


def stl(mesh: Surface, head: bytes = b"solid but binary") -> bytes:
    rows = b"".join(bytes(12) + mesh.points[f].astype("<f4").tobytes() + bytes(2) for f in mesh.faces)
    return head.ljust(80) + struct.pack("<I", len(mesh.faces)) + rows


def stl_text(mesh: Surface) -> bytes:
    corners = ("".join(f"   vertex {x!r} {y!r} {z!r}\n" for x, y, z in mesh.points[f].tolist()) for f in mesh.faces)
    facets = "".join(f" facet normal 0 0 0\n  outer loop\n{text}  endloop\n endfacet\n" for text in corners)
    return f"solid thing\n{facets}endsolid thing\n".encode()


def obj(mesh: Surface) -> bytes:
    points = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.points.tolist())
    faces = "".join(f"f {a + 1}/1/1 {b + 1}/1/1 {c - len(mesh.points)}/1/1\n" for a, b, c in mesh.faces.tolist())
    return f"# a comment\no thing\n{points}vn 0 0 1\nvt 0 0\n{faces}".encode()


def msh(mesh: Surface, normals: int = 0, textures: int = 0) -> bytes:
    counts = struct.pack("<4i", len(mesh.points), normals, textures, len(mesh.faces))
    extra = bytes(12 * normals + 8 * textures)
    return counts + mesh.points.astype("<f4").tobytes() + extra + mesh.faces.astype("<i4").tobytes()


FORMATS = {"stl": stl, "obj": obj, "msh": msh}


def inline(mesh: Surface) -> str:
    face = "" if mesh.faces is None else f' face="{" ".join(map(str, mesh.faces.ravel()))}"'
    return f'vertex="{" ".join(map(repr, mesh.points.ravel().tolist()))}"{face}'


BALL = '<geom size=".05"/>'


def model(asset: str, geom: str = 'type="mesh"', head: str = "", more: str = "") -> str:
    return (
        f'<mujoco>{head}<asset><mesh name="m" {asset}/></asset><worldbody><body pos="1 2 3"><joint axis="1 2 3"/>'
        f'<geom mesh="m" {geom} pos=".1 .2 .3" euler="10 20 30"/>{more}</body></worldbody></mujoco>'
    )


def check(source: str | Path, agreement: float = AGREEMENT, **options: Any) -> None:
    """The mass, its centre and the inertia are MuJoCo's."""
    (robot, warning), theirs = read(source, **options), loaded(source)
    assert warning == ""
    own, R = robot.bodies[0].inertia, np.zeros(9)
    mujoco.mju_quat2Mat(R, theirs.body_iquat[1])
    R = R.reshape(3, 3)
    assert own.mass == pytest.approx(theirs.body_mass[1], rel=agreement)
    assert error([*own.com], theirs.body_ipos[1]) < agreement
    J = np.array([[*row] for row in own.about_com.full])
    # in the principal axes that MuJoCo found: the moments, and products that it left
    assert error(np.diag(R.T @ J @ R), theirs.body_inertia[1]) < agreement
    assert error(J, R * theirs.body_inertia[1] @ R.T) < AXES


# -- masses ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SURFACES)
def test_the_mass_is_that_of_mujoco(name: str, way: str, tmp_path: Path) -> None:
    mesh = SURFACES[name]
    check(model(f'{inline(mesh)} inertia="{way}"'))
    for form, write in FORMATS.items():
        (tmp_path / f"m.{form}").write_bytes(write(mesh))
        for moved in ("", 'refpos=".1 .2 .3" refquat="1 2 3 4" scale=".3 .7 .9"', 'scale="-1 1 1"', 'scale="1 -2 -3"'):
            (tmp_path / "model.xml").write_text(model(f'file="m.{form}" inertia="{way}" {moved}'))
            check(tmp_path / "model.xml")


def test_points_alone_are_a_hull() -> None:
    check(model(inline(dataclasses.replace(torus(), faces=None))))
    check(model(inline(dataclasses.replace(brick(), faces=None)) + ' inertia="exact"'))


@pytest.mark.parametrize("seed", range(7))
def test_hulls_are_those_of_mujoco(seed: int) -> None:
    """Of points in general position, on a sphere, on a grid with many in one plane, and a thin one; in planes and on
    lines up to rounding, as those of machine parts are."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(200, 3))
    if seed == 1:
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    if seed == 2:
        points = np.array([*itertools.product(range(5), repeat=3)], float)[rng.permutation(125)]
    if seed == 3:
        points *= (1.0, 1e-3, 1.0)
    if seed > 3:
        angles = np.linspace(0, 2 * np.pi, 41)
        ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
        rings = [ring * (r, r, 1) + (0, 0, z) for r in (0.5, 1.0) for z in np.linspace(0, (1, 0.1, 3)[seed - 4], 9)]
        points = np.concatenate(rings) @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + 0.3
    check(model(inline(Surface(points.astype(np.float32).astype(float)))))


def test_a_hull_is_closed_and_holds_its_points() -> None:
    points = np.random.default_rng(5).normal(size=(2000, 3))
    faces = convex_hull(points)
    edges = {(a, b) for f in faces.tolist() for a, b in zip(f, f[1:] + f[:1])}
    assert len(edges) == 3 * len(faces)
    assert edges == {(b, a) for a, b in edges}
    a, b, c = (points[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert (points @ normals.T - np.einsum("ij,ij->i", normals, a)).max() < 1e-12


@pytest.mark.parametrize("way", ["legacy", "shell"])
def test_open_and_turned_surfaces_are_those_of_mujoco(way: str) -> None:
    """Where volumes have no sign."""
    faces = brick().faces
    for wrong in (faces[:-1], faces[:, ::-1], np.vstack([faces[:-1], faces[-1:, ::-1]]), np.vstack([faces, faces[:1]])):
        check(model(f'{inline(Surface(CORNERS, wrong))} inertia="{way}"'))


def test_open_meshes_have_no_exact_volume_unless_it_shall_be_mujoco_s() -> None:
    for mesh in (HOLE, INWARD_ONE):
        text = model(f'{inline(mesh)} inertia="exact"')
        with pytest.raises(ModelFileError, match=r"mesh 'm': the mesh is open, or faces beside .* as MuJoCo does$"):
            read(text)
        if mesh is HOLE:  # MuJoCo refuses the other
            check(text, strict=False)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_fitted_shapes_are_those_of_mujoco(kind: str) -> None:
    for mesh, fit in itertools.product(SURFACES.values(), ("", 'fitscale="1.5"', 'mass="2"')):
        check(model(inline(mesh), f'type="{kind}" {fit}'))
    check(model(inline(torus()), ""))


def test_masses_and_densities_of_the_geom_count() -> None:
    for given in ('mass="2"', 'density="7"', 'density="0"', 'mass="0"', 'group="5"'):
        more = "" if "7" in given or "2" in given else BALL
        check(model(inline(torus()), f'type="mesh" {given}', '<compiler inertiagrouprange="0 3"/>', more))
    check(model(inline(torus()), more=BALL), AXES)
    check(model(inline(brick()), 'type="mesh"', '<compiler settotalmass="3" boundmass="1" boundinertia="2"/>'))


def test_classes_give_meshes_scale_and_way() -> None:
    inner = '<default class="c"><mesh inertia="shell"/></default>'
    head = f'<default><mesh scale=".1 .2 .3" inertia="exact"/>{inner}</default>'
    for extra in ("", ' class="c"', ' class="c" scale="2 2 2"'):
        check(model(inline(torus()) + extra, head=head))


def test_polygons_of_obj_files(tmp_path: Path) -> None:
    """Quadrangles along the shorter diagonal, larger ones as fans, and just the first group."""
    angles = np.linspace(0, 2 * np.pi, 7, endpoint=False) + 0.3
    tilt = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]])
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
    points = np.concatenate([ring, ring * (0.5, 0.7, 1) + (0, 0, 1)]) @ tilt
    sides = "".join(f"f {k + 1} {(k + 1) % 7 + 1} {(k + 1) % 7 + 8} {k + 8}\n" for k in range(7))
    text = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist())
    text += "g a\nf 7 6 5 4 3 2 1\nf 8 9 10 11 12 13 14\nf 1 2\nusemtl b\n" + sides
    text += "g b\nv 9 9 9\nf 1 2 15\n"
    (tmp_path / "m.obj").write_text(text)
    for way in WAYS:
        (tmp_path / "model.xml").write_text(model(f'file="m.obj" inertia="{way}"'))
        check(tmp_path / "model.xml", CORNERS_ROUNDED)


def test_files_are_found_as_mujoco_finds_them(tmp_path: Path) -> None:
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "d" / "e" / "m.STL").write_bytes(stl(torus()))
    (tmp_path / "d" / "m.STL").write_bytes(stl(brick()))
    file = tmp_path / "model.xml"
    for head, asset in (
        ('<compiler meshdir="d"/>', 'file="e/m.STL"'),
        ('<compiler meshdir="d/"/>', 'file="e\\m.STL"'),
        ('<compiler assetdir="d/e"/>', 'file="m.STL"'),
        ('<compiler assetdir="x" meshdir="d"/>', 'file="m.STL"'),
        ('<compiler meshdir="d" strippath="true"/>', 'file="e/m.STL"'),
    ):
        file.write_text(model(asset, head=head))
        check(file)
        file.write_text(model(asset, head=head).replace('<mesh name="m"', "<mesh"))
        check(file)


def test_a_text_in_stl_is_the_same_mesh(tmp_path: Path) -> None:
    """MuJoCo reads binary files only."""
    (tmp_path / "a.stl").write_bytes(stl_text(torus()))
    (tmp_path / "b.stl").write_bytes(stl(torus()))
    a, b = (mesh_mass(read_mesh(tmp_path / name), "exact") for name in ("a.stl", "b.stl"))
    assert a.volume == b.volume
    assert (a.inertia == b.inertia).all()


def test_the_whole_dynamics_agrees(tmp_path: Path) -> None:
    text = model(inline(torus()))
    robot = read(text)[0]
    oracle = Oracle(robot, loaded(text))
    q, qd, qdd = np.array([[0.3], [0.4], [0.5]])
    assert error(robot.inverse_dynamics(q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd)) < AXES


# -- what is not needed ------------------------------------------------------------------------------------------------


def test_meshes_without_need_are_not_opened() -> None:
    """Welded to the world, without mass, outside of the groups, or in a body with an inertial."""
    missing = '<asset><mesh name="m" file="nowhere.stl"/></asset>'
    geom = '<geom type="mesh" mesh="m"/>'
    moving = '<body><joint/><geom size="1"/>{}</body>'
    for inside in (
        f"<body>{geom}<body>{geom}</body></body>" + moving.format(""),
        geom + moving.format(""),
        moving.format('<geom type="mesh" mesh="m" mass="0"/><geom type="mesh" mesh="m" density="0"/>'),
        moving.format('<geom type="mesh" mesh="m" group="1"/>'),
        moving.format(geom + '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'),
    ):
        text = f'<mujoco><compiler inertiagrouprange="0 0"/>{missing}<worldbody>{inside}</worldbody></mujoco>'
        assert read(text)[1] == ""


# -- what is refused ---------------------------------------------------------------------------------------------------

NAN, FAR = brick().points.copy(), brick().points.copy()
NAN[0, 0], FAR[0, 0] = np.nan, 1e12
FLAT = Surface(CORNERS * (1, 1, 0), brick().faces)
HOLE = Surface(CORNERS, brick().faces[:-1])
INWARD = Surface(CORNERS, brick().faces[:, ::-1])
INWARD_ONE = Surface(CORNERS, np.vstack([brick().faces[:-1], brick().faces[-1:, ::-1]]))
BEYOND = Surface(CORNERS, np.array([[0, 1, 8]]))

BROKEN = {
    "cut.stl": (
        stl(torus(), b"a mesh")[:-7],
        "it should have 9684 bytes for 192 triangles, and has 9677; it may be cut off",
    ),
    "empty.stl": (b"", "not readable as STL"),
    "none.stl": (stl(Surface(CORNERS, np.zeros((0, 3), int))), "not readable as STL"),
    "lies.stl": (stl(brick(), b"")[:80] + b"\xff\xff\xff\xff", "it should have 214748364834 bytes"),
    "nan.stl": (stl(dataclasses.replace(brick(), points=NAN)), "a coordinate is not finite"),
    "far.stl": (stl(dataclasses.replace(brick(), points=FAR)), "beyond 1.07374e\\+09"),
    "cut_text.stl": (stl_text(brick())[:-40], "the text is cut off"),
    "words.stl": (stl_text(brick()).replace(b"1.0", b"one"), "a point has not three numbers"),
    "cut.msh": (msh(brick())[:-1], "the counts at its beginning do not fit its size"),
    "tiny.msh": (b"abc", "the counts at its beginning do not fit its size"),
    "minus.msh": (struct.pack("<4i", -1, 0, 0, 1), "the counts at its beginning do not fit its size"),
    "huge.msh": (struct.pack("<4i", 2**31 - 1, 0, 0, 2**31 - 1), "the counts at its beginning do not fit its size"),
    "beyond.msh": (msh(BEYOND), "a face names a point that is not there; there are 8"),
    "few.msh": (msh(Surface(CORNERS[:3], np.array([[0, 1, 2]]))), f"has 3 points; expected 4 to {MAX_POINTS}"),
    "beyond.obj": (obj(brick()) + b"f 1 2 9\n", "a face names a point that is not there; there are 8"),
    "zero.obj": (obj(brick()).replace(b"f 1/", b"f 0/"), "a face has a point 0"),
    "words.obj": (obj(brick()) + b"f a b c\n", "'a b c' is no face"),
    "short.obj": (obj(brick()) + b"v 1 2\n", "a point has not three numbers"),
    "nan.obj": (obj(dataclasses.replace(brick(), points=NAN)), "a coordinate is not finite"),
    "star.obj": (b"v 0 0 0\nv 2 1 0\nv 4 0 0\nv 3 3 0\nv 1 3 0\nf 1 2 3 4 5\n", "is not flat, or not convex"),
    "empty.obj": (b"", "has 0 points"),
    "scene.dae": (b"<COLLADA/>", "'scene.dae' is no mesh that is read; .* .stl, .obj, .msh: convert it"),
    "flat.stl": (stl(FLAT), "the volume of the mesh is zero"),
    "flat_hull.stl": (stl(FLAT), "lie in a plane"),
    "point.stl": (stl(Surface(CORNERS * 0, brick().faces)), "the mesh has no area"),
    "inward.obj": (obj(INWARD), "the volume of the mesh is negative: its faces look inward"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mesh_is_refused_by_name(name: str, tmp_path: Path) -> None:
    content, message = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    way = "convex" if name == "flat_hull.stl" else "exact"
    (tmp_path / "model.xml").write_text(model(f'file="{name}" inertia="{way}"', more=BALL))
    with pytest.raises(ModelFileError, match=rf"^model.xml, line 1, mesh 'm': .*{message}.*; strict=False leaves its"):
        read(tmp_path / "model.xml")
    robot, warning = read(tmp_path / "model.xml", strict=False)
    assert warning == "model.xml: not read: 1 mesh geom with mass ('body1')"
    assert 0 < robot.bodies[0].inertia.mass < 1


@pytest.mark.parametrize("form", ["stl", "txt", "obj", "msh"])
def test_changed_bytes_give_a_mass_or_an_error(form: str, tmp_path: Path) -> None:
    """And no warning, and nothing else."""
    rng, text = np.random.default_rng(1), {**FORMATS, "txt": stl_text}[form](brick())
    file = tmp_path / f"m.{form.replace('txt', 'stl')}"
    for _ in range(150):
        content = bytearray(text)
        for _ in range(rng.integers(1, 6)):
            at = int(rng.integers(len(content)))
            part = rng.choice([b"", b"e", b"9", b"-", b"1e300 ", b"nan", b"\xff\x7f", b"\n", bytes(4)])
            content[at : at + int(rng.integers(3))] = part
        file.write_bytes(content)
        for way in WAYS:
            with contextlib.suppress(ModelFileError):
                found = mesh_mass(read_mesh(file), way)
                assert np.isfinite(found.inertia).all()
                assert found.volume > 0


@pytest.mark.parametrize(
    ("asset", "message"),
    [
        ('file="nowhere.stl"', "there is no file"),
        ('file="../secret.stl"', "leads outside the folders"),
        ('file="/etc/passwd"', "leads outside the folders"),
        ('file="out.stl"', "leads outside the folders"),
        ('file="https://x/y.stl"', "is not read; expected package"),
        ('file=""', "has no file"),
        ('builtin="sphere" params="2"', "meshes that MuJoCo makes"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" maxhullvert="3"', "remove maxhullvert"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0"', "expected three numbers for each, got 11"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 1.5"', "expected the numbers of three points"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 4"', "a face names a point that is not there"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 1e300"', "expected the numbers of three points"),
        ("", "<mesh> has no vertex"),
        ('file="m.stl" inertia="thick"', "expected one of 'convex', 'exact', 'legacy', 'shell'"),
        ('file="m.stl" refquat="0 0 0 0"', "the quaternion is zero"),
        ('file="m.stl" scale="1e300 1e300 1e300"', "the mesh is larger than"),
        ('file="m.stl" refpos="1e300 0 0"', "the mesh is larger than"),
        ('file="m.stl" scale="0 1 1"', "the volume of the mesh is zero"),
        ('file="m.stl" scale="1e-9 1e-9 1e-9"', "the mesh has no area"),
    ],
)
def test_a_mesh_that_is_not_there_is_refused(asset: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "secret.stl").write_bytes(stl(brick()))
    (tmp_path / "models" / "m.stl").write_bytes(stl(brick()))
    (tmp_path / "models" / "out.stl").symlink_to(tmp_path / "secret.stl")
    file = tmp_path / "models" / "model.xml"
    file.write_text(model(asset))
    with pytest.raises(ModelFileError, match=message):
        read(file)
    assert "mesh geom with mass" in read(file, strict=False)[1]


def test_folders_that_are_named_are_opened(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "m.stl").write_bytes(stl(torus()))
    file = tmp_path / "models" / "model.xml"
    file.write_text(model('file="../m.stl"'))
    assert read(file, packages=[tmp_path])[0].bodies[0].inertia.mass == pytest.approx(loaded(file).body_mass[1])
    with pytest.raises(ModelFileError, match="text has no folder"):
        read(model('file="m.stl"'))


def test_shapes_that_can_t_be_fitted_are_refused() -> None:
    cube = Surface(CORNERS / (1, 2, 3), brick().faces)
    with pytest.raises(ModelFileError, match="two equal principal moments, so that the axis of a capsule"):
        read(model(inline(cube), 'type="capsule"'))
    with pytest.raises(ModelFileError, match='<compiler fitaabb="true"> is not read'):
        read(model(inline(cube), 'type="box"', '<compiler fitaabb="true"/>'))
    with pytest.raises(ModelFileError, match="there is no mesh 'n'"):
        read(model(inline(cube)).replace('mesh="m"', 'mesh="n"'))
    with pytest.raises(ModelFileError, match="<geom> has no mesh"):
        read(model(inline(cube)).replace('mesh="m"', ""))
