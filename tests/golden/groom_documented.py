# SPDX-License-Identifier: MIT
"""docs/FORMATS.md §16 against files: the table of attributes, column by column, and what the text says of each format, read by the tests' own reader of
Ogawa, Pixar's library, and numpy.  docs/GROOM.md: its sample of a report, and its table of axes against hair that each program's option turns."""
import base64
import json
import os
import re
import struct
import subprocess
from pathlib import Path

import numpy as np
import ogawa
from bake import read_glb, tap

ROOT, TMP, BUILD = (Path(os.environ[name]) for name in ("BW_ROOT", "TMPDIR", "BW_BUILD"))
GROOM = (ROOT / "docs/GROOM.md").read_text(encoding="utf-8")
SECTION = (ROOT / "docs/FORMATS.md").read_text(encoding="utf-8").split("\n## 16. Files of grooms\n")[1].split("\n## ")[0]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in SECTION.splitlines() if line.startswith("| `groom_")]
EXTENTS = {1: "", 2: "[2]", 3: "[3]"}


def write(source, ending):
    path = TMP / f"{source.stem}_written.{ending}"
    subprocess.run([os.environ["BAKEWELL"], "groom", source, "-o", path, "--quiet"], check=True)
    return path


def members(properties, name):
    return next((p for p in properties if p.name == name), None)


def documented(name, column):
    """The cell of an attribute, without its code marks."""
    return next(row for row in ROWS if row[0] == f"`{name}`")[column].replace("`", "")


def abc_parts(path):
    archive = ogawa.read(path)
    (groom,) = archive.top.children
    (strands,) = groom.children
    return archive, groom, strands, members(strands.properties, ".geom").children


def scalar(p):
    return ogawa.values(p, p.sample(0).payload)[0]


def check_abc_head(path):
    archive, groom, strands, geometry = abc_parts(path)
    assert (groom.name, strands.name) == ("groom", "strands")
    assert "AbcGeom_Xform" in groom.meta and "AbcGeom_Curve" in strands.meta
    xform = members(groom.properties, ".xform").children
    assert [p.name for p in xform] == [".userProperties"], "the transform has a matrix, or more"
    user = {p.name: p for p in xform[0].children}
    assert set(user) == {"groom_version_major", "groom_version_minor", "groom_tool", "groom_properties"}
    assert (scalar(user["groom_version_major"]), scalar(user["groom_version_minor"])) == (1, 5)
    assert [ogawa.PODS[user[name].pod].removesuffix("_t") for name in ("groom_version_major", "groom_tool")] == ["int16", "string"]
    assert list(members(geometry, "curveBasisAndType").sample(0).payload) == [1, 0, 0, 0]
    assert len(archive.samplings) == 1 and members(geometry, "P").count == 1


def check_abc_table(path):
    _, _, _, geometry = abc_parts(path)
    found = members(geometry, ".arbGeomParams").children
    assert [p.name for p in found] == [row[0].strip("`") for row in ROWS], f"{[p.name for p in found]}"
    for p in found + [members(geometry, "width")]:
        name = "groom_width" if p.name == "width" else p.name
        scope = {"uni": "strand", "vtx": "point"}[ogawa.metadata(p.meta)["geoScope"]]
        kind = ogawa.PODS[p.pod].removesuffix("_t") + EXTENTS[p.extent]
        assert kind in re.split(" or |, ", documented(name, 3)), f"{p.name}: {kind}, documented as {documented(name, 3)}"
        assert scope == documented(name, 2), f"{p.name}: one a {scope}"
        assert p.kind != ogawa.COMPOUND, f"{p.name} is indexed"


def check_abc_motion(path):
    archive, _, _, geometry = abc_parts(path)
    points = members(geometry, "P")
    assert points.count == 4 and points.sampling == 1 and len(archive.samplings) == 2
    assert archive.samplings[1].times[0] >= 0
    for p in geometry:
        if p.name in ("nVertices", "curveBasisAndType"):
            assert len({bytes(p.sample(k).payload) for k in range(p.count)}) == 1, f"{p.name} changes"
        elif p.name not in ("P", ".selfBnds", ".arbGeomParams"):
            assert p.count == 1, f"{p.name} has {p.count} samples"
    for p in members(geometry, ".arbGeomParams").children:
        assert p.count == 1, f"{p.name} has {p.count} samples"


def abc_points(path):
    points = members(abc_parts(path)[3], "P")
    return [np.frombuffer(points.sample(k).payload, "<f4").reshape(-1, 3) for k in range(points.count)]


