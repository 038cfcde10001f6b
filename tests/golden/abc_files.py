# SPDX-License-Identifier: MIT
"""Every Alembic file of the test data: it bakes, and what is decoded of it is where the reference library's truth says, or it is refused for the
reason that a table here gives.  What a bake warns of is counted in the truth."""
import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from bake import TMP, Bake, read_glb, run, tap

DATA = Path(os.environ["DATA"] or "absent")
GROOM, MESH = DATA / "alembic/groom", DATA / "alembic/mesh"
OPTIONS = ("--units=m", "--up=y", "--mode=vertex", "--format=raw-f32", "--force", "--quiet", "--json")

NO_MESH = "there is no mesh to bake"
# Files that no bake is made of: status, and what the sentence says.
REFUSED = {
    "m04_anim_changing_topology": (5, "use --mode=soup"),  # so it is in golden/abc
    "m12_points_anim": (5, "object /pts, property .geom/P: changes over time, expected as many points in every frame"),
    "m14_empty_mesh": (4, NO_MESH),
    "m15_bad_topology": (4, "object /idx_oob, property .geom/.faceIndices, sample 0: corner 3 is point 1000 of 20"),
    "basis_cubic_power": (5, "says power basis, whose control vertices are no polygon"),
    "degen_all_one_point": (4, NO_MESH),  # strands of one point have no line
    "degen_inf": (4, "component 1 of point 4 is not finite"),
    "degen_nan": (4, "component 0 of point 4 is not finite"),
    "degen_no_curves": (4, NO_MESH),
    "degen_nverts_negative": (4, "curve 2 has -4 control vertices"),
    "degen_nverts_overflow": (4, "its curves have 4294967400 control vertices, P holds 120"),
    "degen_nverts_sum_too_big": (4, "its curves have 123 control vertices, P holds 120"),
    "degen_nverts_sum_too_small": (4, "its curves have 112 control vertices, P holds 120"),
    "degen_p_without_nverts": (4, "its curves have 0 control vertices, P holds 120"),
    "mix_visibility_hidden": (4, NO_MESH),
    "p_as_raw_variants": (4, "object /f64, property .geom/P: is not an array of 3 float32 a point"),
    "p_interp_vector_old": (4, NO_MESH),  # an object of no schema
    "time_topology_changes": (5, "property .geom/nVertices: changes over time, expected the same strands in every frame"),
    "width_f64": (4, "property .geom/width: has 1 float64 an element, expected 1 float32"),
}
# Real files: those that are refused; of the others, frames of the clip (None: nothing moves) and warnings beyond what every such file has.
REAL_REFUSED = {
    "curves1": (4, "property .geom/.orders, sample 0: has 3 orders of 2 curves"),
    "nurbs1": (4, NO_MESH), "nurbs2": (4, NO_MESH),  # patches
    "animated_gizmo": (4, "is an HDF5-based Alembic file"), "tree": (4, "is an HDF5-based Alembic file"),
    "instance": (4, NO_MESH), "iterator": (4, NO_MESH), "layerObjA": (4, NO_MESH), "xform1": (4, NO_MESH),  # transforms only
    "particlesOut2": (4, NO_MESH),  # no sample
    "polyMesh1": (4, "corner 7 is point 7 of 7"), "polyMeshLayerA": (4, "corner 7 is point 7 of 7"),
}
REAL = {
    "curves": (None, {"control-polygons"}), "widthTest": (None, {"control-polygons", "attributes-left-out"}),
    "groom_cache_30fps_start1001": (24, {"attributes-left-out"}),
    "groom_mohawk_two_groups_xform": (None, {"control-polygons", "attributes-left-out"}),
    "groom_one_object_per_strand": (None, {"control-polygons", "attributes-left-out"}),
    "groom_sintel_guides_and_strands": (None, {"attributes-left-out"}), "groom_with_mesh_and_hidden_curves": (None, {"hidden-objects"}),
    "Bottle": (None, {"subdivision-cage", "objects-left-out"}), "SoftBody": (140, set()), "animatedCube": (10, {"objects-left-out"}),
    "bool": (None, set()), "creases": (None, {"subdivision-cage"}), "rotatingCube": (24, set()), "sphereWithShadingGroups": (None, set()),
    "subdPlane": (None, {"objects-left-out", "subdivision-cage"}), "varyingPoints": (None, {"attributes-left-out"}),
    "velocityCube": (None, set()), "cubes-hi": (None, set()), "groupedPlane": (None, set()), "sample": (60, {"objects-left-out"}),
    "sample_ogawa": (91, {"curves-left-out", "mesh-empty", "uvs-of-changing-topology"}),
}


def walk(node):
    for child in filter(None, node["children"]):  # none stands for a broken instance
        yield child
        yield from walk(child)


