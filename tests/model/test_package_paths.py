"""Addresses in model files: found inside the named folders, refused outside of them, and never opened."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

from kinetree.errors import ModelError, ModelFileError
from kinetree.model.urdf.reader import mechanism_from_urdf

ARM = """<robot name="arm">
  <link name="base_link"/>
  <link name="tool"/>
  <joint name="shoulder" type="continuous"><parent link="base_link"/><child link="tool"/></joint>
</robot>
"""


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """shelf/arm_description/{meshes/a.stl, urdf/}, links out of it, and a file beside the shelf."""
    package = tmp_path / "shelf" / "arm_description"
    for folder in ("meshes", "urdf"):
        (package / folder).mkdir(parents=True)
    (package / "meshes" / "a.stl").touch()
    (package / "urdf" / "b.stl").touch()
    (tmp_path / "secret.stl").touch()
    (package / "meshes" / "way_out").symlink_to(tmp_path)
    (package / "meshes" / "out.stl").symlink_to(tmp_path / "secret.stl")
    (package / "meshes" / "in.stl").symlink_to("a.stl")
    (tmp_path / "back").symlink_to(package)
    (package / "meshes" / "circle.stl").symlink_to("circle.stl")
    return tmp_path / "shelf"


def with_mesh(address: str, tag: str = "mesh") -> str:
    shape = f'<link name="tool"><visual><geometry>\n<{tag} filename="{address}"/></geometry></visual></link>'
    return ARM.replace('<link name="tool"/>', shape)


def test_slips_of_real_files_are_forgiven(shelf: Path) -> None:
    for text in (with_mesh("package:///arm_description/meshes/a.stl"), with_mesh("", "texture")):
        assert mechanism_from_urdf(text, packages=[shelf]) == mechanism_from_urdf(ARM)


HERE = ("a.stl", "in.stl", "../meshes/a.stl", "/a.stl", "./a.stl", "x/../a.stl")
AWAY = ("out.stl", "way_out/secret.stl", "../../../secret.stl", "../../..", "way_out", "../../../back/meshes/a.stl")


@pytest.mark.parametrize("scheme", ["package", "model"])
def test_addresses_of_packages_are_found_inside_of_them(shelf: Path, scheme: str) -> None:
    package = shelf / "arm_description"
    for packages in ([shelf], [package], {"arm_description": package}, [shelf.parent, shelf], str(shelf)):
        for name in HERE:
            for tag in ("mesh", "texture"):
                text = with_mesh(f"{scheme}://arm_description/meshes/{name}", tag)
                assert mechanism_from_urdf(text, packages=packages) == mechanism_from_urdf(ARM)
        for name in AWAY:
            with pytest.raises(ModelFileError, match=r"^text, line 4, link 'tool': the address .* leads outside"):
                mechanism_from_urdf(with_mesh(f"{scheme}://arm_description/meshes/{name}"), packages=packages)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("package://../../secret.stl", "names no package; expected package://name/path"),
        ("package://", "names no package"),
        ("package:////", "names no package"),
        ("package:///meshes/a.stl", "no package 'meshes' in the folders"),
        ("package://arm/meshes/a.stl", "no package 'arm' in the folders of packages=: "),
        ("package://arm_description/meshes/b.stl", "there is no file "),
        ("package://arm_description/meshes", "there is no file "),
        ("package://arm_description/meshes/circle.stl", "there is no file|can't be followed"),
        ("http://example.org/a.stl", "is not read; expected package://name/"),
        ("file://meshes/a.stl", "is not read; expected package://name/"),
        ("meshes/a.stl", "is relative, but text has no folder; use package://"),
        ("/etc/passwd", "leads outside"),
        ("file:///etc/passwd", "leads outside"),
        ("", "<mesh> has no filename="),
        ("x" * 501, "longer than 500"),
    ],
)
def test_addresses_that_lead_nowhere_are_refused(shelf: Path, address: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=rf"^text, line 4, link 'tool': .*({message})"):
        mechanism_from_urdf(with_mesh(address), packages=[shelf])
    assert mechanism_from_urdf(with_mesh(address)) == mechanism_from_urdf(ARM)


def test_paths_begin_at_the_file_and_stay_in_the_named_folders(shelf: Path) -> None:
    package = shelf / "arm_description"
    path = package / "urdf" / "arm.urdf"
    good = ("b.stl", "../meshes/a.stl", str(package / "meshes/a.stl"), f"file://{package}/meshes/../meshes/a.stl")
    bad = ("../../../secret.stl", "../meshes/out.stl", str(shelf.parent / "secret.stl"), f"file://{package}/../../x")
    for address in good:
        path.write_text(with_mesh(address))
        assert mechanism_from_urdf(path, packages=[shelf]) == mechanism_from_urdf(ARM)
    for address in bad:
        path.write_text(with_mesh(address))
        with pytest.raises(ModelFileError, match=r"^arm\.urdf, line 4, link 'tool': the address .* leads outside"):
            mechanism_from_urdf(path, packages=[shelf])
    path.write_text(with_mesh("../meshes/a.stl"))  # the folder of the file alone
    with pytest.raises(ModelFileError, match="leads outside"):
        mechanism_from_urdf(path, packages={"other": path.parent})


def test_folders_of_packages_must_exist(shelf: Path) -> None:
    for packages in ([shelf / "none"], {"arm": shelf / "none"}, ["a\0b"], [None]):
        with pytest.raises(ModelError, match=r"^packages: there is no folder "):
            mechanism_from_urdf(ARM, packages=packages)  # type: ignore[arg-type]
    with pytest.raises(ModelFileError, match="no package 'arm'; did you mean 'arms'"):
        mechanism_from_urdf(with_mesh("package://arm/a.stl"), packages={"arms": shelf})


def test_nothing_is_opened_but_the_model(shelf: Path) -> None:
    opened: list[str] = []
    hook = [True]

    def listen(event: str, args: tuple[object, ...]) -> None:
        if hook[0] and event == "open" and not str(args[0]).endswith((".py", ".pyc")):
            opened.append(str(args[0]))

    sys.addaudithook(listen)
    path = shelf / "arm_description" / "urdf" / "arm.urdf"
    addresses = [f"package://arm_description/meshes/{name}" for name in (*HERE, *AWAY)]
    try:
        for address in (*addresses, "/etc/passwd", "b.stl"):
            path.write_text(with_mesh(address))
            opened.clear()
            with contextlib.suppress(ModelFileError):
                mechanism_from_urdf(path, packages=[shelf])
            assert opened == [str(path)]
    finally:
        hook[0] = False  # a listener can't be removed