def check_usda(path, abc, moving, abc_moving):
    from pxr import Usd, UsdGeom
    stage = Usd.Stage.Open(str(path))
    assert (UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage), stage.GetTimeCodesPerSecond()) == (0.01, "Z", 1)
    assert "GroomAPI" in str(stage.GetDefaultPrim().GetMetadata("apiSchemas")) and str(stage.GetDefaultPrim().GetPath()) == "/groom"
    curves = UsdGeom.BasisCurves(stage.GetPrimAtPath("/groom/strands"))
    assert (np.array(curves.GetPointsAttr().Get()) == abc_points(abc)[0] * [1, -1, 1]).all()
    kinds = {p.GetPrimvarName(): (str(p.GetTypeName()).removesuffix("[]"), {"uniform": "strand", "vertex": "point"}[p.GetInterpolation()])
             for p in UsdGeom.PrimvarsAPI(curves).GetPrimvarsWithValues()}
    kinds["groom_width"] = (str(curves.GetWidthsAttr().GetTypeName()).removesuffix("[]"), {"vertex": "point"}[curves.GetWidthsInterpolation()])
    assert set(kinds) == {row[0].strip("`") for row in ROWS}, f"{set(kinds)}"
    for name, (kind, each) in kinds.items():
        assert kind in re.split(" or |, ", documented(name, 4)), f"{name}: {kind}, documented as {documented(name, 4)}"
        assert each == documented(name, 2), f"{name}: one a {each}"
    cards = UsdGeom.PrimvarsAPI(curves).GetPrimvar("groom_group_cards_id").Get()
    assert list(cards) == ["cards a"] * 3 + [""] * 2, f"{list(cards)}"
    stage = Usd.Stage.Open(str(moving))
    points = UsdGeom.BasisCurves(stage.GetPrimAtPath("/groom/strands")).GetPointsAttr()
    for k, (time, wanted) in enumerate(zip(points.GetTimeSamples(), abc_points(abc_moving), strict=True)):
        assert abs(time - (k + 1) / 24) < 1e-9 and (np.array(points.Get(time)) == wanted * [1, -1, 1]).all(), f"{time} s"


def check_glb(path, abc):
    document, accessor = read_glb(path)
    (mesh,) = document["meshes"]
    (primitive,) = mesh["primitives"]
    assert primitive["mode"] == 1 and mesh["extras"]["groups"] == ["fringe", "neck"] and "animations" not in document
    found = set(primitive["attributes"]) - {"POSITION"}
    wanted = {re.split(", ", row[5].replace("`", ""))[0] for row in ROWS} - {"–", "extras.groups"}
    assert found == wanted, f"{sorted(found)}, documented {sorted(wanted)}"
    assert np.allclose(accessor(primitive["attributes"]["POSITION"]), abc_points(abc)[0][:, [0, 2, 1]] / 100, rtol=1e-6)
    width = np.frombuffer(members(abc_parts(abc)[3], "width").sample(0).payload, "<f4")
    assert np.allclose(accessor(primitive["attributes"]["_WIDTH"])[:, 0], width / 100, rtol=1e-6)
    uv = np.frombuffer(members(members(abc_parts(abc)[3], ".arbGeomParams").children, "groom_root_uv").sample(0).payload, "<f4").reshape(-1, 2)
    counts = np.frombuffer(members(abc_parts(abc)[3], "nVertices").sample(0).payload, "<i4")
    assert (accessor(primitive["attributes"]["TEXCOORD_0"]) == np.repeat([0, 1] + uv * [1, -1], counts, axis=0)).all()
    assert (accessor(primitive["attributes"]["COLOR_0"])[:, 3] == 1).all()


def check_hair(path, abc):
    data = path.read_bytes()
    magic, strands, points, arrays = struct.unpack_from("<4s3I", data)
    names = {"thickness": 4, "colours": 16}
    documented_bits = sum(names[row[6]] for row in ROWS if row[6] != "–")
    assert (magic, arrays) == (b"HAIR", 3 + documented_bits), f"arrays {arrays}"
    counts = np.frombuffer(members(abc_parts(abc)[3], "nVertices").sample(0).payload, "<i4")
    guides = np.frombuffer(members(members(abc_parts(abc)[3], ".arbGeomParams").children, "groom_guide").sample(0).payload, "<i2") == 1
    segments = np.frombuffer(data, "<u2", strands, 128)
    assert (segments + 1 == counts[~guides]).all(), "guides are not left out"
    found = np.frombuffer(data, "<f4", 3 * points, 128 + 2 * strands).reshape(-1, 3)
    assert (found == abc_points(abc)[0][np.repeat(~guides, counts)] * [1, -1, 1]).all()


def write_lines(path):
    """Twenty strands of two points, and nothing else."""
    points = np.array([[x / 100, y / 10, 0] for x in range(20) for y in range(2)], "<f4")
    uri = "data:application/octet-stream;base64," + base64.b64encode(points.tobytes()).decode()
    accessor = {"bufferView": 0, "componentType": 5126, "count": 40, "type": "VEC3", "min": points.min(0).tolist(), "max": points.max(0).tolist()}
    path.write_text(json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "buffers": [{"uri": uri, "byteLength": points.nbytes}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 1}]}], "accessors": [accessor],
        "bufferViews": [{"buffer": 0, "byteLength": points.nbytes}]}))


