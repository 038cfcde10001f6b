# SPDX-License-Identifier: MIT
"""Readers of the files that grooms are written to, apart from the program: each gives a Groom in Unreal's axes and centimetres."""
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import ogawa
from bake import read_glb

NUMPY = {"b": "<i1", "B": "<u1", "h": "<i2", "H": "<u2", "i": "<i4", "I": "<u4", "q": "<i8", "Q": "<u8", "e": "<f2", "f": "<f4", "d": "<f8"}


@dataclass
class Groom:
    counts: np.ndarray                           # points of each strand
    positions: np.ndarray                        # [points][3]
    values: dict = field(default_factory=dict)   # by names of the schema, arrays of points or of strands; names of groups as lists
    frames: list = field(default_factory=list)   # (seconds, positions) of what moves

    def strands(self, keep):
        """Only the strands that are kept: a mask."""
        of_points = np.repeat(keep, self.counts)
        values = {name: (rows[of_points] if len(rows) == len(of_points) else np.asarray(rows)[keep]) for name, rows in self.values.items()}
        return Groom(self.counts[keep], self.positions[of_points], values)


# ---- Alembic, by the tests' own reader -----------------------------------------------------------------------------------------------------

def find(objects, kind):
    for o in objects:
        if kind in o.meta:
            return o
        found = find(o.children, kind)
        if found:
            return found
    return None


def array(p, index=0):
    payload = p.sample(index).payload
    if p.pod == ogawa.STRING:
        return ogawa.values(p, payload)
    numbers = np.frombuffer(payload, NUMPY[ogawa.FORMATS[p.pod]])
    return numbers.reshape(-1, p.extent) if p.extent > 1 else numbers


def read_abc(path):
    archive = ogawa.read(path)
    curves = find([archive.top], "AbcGeom_Curve")
    geometry = {p.name: p for p in next(p for p in curves.properties if p.name == ".geom").children}
    points = geometry["P"]
    groom = Groom(array(geometry["nVertices"]), array(points))
    for p in geometry[".arbGeomParams"].children if ".arbGeomParams" in geometry else []:
        groom.values[p.name] = array(p)
    if points.count > 1:
        sampling = archive.samplings[points.sampling]
        groom.frames = [(sampling.times[0] + k * sampling.cycle, array(points, k)) for k in range(points.count)]
    return groom


# ---- cyHair --------------------------------------------------------------------------------------------------------------------------------

def read_hair(path, mirror=True):
    """mirror: the file is right-handed, Z up, as Bakewell writes it."""
    data = Path(path).read_bytes()
    magic, strands, points, arrays, segments, thickness = struct.unpack_from("<4sIIIIf", data)
    assert magic == b"HAIR", path
    at = 128

    def take(kind, count):
        nonlocal at
        rows = np.frombuffer(data, kind, count, at)
        at += rows.nbytes
        return rows

    counts = (take("<u2", strands).astype(int) if arrays & 1 else np.full(strands, segments)) + 1
    positions = take("<f4", 3 * points).reshape(-1, 3)
    groom = Groom(counts, positions * np.float32([1, -1 if mirror else 1, 1]))
    if arrays & 4:
        groom.values["groom_width"] = take("<f4", points)
    elif thickness > 0:
        groom.values["groom_width"] = np.full(points, thickness, "<f4")
    if arrays & 8:
        take("<f4", points)
    if arrays & 16:
        groom.values["groom_color"] = take("<f4", 3 * points).reshape(-1, 3)
    assert at == len(data), f"{path}: {len(data) - at} bytes are left"
    return groom


def write_hair(path, strands):
    """Strands of points, without anything else."""
    points = np.vstack(strands).astype("<f4")
    head = struct.pack("<4sIIIIf", b"HAIR", len(strands), len(points), 3, 1, 0.0)
    Path(path).write_bytes(head.ljust(128, b"\0") + np.array([len(s) - 1 for s in strands], "<u2").tobytes() + points.tobytes())


