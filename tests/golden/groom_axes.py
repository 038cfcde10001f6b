# SPDX-License-Identifier: MIT
"""Hair that no mirror leaves as it is, three strands of different length and side, in files of the reference library as each program would write
them: repaired it stands in Unreal's axes, unmirrored, in centimetres (https://github.com/EpicGames/BlenderTools/issues/136)."""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from bake import tap
from groom_truth import repair, strands_of

BAKEWELL = os.environ["BAKEWELL"]
OUT = Path(os.environ["TMPDIR"])

# In Unreal: 10 forward, 20 to the right, 30 up.
WANTED = [np.array([[1, 2, 3], [11, 2, 3.0]]), np.array([[1, 2, 3], [1, 22, 3.0]]), np.array([[1, 2, 3], [1, 2, 33.0]])]
# Unreal's axes by those of the file: rows are what Unreal's x, y, z are.
Y_UP = np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0.0]])
Z_RIGHT = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1.0]])
UNREAL = np.eye(3)
PROGRAMS = {"maya": ("Maya 2024 AbcExport v1.0", Y_UP, 1), "blender": ("Blender 4.1.0", Y_UP, 100), "houdini": ("Houdini 20.5.332", Y_UP, 100),
            "max": ("Autodesk 3ds Max 2025", Z_RIGHT, 1), "unreal": ("Unreal Engine", UNREAL, 1)}

# Written by a program of its own: a crash of the library must not end the test.
WRITER = """
import json, sys
import imath
from alembic3d import Abc, AbcGeom
path, application, xforms, strands = json.loads(sys.argv[1])
archive = Abc.CreateArchiveWithInfo(path, application, "a test")
parents = [archive.getTop()]
for i, (matrix, inherits) in enumerate(xforms):
    xform, sample = AbcGeom.OXform(parents[-1], f"x{i}"), AbcGeom.XformSample()
    sample.setMatrix(imath.M44d(*matrix))
    sample.setInheritsXforms(inherits)
    xform.getSchema().set(sample)
    parents.append(xform)
curves, sample = AbcGeom.OCurves(parents[-1], "hair"), AbcGeom.OCurvesSchemaSample()
points, counts = imath.V3fArray(sum(map(len, strands))), imath.IntArray(len(strands))
for i, p in enumerate(p for strand in strands for p in strand):
    points[i] = imath.V3f(*p)
for i, strand in enumerate(strands):
    counts[i] = len(strand)
sample.setPositions(points)
sample.setCurvesNumVertices(counts)
sample.setType(AbcGeom.CurveType.kLinear)
curves.getSchema().set(sample)
"""


def write(name, application, strands, xforms=()):
    """xforms: from the top down, 4 × 4 for row vectors as Alembic has them, and whether they inherit."""
    path = OUT / f"{name}.abc"
    document = [str(path), application, [[np.asarray(m).ravel().tolist(), i] for m, i in xforms], [s.tolist() for s in strands]]
    done = subprocess.run([sys.executable, "-c", WRITER, json.dumps(document)], capture_output=True, text=True)
    assert done.returncode == 0, f"the reference library: {done.stderr[-300:]}"
    return path


def expect(path, wanted, *options):
    """Repairs by the program, and reads what it wrote."""
    out = path.with_suffix(".out.abc")
    done = subprocess.run([BAKEWELL, "groom", path, "-o", out, "--json", *options], capture_output=True, text=True)
    assert done.returncode == 0, f"status {done.returncode}: {done.stdout[-400:]}"
    found = repair([out])[0]
    assert not found["failure"], found["failure"]
    assert {"axes-turned", "transforms-baked"}.isdisjoint(found["changes"]), f"what was written is changed again: {found['changes']}"
    strands = [s for s, guide in zip(strands_of(found), found["guides"]) if not guide]  # guides are copies that were added
    assert len(strands) == len(wanted), f"{len(strands)} strands"
    for strand, meant in zip(strands, wanted):
        assert np.abs(strand - meant).max() < 1e-4, f"{strand.tolist()}, expected {meant.tolist()}"
    return json.loads(done.stdout)


def to_file(axes, unit_cm):
    """The hair in a file's axes and unit: rows are orthogonal, so their transpose is their inverse."""
    return [strand @ axes / unit_cm for strand in WANTED]


def preset(name):
    application, axes, unit = PROGRAMS[name]
    document = expect(write(name, application, to_file(axes, unit)), WANTED)
    assert document["from"].startswith(f"{name}: "), document["from"]
    assert application in document["from_reason"], document["from_reason"]
    document = expect(write(f"{name}_nameless", "a script", to_file(axes, unit)), WANTED, f"--from={name}")
    assert document["from_reason"] == "given", document["from_reason"]


def rows(matrix, translation=(0, 0, 0)):
    """A 4 × 4 matrix for row vectors of one for columns."""
    m = np.eye(4)
    m[:3, :3], m[3, :3] = np.asarray(matrix, dtype=float).T, translation
    return m


def mirrored_already(name):
    """Exporters and scripts for Unreal turn, mirror and scale by a transform at the top: once is enough."""
    application, axes, unit = PROGRAMS[name]
    document = expect(write(f"{name}_turned", application, to_file(axes, unit), [(rows(axes * unit), True)]), WANTED)
    assert "not mirrored again" in document["from_reason"], document["from_reason"]


def nested():
    """Turned, then stretched: which of both comes first is seen (importers take them the wrong way round)."""
    turn, stretch = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], np.diag([2.0, 1, 1])
    outer, inner = rows(turn, (5, 0, 0)), rows(stretch, (0, 0, 7))
    strands = [np.array([[1, 0, 0], [2, 1, 0.0]])]

    def through(points, *matrices):
        for m in matrices:
            points = points @ m[:3, :3] + m[3, :3]
        return points

    meant = through(strands[0], inner, outer)
    assert np.abs(meant - through(strands[0], outer, inner)).max() > 1, "the matrices commute"
    assert np.abs(meant[0] - [5, 2, 7]).max() < 1e-12, meant
    expect(write("nested", "Unreal Engine", strands, [(outer, True), (inner, True)]), [meant])
    expect(write("apart", "Unreal Engine", strands, [(outer, True), (inner, False)]), [through(strands[0], inner)])


def by_options():
    strands = to_file(np.array([[-1, 0, 0], [0, 0, 1], [0, 1, 0.0]]), 2.54)  # y up, left-handed, inches
    expect(write("options", "a script", strands), WANTED, "--up=y", "--hand=left", "--units=in")
    expect(write("some_options", "a script", to_file(Y_UP, 100)), WANTED, "--up=y", "--units=m")


for program in PROGRAMS:
    tap(f"unmirrored from {program}", preset, program)
for program in ("maya", "blender", "houdini"):
    tap(f"mirrored already by {program}", mirrored_already, program)
tap("nested transforms", nested)
tap("axes by options", by_options)