def check_bare(bare):
    """Without an attribute there is no property for it, and glTF's colours tell groups and guides."""
    _, groom, _, geometry = abc_parts(bare)
    assert {p.name for p in members(geometry, ".arbGeomParams").children}.isdisjoint({"groom_color", "groom_ao", "groom_clumpid", "groom_group_cards_id"})
    assert {p.name for p in members(groom.properties, ".xform").children[0].children}.isdisjoint({"groom_properties"})
    document, accessor = read_glb(write(bare, "glb"))
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    colours, guides = accessor(attributes["COLOR_0"])[:, :3], accessor(attributes["_GUIDE"])[:, 0] == 1
    assert guides.any() and (colours[guides] == np.float32([0.9, 0.05, 0.05])).all() and not (colours[~guides] == np.float32([0.9, 0.05, 0.05])).all(1).any()


# ---- docs/GROOM.md ----

def check_report():
    """Each line of the sample is one of the report, in the same order."""
    sample = GROOM.split("\n## The report\n")[1].split("```\n")[1].splitlines()
    subprocess.run([BUILD / "make_assets", TMP, "hair"], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([os.environ["BAKEWELL"], "groom", "hair.abc"], cwd=TMP, capture_output=True, text=True)
    printed = iter(done.stdout.splitlines())
    assert len(sample) > 5 and done.returncode == 1
    for line in sample:
        assert line in printed, f"the program does not print, in this order: {line}"


# Of hand_hair.py; Unreal's z is up where theirs is, which is for the table to say.
POINTS = np.array([(0, 0, 1), (0, 0, 2), (1, 0, 1), (1, -4, 2.5), (2, 0, 1), (2, 0, 2), (2, 0, 3)])
CM = {"m": 100, "cm": 1}


def check_axes():
    """Where the table says that Unreal's (x, y, z) is in a file, and what is typed in its dialog."""
    rows = re.findall(r"^\| `(\w+)` \| \((.*?)\) \| (\w+) \| (.*) \|$", GROOM.split("\n## Axes and units\n")[1].split("\n## ")[0], re.M)
    assert len(rows) == 5, f"{len(rows)} rows"
    for name, places, unit, typed in rows:
        out = TMP / f"{name}.abc"
        subprocess.run([os.environ["BAKEWELL"], "groom", TMP / "hand.hair", "-o", out, f"--from={name}", "--quiet"], check=True)
        x, y, z = abc_points(out)[0][:len(POINTS)].T / CM[unit]  # guides come after the hair
        axes = {"x": x, "y": y, "z": z, "-x": -x, "-y": -y, "-z": -z}
        assert np.allclose(np.stack([axes[place] for place in places.split(", ")], 1), POINTS), name
        done = subprocess.run([os.environ["BAKEWELL"], "groom", TMP / "hand.hair", f"--from={name}", "--json"], check=True, capture_output=True, text=True)
        said = [finding["message"] for finding in json.loads(done.stdout)["findings"] if finding["code"] == "axes"]
        assert (not said and typed == "nothing") or said[0].endswith(f"type {typed}"), f"{name}: {said}"


def check_name(full):
    """Nothing of a file depends on its name, or on when it was written."""
    other = TMP / "another_name.abc"
    other.write_bytes(full.read_bytes())
    for ending in ("abc", "usda", "glb", "hair"):
        assert write(full, ending).read_bytes() == write(other, ending).read_bytes(), ending


def check_rows():
    schema = re.findall(r'^BWI_GROOM_ATTRIBUTE\("(\w+)"', (ROOT / "src/model/groom_attributes.def").read_text(), re.M)
    assert schema and [row[0] for row in ROWS] == [f"`groom_{name}`" for name in schema], f"{schema}"


def main():
    full, moving = TMP / "full.abc", TMP / "moving.abc"
    for kind, path in (("still", full), ("moving", moving)):
        subprocess.run([BUILD / "tests/tools/groom_write", kind, path], check=True)
    write_lines(TMP / "bare.gltf")
    abc, abc_moving = write(full, "abc"), write(moving, "abc")
    tap("the table has every attribute of the schema", check_rows)
    tap("objects and properties of an archive", check_abc_head, abc)
    tap("attributes of an archive", check_abc_table, abc)
    tap("motion of an archive", check_abc_motion, abc_moving)
    tap("USD", check_usda, write(full, "usda"), abc, write(moving, "usda"), abc_moving)
    tap("glTF", check_glb, write(full, "glb"), abc)
    tap("cyHair", check_hair, write(full, "hair"), abc)
    tap("hair that has nothing but strands", check_bare, write(TMP / "bare.gltf", "abc"))
    tap("names and times", check_name, full)
    subprocess.run(["python3", ROOT / "tests/lib/hand_hair.py", TMP / "hand.hair"], check=True)
    tap("the sample of a report", check_report)
    tap("the table of axes", check_axes)


main()