# ---- glTF ----------------------------------------------------------------------------------------------------------------------------------

NAMES = {"_WIDTH": "groom_width", "_STRAND": "groom_id", "_GROUP_ID": "groom_group_id", "_GUIDE": "groom_guide", "_ROUGHNESS": "groom_roughness",
         "_AO": "groom_ao"}
OF_STRANDS = {"groom_id", "groom_group_id", "groom_guide", "groom_root_uv"}


def read_glb_lines(path):
    document, accessor = read_glb(path)
    mesh = document["meshes"][0]
    (primitive,) = mesh["primitives"]
    assert primitive["mode"] == 1, "not lines"
    attributes = {name: accessor(index) for name, index in primitive["attributes"].items()}
    pairs = accessor(primitive["indices"]).reshape(-1, 2).astype(int)
    assert (pairs[:, 1] == pairs[:, 0] + 1).all(), "segments of points that are not neighbours"
    starts = np.ones(len(attributes["POSITION"]), bool)
    starts[pairs[:, 1]] = False
    first = np.flatnonzero(starts)
    counts = np.diff(np.append(first, len(starts)))
    assert len(pairs) == (counts - 1).sum(), "segments are missing"
    groom = Groom(counts, attributes["POSITION"][:, [0, 2, 1]] * np.float32(100))
    for name, rows in attributes.items():
        if name in NAMES:
            groom.values[NAMES[name]] = rows[:, 0] * np.float32(100) if name == "_WIDTH" else rows[:, 0]
    if "TEXCOORD_0" in attributes:
        groom.values["groom_root_uv"] = attributes["TEXCOORD_0"] * np.float32([1, -1]) + np.float32([0, 1])
    groom.values["color"] = attributes["COLOR_0"][:, :3]
    for name in OF_STRANDS & set(groom.values):
        rows = groom.values[name]
        assert (rows == np.repeat(rows[first], counts, axis=0)).all(), f"{name} differs along a strand"
        groom.values[name] = rows[first]
    if "groom_group_id" in groom.values:
        groom.values["groom_group_name"] = [mesh["extras"]["groups"][int(g)] for g in groom.values["groom_group_id"]]
    return groom


# ---- USD, by Pixar's library ---------------------------------------------------------------------------------------------------------------

def read_usda(path):
    from pxr import Usd, UsdGeom
    stage = Usd.Stage.Open(str(path))
    assert (UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage)) == (0.01, "Z")
    root = stage.GetDefaultPrim()
    assert "GroomAPI" in root.GetPrimTypeInfo().GetAppliedAPISchemas() or "GroomAPI" in str(root.GetMetadata("apiSchemas"))
    (curves,) = [UsdGeom.BasisCurves(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.BasisCurves)]
    assert (curves.GetTypeAttr().Get(), curves.GetWrapAttr().Get()) == ("linear", "nonperiodic")
    points = curves.GetPointsAttr()
    turn = np.float32([1, -1, 1])
    groom = Groom(np.array(curves.GetCurveVertexCountsAttr().Get()), np.array(points.Get()) * turn)
    if curves.GetWidthsAttr().HasValue():
        assert curves.GetWidthsInterpolation() == "vertex"
        groom.values["groom_width"] = np.array(curves.GetWidthsAttr().Get())
    for primvar in UsdGeom.PrimvarsAPI(curves).GetPrimvarsWithValues():
        value = primvar.Get()
        rows = list(value) if primvar.GetTypeName() == "string[]" else np.array(value)
        expected = {"uniform": len(groom.counts), "vertex": len(groom.positions)}[primvar.GetInterpolation()]
        assert len(rows) == expected, f"{primvar.GetName()}: {len(rows)} values, expected {expected}"
        groom.values[primvar.GetPrimvarName()] = rows
    groom.frames = [(time, np.array(points.Get(time)) * turn) for time in points.GetTimeSamples()]
    return groom