def moved(points, matrix):
    points = np.asarray(points, float).reshape(-1, 3)
    return points @ np.array(matrix, float).reshape(4, 4)[:3, :3] + np.array(matrix, float).reshape(4, 4)[3, :3]


def segments(sample, points):
    """[S][2][3]: lines of the strands, in order."""
    rows, first = [], 0
    for count in sample["nVertices"]:
        for k in range(count - 1 + (sample["wrap"] == 1 and count > 2) if count > 1 else 0):
            rows.append([points[first + k], points[first + (k + 1) % count]])
        first += count
    return np.array(rows).reshape(-1, 2, 3)


def lines_of(files, frame):
    """Lines that a frame draws."""
    document, accessor = read_glb(files.folder / files.manifest["mesh"]["file"])
    rows, first, positions = [], 0, files.positions(frame)
    for p in document["meshes"][0]["primitives"]:
        if p["mode"] == 1:
            rows.append(positions[first + accessor(p["indices"]).reshape(-1, 2).astype(int)])
            assert f"TEXCOORD_{files.manifest['uv_set']}" in p["attributes"]
        first += document["accessors"][p["attributes"]["POSITION"]]["count"]
    return np.vstack(rows) if rows else np.zeros((0, 2, 3))


def near(found, expected, what):
    assert found.shape == expected.shape, f"{what}: {found.shape}, expected {expected.shape}"
    # The truth has nine digits, the texels are floats.
    off = np.abs(found - expected).max(initial=0) / max(1, np.abs(expected).max(initial=0))
    assert off <= 1e-6, f"{what}: off by {off} of the size"


def wanted_warnings(truth):
    counts = Counter()
    for node in walk(truth):
        if node["schema"] != "curves" or "error" in node:
            continue
        sample = node["samples"][0]
        counts["attributes-left-out"] += len(node.get("arb", {})) + sum(key in node for key in ("uv", "N", "width"))
        counts["control-polygons"] += sample["type"] != 1 and not (sample["type"] == 0 and sample["basis"] == 3)
        counts["strands-without-line"] += sum(count < 2 for count in sample["nVertices"])
    return counts


# Files of whose attributes the truth does not list all: the reference's typed reader refuses some.
ATTRIBUTES_BEYOND_TRUTH = {"p_as_raw_variants"}


def check_static(folder):
    """One process bakes the whole folder at rest; each file's lines and warnings against its truth."""
    out = TMP / folder.name
    done = run("vat", folder, "-o", out, "--static", *OPTIONS)
    results = json.loads(done.stdout)["results"]
    assert done.returncode == 1, done.returncode  # some of many failed
    truths = {p.name.removesuffix(".geom.json"): p for p in folder.glob("*.geom.json")}
    assert len(results) == len(truths), (len(results), len(truths))
    baked, lines, refused = 0, 0, set()
    for document in results:
        failure = document.get("failure")
        name = Path(failure["path"] if failure else document["manifest"]).stem.removesuffix("_vat")
        if failure:
            status, part = REFUSED.get(name, (0, ""))
            assert document["status"] == status and part in failure["message"], f"{name}: {document}"
            refused.add(name)
            continue
        assert name not in REFUSED, f"{name}: baked, expected: {REFUSED[name]}"
        truth = json.loads(truths[name].read_text())
        expected = [segments(n["samples"][0], moved(n["samples"][0]["P"], n["world0"])) for n in walk(truth)
                    if n["schema"] == "curves" and "error" not in n]
        files = Bake(document["manifest"])
        near(lines_of(files, 0), np.vstack([np.zeros((0, 2, 3)), *expected]), name)
        warned = {w["code"]: w["count"] for w in document["warnings"]}
        for code, count in wanted_warnings(truth).items():
            if code != "attributes-left-out" or name not in ATTRIBUTES_BEYOND_TRUTH:
                assert warned.get(code, 0) == count, f"{name}: {code} {warned.get(code, 0)} times, expected {count}"
        only_lines = {n["schema"] for n in walk(truth)} <= {"curves", "xform", ""}
        assert not only_lines or (files.mesh.get("NORMAL") is None and ("normal", 0) not in files.images), f"{name}: normals of lines"
        baked, lines = baked + 1, lines + sum(map(len, expected))
    expected = {name for name in REFUSED if name in truths}
    assert refused == expected, refused ^ expected
    print(f"# {folder.name}: {baked} baked with {lines} lines, {len(refused)} refused")
    shutil.rmtree(out)


