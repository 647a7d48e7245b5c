"""Collada files: places, colours, transformations, units; and files that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import ModelFileError
from kinetree.model.mesh.collada import read_collada

CORNERS = "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1"
FACES = """<polylist count="2" material="red"><input semantic="NORMAL" source="#n" offset="1"/>
  <input semantic="VERTEX" source="#v" offset="0"/><vcount>4 3</vcount><p>0 9 1 9 2 9 3 9 0 9 1 9 4 9</p></polylist>"""
NODE = '<node><instance_geometry url="#g">{material}</instance_geometry></node>'
MATERIAL = '<bind_material><instance_material symbol="red" target="#m"/></bind_material>'


def document(faces=FACES, node=None, unit="1", corners=CORNERS) -> str:
    return f"""<?xml version="1.0"?><COLLADA xmlns="x"><asset><unit meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
      <library_effects><effect id="e"><diffuse><color>0.9 0.1 0.2 1</color></diffuse></effect></library_effects>
      <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
      <library_geometries><geometry id="g"><mesh>
        <source id="s"><float_array count="15">{corners}</float_array></source>
        <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{faces}
      </mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene>{node or NODE.format(material=MATERIAL)}</visual_scene>
      </library_visual_scenes></COLLADA>"""


@pytest.fixture
def read(tmp_path):
    def reader(text: str):
        path = tmp_path / "mesh.dae"
        path.write_text(text, encoding="utf-8")
        return read_collada(path)

    return reader


def test_polygons_are_triangles_with_the_colour_of_their_material(read):
    (patch,) = read(document())
    assert patch.colour == (0.9, 0.1, 0.2, 1.0)
    triangles = patch.surface.points[patch.surface.faces]
    assert triangles.shape == (3, 3, 3)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert normals.tolist() == [[0, 0, 1], [0, 0, 1], [0, -1, 0]]


def test_nodes_move_turn_scale_and_nest_and_the_unit_counts(read):
    inner = NODE.format(material="").replace("<node>", "<node><rotate>0 0 1 90</rotate><scale>2 2 -2</scale>")
    (patch,) = read(document(node=f"<node><translate>10 0 0</translate>{inner}</node>", unit="0.001"))
    assert patch.colour is None
    points = patch.surface.points * 1000
    assert points.min(axis=0) == pytest.approx([8, 0, -2], abs=1e-4)
    assert points.max(axis=0) == pytest.approx([10, 2, 0], abs=1e-4)
    triangles = patch.surface.points[patch.surface.faces[:1]]
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[0]
    assert normal[2] < 0  # a mirror turns the surface inside out, and its corners go the other way round


LAUGHS = "".join(  # each node shows the next one twice
    f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(40)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (document(faces=""), "no triangles"),
        (document(faces=FACES.replace("<p>0", "<p>7")), "point that is not there"),
        (document(faces=FACES.replace("<p>0", "<p>x")), "no number"),
        (document(faces=FACES.replace("<vcount>4 3", "<vcount>4 4")), "vcount"),
        (document(faces=FACES.replace("#v", "#w")), "no element with the id"),
        (document(corners="0 0 0 1"), "three numbers"),
        (document(corners=CORNERS.replace("1 1", "nan 1")), "not finite"),
        (document(node='<node id="a"><instance_node url="#a"/></node>'), "inside each other"),
        (document(node=LAUGHS + '<node id="n40"/>'), "10000 in all"),
        (document(node=NODE.format(material="").replace("<node>", "<node><matrix>1 2</matrix>")), "16 finite numbers"),
        ('<!DOCTYPE COLLADA [<!ENTITY a "b">]><COLLADA>&a;</COLLADA>', "refused"),
    ],
)
def test_what_is_wrong_is_said(read, text, message):
    with pytest.raises(ModelFileError, match=message):
        read(text)


def test_a_view_draws_a_mesh_in_its_colours(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text("""<robot name="arm"><link name="base"/><link name="arm"><visual><geometry>
      <mesh filename="arm.dae" scale="2 2 2"/></geometry>
      <material name="blue"><color rgba="0 0 1 1"/></material></visual></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>""")
    plain = FACES.replace("red", "none").replace("4 3</vcount><p>0 9 1 9 2 9 3 9 0", "3</vcount><p>0")
    (tmp_path / "arm.dae").write_text(document(faces=FACES + plain))
    data = kt.Robot.from_urdf(path).view()._data
    meshes = [x for x in data["parts"] if x["kind"] == "mesh"]
    assert [x["colour"] for x in meshes] == [[0.9, 0.1, 0.2, 1.0], [0.0, 0.0, 1.0, 1.0]]  # else that of the model
    assert data["notes"] == []
    assert np.array(data["meshes"][0]["step"]) * 65535 == pytest.approx([2.0, 2.0, 2.0])
