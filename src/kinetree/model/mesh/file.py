"""Files of triangle meshes: STL (binary and text), OBJ, and MuJoCo's MSH.

Mesh files are untrusted: their size is bounded, counts are compared with it before anything is made, and indices and
coordinates are checked. Coordinates are rounded to single precision, as MuJoCo does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from kinetree.errors import ModelFileError
from kinetree.model.text.file import in_file, located, read_bytes, shown

LARGEST = 2.0**30  # of a coordinate, as in MuJoCo
MAX_POINTS = 2_100_000  # corners of the largest STL file
MAX_POLYGON = 1000  # corners
_FLAT = 1e-5  # how far corners may be from a plane, of the size of the polygon
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

Array = np.ndarray


@dataclass(frozen=True)
class Surface:
    """Triangles: the points (n, 3), and the numbers of the corners of each face (m, 3). None: points alone."""

    points: Array
    faces: Array | None = None


def surface(points: Array, faces: Array | None = None) -> Surface:
    """The surface of points and faces that were read; raises `ModelFileError` where they are none."""
    points = rounded(points.reshape(-1, 3)).astype(float)
    if not 3 < len(points) <= MAX_POINTS:
        raise ModelFileError(f"the mesh has {len(points)} points; expected 4 to {MAX_POINTS}")
    if faces is not None and not 0 <= faces.min(initial=0) <= faces.max(initial=0) < len(points):
        raise ModelFileError(f"a face names a point that is not there; there are {len(points)}")
    return Surface(points, None if faces is None or not len(faces) else faces)


def rounded(points: Array) -> Array:
    """Coordinates in single precision; they must be finite and not too large."""
    if not np.isfinite(points).all() or np.abs(points).max(initial=0.0) > LARGEST:
        raise ModelFileError(f"a coordinate is not finite, or beyond {LARGEST:g}; save the mesh again, in other units")
    return points.astype(np.float32)


def read_mesh(path: Path) -> Surface:
    """The triangles of a file; the ending of its name says the format."""
    ending = path.suffix.lower()
    if ending not in _READERS:
        given = f"{shown(path.name)} is no mesh that is read"
        raise ModelFileError(f"{given}; expected a file that ends in {', '.join(_READERS)}: convert it")
    name, content = read_bytes(path, "a mesh")
    with located(in_file(name)):
        return _READERS[ending](content)


# -- the formats ---------------------------------------------------------------------------------------------------


def _stl(content: bytes) -> Surface:
    """80 bytes, the number of triangles, 50 bytes for each; or text that begins with "solid"."""
    count = int.from_bytes(content[80:84], "little")
    if len(content) == 84 + 50 * count and len(content) > 84:
        corners = np.frombuffer(content, _TRIANGLE, offset=84)["corners"].reshape(-1, 3)
    elif content.lstrip()[:5] == b"solid":
        corners = _stl_text(content)
    else:
        given = f"it should have {84 + 50 * count} bytes for {count} triangles, and has {len(content)}"
        raise ModelFileError(f"not readable as STL: {given}; it may be cut off")
    return surface(corners, np.arange(len(corners)).reshape(-1, 3))


def _stl_text(content: bytes) -> Array:
    words = [line.split() for line in content.split(b"\n") if line.lstrip().startswith(b"vertex")]
    facets = sum(line.lstrip().startswith(b"facet") for line in content.split(b"\n"))
    if len(words) != 3 * facets or not facets or not any(b"endsolid" in line for line in content.rsplit(b"\n", 3)[1:]):
        raise ModelFileError("not readable as STL: the text is cut off, or a facet has not three vertices")
    return _numbers([word[1:] for word in words])


def _msh(content: bytes) -> Surface:
    """Four counts (points, normals, texture coordinates, faces), then the numbers of each."""
    counts = np.frombuffer(content[:16], "<i4").astype(int) if len(content) >= 16 else [-1]
    if min(counts) < 0 or len(content) != 16 + int(np.dot(counts, (12, 12, 8, 12))):
        raise ModelFileError("not readable as MSH: the counts at its beginning do not fit its size; it may be cut off")
    points = np.frombuffer(content, "<f4", 3 * counts[0], 16)
    faces = np.frombuffer(content, "<i4", 3 * counts[3], len(content) - 12 * counts[3])
    return surface(points, faces.reshape(-1, 3).astype(int))


def _obj(content: bytes) -> Surface:
    """Points of the whole file, faces of the first group that has some, as in MuJoCo."""
    points: list[list[bytes]] = []
    polygons: list[list[int]] = []
    done = False
    for words in (line.split() for line in content.split(b"\n")):
        if words[:1] == [b"v"]:
            points.append(words[1:4])
        elif words[:1] == [b"f"] and not done:
            polygons.append(_corners(words[1:], len(points)))
        elif words[:1] in ([b"g"], [b"o"]):
            done = bool(polygons)
    places = rounded(_numbers(points))
    count = len(places)
    if any(not 0 <= i < count for polygon in polygons for i in polygon):
        raise ModelFileError(f"a face names a point that is not there; there are {count}")
    faces = [face for polygon in polygons if len(polygon) > 2 for face in _triangles(polygon, places)]
    return surface(places, np.array(faces, int).reshape(-1, 3))


_READERS: Mapping[str, Callable[[bytes], Surface]] = {".stl": _stl, ".obj": _obj, ".msh": _msh}


# -- parts of them -------------------------------------------------------------------------------------------------


def _numbers(rows: Sequence[Sequence[bytes]]) -> Array:
    """Rows of three numbers."""
    try:
        return np.array(rows, float).reshape(-1, 3)
    except ValueError:
        raise ModelFileError("a point has not three numbers") from None


def _corners(words: Sequence[bytes], count: int) -> list[int]:
    """The points of an OBJ face: numbers from 1, or back from the last point; normals and textures stand behind."""
    try:
        given = [int(word.partition(b"/")[0]) for word in words]
    except ValueError:
        raise ModelFileError(f"{shown(b' '.join(words).decode('latin-1'))} is no face of an OBJ file") from None
    if len(given) > MAX_POLYGON or 0 in given:
        raise ModelFileError(f"a face has a point 0, or more than {MAX_POLYGON} corners; points begin at 1")
    return [i - 1 if i > 0 else count + i for i in given]


def _triangles(polygon: Sequence[int], points: Array) -> Iterator[tuple[int, int, int]]:
    """A polygon in triangles: a quadrangle along its shorter diagonal, a larger one as a fan."""
    if len(polygon) == 4:
        a, b, c, d = polygon
        one, other = points[c] - points[a], points[d] - points[b]
        if not one.dot(one) < other.dot(other):
            polygon = b, c, d, a
    elif len(polygon) > 4 and not _is_flat_and_convex(points[[*polygon]].astype(float)):
        given = "a face with more than four corners is not flat, or not convex"
        raise ModelFileError(f"{given}; save the mesh with triangles only")
    first, *others = polygon
    yield from ((first, one, other) for one, other in pairwise(others))


def _is_flat_and_convex(corners: Array) -> bool:
    """Whether a polygon lies in a plane, up to rounding, and turns to one side at each corner."""
    corners = corners - corners.mean(0)
    following = np.roll(corners, -1, axis=0)
    normal = np.cross(corners, following).sum(0)  # twice the area
    turns = np.cross(following - corners, np.roll(following, -1, axis=0) - following) @ normal
    away, size = np.abs(corners @ normal).max(), np.linalg.norm(normal) * np.abs(corners).max()
    return bool((turns >= -_FLAT * normal.dot(normal)).all() and away <= _FLAT * size)