def world_at(truth, path, time):
    """The matrix of an object at a sample of what moves it."""
    matrix, node = np.eye(4), truth
    for part in path.strip("/").split("/"):
        node = next(c for c in node["children"] if c["path"].rsplit("/", 1)[1] == part)
        if node["schema"] == "xform" and node["matrices"]:
            times = node["times"] or [0]
            k = int(np.argmin(np.abs(np.array(times) - time)))
            matrix = np.array(node["matrices"][k]["m"]).reshape(4, 4) @ matrix
    return matrix


def check_motion(name, rate):
    """Every sample of a groom that moves, and that its bake verifies."""
    scene = GROOM / f"{name}.abc"
    done = run("vat", scene, "-o", TMP / name, *OPTIONS)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    verified = run("verify", document["manifest"], "--against", scene)
    assert verified.returncode == 0, verified.stderr
    files, truth = Bake(document["manifest"]), json.loads(scene.with_suffix(".geom.json").read_text())
    node = next(n for n in walk(truth) if n["schema"] == "curves")
    moving = [n for n in walk(truth) if n["schema"] in ("xform", "curves") and len(n.get("times", [])) > 1 and not n.get("constant")]
    times = moving[0]["times"]
    clip = files.manifest["clips"][0]
    assert abs(clip["source"]["start_s"] - times[0]) < 1e-9, clip
    assert rate is None or abs(clip["rate"] - rate) < 1e-6, clip
    seen = 0
    for k, time in enumerate(times):
        frame = (time - times[0]) * clip["rate"]
        if abs(frame - round(frame)) > 1e-6:
            continue  # between two frames
        sample = node["samples"][min(k, len(node["samples"]) - 1)]
        expected = segments(sample, moved(sample["P"], world_at(truth, node["path"], time)))
        near(lines_of(files, round(frame)), expected, f"{name}, frame {round(frame)}")
        seen += 1
    assert seen > 1, f"{name}: {seen} frames compared"


def check_real(path):
    name = path.stem
    options = [o for o in OPTIONS if not o.startswith("--mode")] + ["--mode=auto"]
    moves = name in REAL_REFUSED or REAL[name][0]
    done = run("vat", path, "-o", TMP / f"real_{name}", *options, *([] if moves else ["--static"]))
    document = json.loads(done.stdout)
    if name in REAL_REFUSED:
        if document["failure"]["code"] == "BW_ERR_NO_CLIP":
            document = json.loads(run("vat", path, "-o", TMP / f"real_{name}", *options, "--static").stdout)
        status, part = REAL_REFUSED[name]
        assert document["status"] == status and part in document["failure"]["message"], document
        return
    frames, codes = REAL[name]
    assert document["status"] == 0, document
    assert {w["code"] for w in document["warnings"]} - {"normals-missing", "rates-differ"} == codes, document["warnings"]
    clip = json.loads(Path(document["manifest"]).read_text())["clips"][0]
    assert clip["frame_count"] == (frames or 1), clip
    verified = run("verify", document["manifest"], "--against", path)
    assert verified.returncode == 0, verified.stderr


def strands_of_info():
    """Strands and points of the truth are those that info lists."""
    for name in ("g002_full_canonical", "guide_only_hair_named"):
        document = json.loads(run("info", GROOM / f"{name}.abc", "--json").stdout)
        truth = [n for n in walk(json.loads((GROOM / f"{name}.geom.json").read_text())) if n["schema"] == "curves"]
        expected = [{"path": n["path"], "strands": len(n["samples"][0]["nVertices"]), "points": len(n["samples"][0]["P"])} for n in truth]
        assert document["curves"] == expected and expected, (document["curves"], expected)


# time_uniform30_start100: frame 0 is the first sample, wherever its time lies, https://github.com/sharpen3d/openvat/issues/9.
MOVING = {"time_acyclic": None, "time_cyclic_shutter": None, "time_uniform30_start100": 30, "time_uniform_negative_start": 24,
          "time_width_other_sampling": 24, "xform_animated": 24}
REAL_FOLDERS = [DATA / "models/alembic_curves", DATA / "models/alembic_mesh"]
if not GROOM.is_dir() or not all(f.is_dir() for f in REAL_FOLDERS):
    for name in ("meshes at rest", "grooms at rest", "strands of info", *MOVING, *REAL, *REAL_REFUSED):
        print(f"skip data:{name}: no third-party data")
    sys.exit()
tap("data:meshes at rest", check_static, MESH)
tap("data:grooms at rest", check_static, GROOM)
tap("data:strands of info", strands_of_info)
for name, rate in MOVING.items():
    tap(f"data:{name}", check_motion, name, rate)
real = {p.stem: p for folder in REAL_FOLDERS for p in folder.glob("*/*.abc")}
for name in (*REAL, *REAL_REFUSED):
    tap(f"data:{name}", check_real, real.pop(name))


def none_left():
    assert not real, f"no outcome is listed for {sorted(real)}"


tap("data:every real file has its outcome", none_left)
