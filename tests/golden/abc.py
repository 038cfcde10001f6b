# SPDX-License-Identifier: MIT
"""Alembic scenes: what is decoded of a bake against the reference library's truth, frame by frame and corner by corner; real files of many
exporters; and damage."""
import hashlib
import json
import os
import struct
import subprocess
import tarfile
from pathlib import Path

import jsonschema
import numpy as np
from bake import TMP, Bake, bake, read_glb, run, tap

DATA = Path(os.environ["DATA"] or "absent")
MESH, REAL = DATA / "alembic/mesh", DATA / "models/alembic_mesh"
EXACT = ("--format=exr32", "--units=m", "--up=y", "--mode=vertex")


def abc(scene, name, *options):
    """Bakes, has it verified against its source, decodes it."""
    document = bake(scene, TMP / name, *options)
    assert document["status"] == 0, document
    verified = run("verify", document["manifest"], "--against", scene)
    assert verified.returncode == 0, verified.stderr
    files = Bake(document["manifest"])
    files.document = document
    for found, schema in ((document, "result"), (files.manifest, "bake")):
        jsonschema.validate(found, json.loads((Path(os.environ["BW_ROOT"]) / f"docs/schema/{schema}.schema.json").read_text()))
    mesh, accessor = read_glb(files.folder / files.manifest["mesh"]["file"])
    first, triangles = 0, []
    for p in mesh["meshes"][0]["primitives"]:
        if p["mode"] == 4:
            triangles.append(accessor(p["indices"]).reshape(-1, 3).astype(int) + first)
        first += mesh["accessors"][p["attributes"]["POSITION"]]["count"]
    files.triangles = np.vstack(triangles)
    files.uv0 = [accessor(p["attributes"]["TEXCOORD_0"]) for p in mesh["meshes"][0]["primitives"]]
    return files


def nodes(node):
    if node:
        yield node
        for child in node["children"]:
            yield from nodes(child)


def truth_of(path, mesh_path):
    truth = json.loads(path.with_suffix(".geom.json").read_text())
    return next(n for n in nodes(truth) if n["path"] == mesh_path)


def fans(sample, values=None):
    """[T][3][n]: fans of a sample's polygons, turned counter-clockwise.  values: of corners; None: the points."""
    rows, first = [], 0
    for count in sample["faceCounts"]:
        for k in range(1, count - 1):
            corners = [first, first + k + 1, first + k]
            rows.append([values[c] if values is not None else sample["P"][sample["faceIndices"][c]] for c in corners])
        first += count
    return np.array(rows, float)


def near(found, expected, tolerance, what):
    assert found.shape == expected.shape, f"{what}: {found.shape}, expected {expected.shape}"
    off = np.abs(found - expected).max()
    assert off <= tolerance, f"{what}: off by {off}, allowed {tolerance}"


def compare_frames(files, truth, what):
    assert files.manifest["frames"]["count"] == len(truth["samples"]), what
    for k, sample in enumerate(truth["samples"]):
        near(files.positions(k)[files.triangles], fans(sample), 1e-6, f"{what}, frame {k}")


def static_mesh(name, path, matrix=np.eye(4)):
    scene = MESH / f"{name}.abc"
    files = abc(scene, name, "--static", *EXACT)
    sample = truth_of(scene, path)["samples"][0]
    expected = fans(sample)
    expected = (np.concatenate([expected, np.ones((*expected.shape[:2], 1))], axis=2) @ matrix)[..., :3]
    near(files.positions(0)[files.triangles], expected, 1e-6, name)


def moved_static_mesh():
    truth = truth_of(MESH / "m01_static_quads.abc", "/x")
    static_mesh("m01_static_quads", "/x/mesh", np.array(truth["matrices"][0]["m"]).reshape(4, 4))


def normals_and_uvs(name):
    """Corners keep their own UV and normal; v runs the other way."""
    scene = MESH / f"{name}.abc"
    truth = truth_of(scene, "/mesh")
    files = abc(scene, name, *EXACT, "--static", "--normals=separate")
    uv = np.array(truth["uv"]["samples"][0]["expanded"]).reshape(-1, 2)
    uv[:, 1] = 1 - uv[:, 1]
    near(np.vstack(files.uv0)[files.triangles], fans(truth["samples"][0], uv), 1e-6, "UVs")
    for k, sample in enumerate(truth["samples"]):
        expected = fans(sample, np.array(truth["N"]["samples"][k]["expanded"]).reshape(-1, 3))
        expected /= np.linalg.norm(expected, axis=2, keepdims=True)
        near(files.normals(k)[files.triangles], expected, 1e-4, f"normals, frame {k}")  # octahedral floats


def moving_normals():
    """Vertices are split once: where corners of a point part in any sample they are two."""
    scene = MESH / "m08_anim_uv_N.abc"
    truth = truth_of(scene, "/mesh")
    files = abc(scene, "m08", *EXACT, "--normals=separate")
    compare_frames(files, truth, "m08")
    for k, sample in enumerate(truth["samples"]):
        expected = fans(sample, np.array(truth["N"]["samples"][k]["expanded"]).reshape(-1, 3))
        expected /= np.linalg.norm(expected, axis=2, keepdims=True)
        near(files.normals(k)[files.triangles], expected, 1e-4, f"normals, frame {k}")
    clip = files.manifest["clips"][0]
    assert abs(clip["rate"] - 24) < 1e-6 and abs(clip["source"]["start_s"]) < 1e-12, clip
    codes = {w["code"] for w in files.document["warnings"]}
    assert "uvs-move" in codes, codes


def repeated_samples():
    scene = MESH / "m18_setfromprevious.abc"
    compare_frames(abc(scene, "m18", *EXACT), truth_of(scene, "/mesh"), "m18")


def soup():
    """Each frame's own triangles, then those that are left over, in one point; never mixed, so nothing is said of the error between."""
    scene = MESH / "m04_anim_changing_topology.abc"
    truth = truth_of(scene, "/mesh")
    files = abc(scene, "m04", "--mode=auto", "--format=exr32", "--units=m", "--up=y")
    assert files.manifest["mode"] == "soup", files.manifest["mode"]
    assert files.document["error"]["between"] is None, files.document["error"]
    most = max(len(fans(s)) for s in truth["samples"])
    assert files.manifest["frames"]["count"] == len(truth["samples"]) and files.manifest["elements"]["count"] == 3 * most
    assert (files.triangles == np.arange(3 * most).reshape(-1, 3)).all()
    for k, sample in enumerate(truth["samples"]):
        expected, found = fans(sample), files.positions(k).reshape(-1, 3, 3)
        near(found[:len(expected)], expected, 1e-6, f"soup, frame {k}")
        left = found[len(expected):].reshape(-1, 3)
        assert (left == found[0, 0]).all(), f"soup, frame {k}: corners that are left over are not one point"
    double = abc(scene, "m04_double", "--mode=soup", "--format=exr32", "--units=m", "--up=y", f"--fps={2 * files.manifest['clips'][0]['rate']}")
    for k in range(2 * len(truth["samples"]) - 1):
        near(double.positions(k), files.positions(k // 2), 0, f"soup at twice the rate, frame {k}")
    for options, part in ((["--mode=vertex"], "use --mode=soup"), (["--mode=auto", "--layout=seed"], "use --mode=soup and --layout=native")):
        done = run("vat", scene, "-o", TMP / "m04_refused", *options)
        assert done.returncode == 5 and part in done.stderr, (done.returncode, done.stderr)


def real_soup(name, frames, triangles):
    files = abc(REAL / name, name.replace("/", "_"), "--mode=auto")
    assert files.manifest["mode"] == "soup" and files.manifest["frames"]["count"] == frames, files.manifest["frames"]
    assert files.manifest["elements"]["count"] >= 3 * triangles
    assert files.document["error"]["stored"]["max_relative"] < 1e-5, files.document["error"]


def soup_in_the_document():
    """The example's texels follow from its corners by the formulas of docs/FORMATS.md §2.  tests/unit/vat_soup_test.c encodes them."""
    text = (Path(os.environ["BW_ROOT"]) / "docs/FORMATS.md").read_text(encoding="utf-8").split("## 12. Mode `soup`")[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith(("| 0", "| 1"))]
    assert len(rows) == 12, rows
    corners = np.array([[float(x) for x in row[2].split()] for row in rows]).reshape(2, 6, 3)
    for row, corner, triangle in zip(rows, corners.reshape(-1, 3), np.repeat(corners.reshape(-1, 3, 3), 3, axis=0)):
        flat = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
        x, y, z = flat / np.linalg.norm(flat) if flat.any() else (0, 1, 0)
        assert z >= 0 and abs(x) + abs(y) + abs(z) == 1
        packed = int(255 * (x / 2 + 0.5) + 0.5) | int(255 * (y / 2 + 0.5) + 0.5) << 8
        expected = [int(65535 * v + 0.5) if k < 2 else 0 for k, v in enumerate(corner)] + [packed]
        assert [int(v) for v in row[3].split()] == expected, (row, expected)


def instances():
    """One mesh in the file, seen six times."""
    scene = MESH / "m17_instances.abc"
    files = abc(scene, "m17", "--static", *EXACT)
    truth = json.loads(scene.with_suffix(".geom.json").read_text())
    expected = []
    for place in truth["children"]:
        local = fans(next(n for n in nodes(place) if n["schema"] == "polymesh")["samples"][0])
        matrix = np.array(place["matrices"][0]["m"]).reshape(4, 4)
        expected.append((np.concatenate([local, np.ones((*local.shape[:2], 1))], axis=2) @ matrix)[..., :3])
    near(files.positions(0)[files.triangles], np.vstack(expected), 2e-6, "instances")  # the truth has twelve digits, floats of this size seven


def face_sets():
    """Sets become materials of their names, each with the triangles of its faces, and faces in none have none."""
    scene = MESH / "m10_facesets.abc"
    files = abc(scene, "m10", "--static", *EXACT)
    sample, properties = truth_of(scene, "/mesh")["samples"][0], json.loads(scene.with_suffix(".json").read_text())
    sets, stack = {}, [properties["top"] if "top" in properties else properties]
    while stack:
        here = stack.pop()
        if isinstance(here, dict):
            if here.get("name") in ("front", "back"):
                faces = next(p for p in here["props"][0]["props"] if p["name"] == ".faces")
                sets[here["name"]] = faces["samples"][0]["v"]
            stack += here.values()
        elif isinstance(here, list):
            stack += here
    face_of = np.repeat(np.arange(len(sample["faceCounts"])), np.array(sample["faceCounts"]) - 2)
    mesh, accessor = read_glb(files.folder / files.manifest["mesh"]["file"])
    assert len(sets) == 2 and [m["name"] for m in mesh["materials"]] == ["front", "back"], (sets, mesh["materials"])
    first, rest, triangles = 0, set(face_of) - {f for faces in sets.values() for f in faces}, fans(sample)
    for p in mesh["meshes"][0]["primitives"]:
        wanted = sorted(sets[mesh["materials"][p["material"]]["name"]] if "material" in p else rest)
        near(files.positions(0)[accessor(p["indices"]).reshape(-1, 3).astype(int) + first], np.vstack([triangles[face_of == f] for f in wanted]), 1e-6,
             f"faces of {p.get('material')}")
        first += mesh["accessors"][p["attributes"]["POSITION"]]["count"]
    assert len(mesh["meshes"][0]["primitives"]) == 3 and rest


def axes():
    """Z up and centimetres, against Y up and metres."""
    scene = REAL / "cortex_animatedCube/animatedCube.abc"
    plain, turned = abc(scene, "axes_y", *EXACT), abc(scene, "axes_z", "--format=exr32", "--units=cm", "--up=z", "--mode=vertex")
    for k in range(plain.manifest["frames"]["count"]):
        p = plain.positions(k) * 0.01
        near(turned.positions(k), np.stack([p[:, 0], p[:, 2], -p[:, 1]], axis=1), 1e-7, f"frame {k}")
    assert not [w for w in turned.document["warnings"] if w["code"] == "axes-assumed"], turned.document["warnings"]
    told = bake(scene, TMP / "axes_told", "--format=exr32", "--mode=vertex")
    warning = next(w for w in told["warnings"] if w["code"] == "axes-assumed")
    assert "Y up" in warning["first"] and "cm" in warning["first"] and "Maya" in warning["first"], warning


def root_of_a_cache():
    """The transform above the mesh is found as the root; what it takes out of the texels, the track puts back."""
    scene = REAL / "cortex_animatedCube/animatedCube.abc"
    plain = abc(scene, "root_plain", *EXACT)
    files = abc(scene, "root_out", *EXACT, "--root-motion=extract")
    assert files.manifest["clips"][0]["root"]["node"] == "pCube1", files.manifest["clips"][0]["root"]
    reach = lambda bake: max(bake.positions(k)[:, 0].max() for k in range(10)) - min(bake.positions(k)[:, 0].min() for k in range(10))
    assert reach(files) < reach(plain) - 0.5, (reach(files), reach(plain))
    for k in range(10):
        near(files.restored(k), plain.positions(k), 1e-6, f"frame {k}")


def refused(name, part):
    done = run("vat", MESH / f"{name}.abc", "-o", TMP / "refused", "--static")
    assert done.returncode == 4 and part in done.stderr, (done.returncode, done.stderr)


def damaged_sample():
    """One number in the middle of the file that is none: the bake names the sample, and leaves nothing behind."""
    truth = truth_of(MESH / "m08_anim_uv_N.abc", "/mesh")
    data = bytearray((MESH / "m08_anim_uv_N.abc").read_bytes())
    points = struct.pack("<60f", *np.array(truth["samples"][3]["P"]).astype("f4").ravel())
    at = data.find(points)
    assert at > 0 and data.find(points, at + 1) < 0
    data[at + 40:at + 44] = struct.pack("<f", float("nan"))
    scene = TMP / "damaged.abc"
    scene.write_bytes(data)
    done = run("vat", scene, "-o", TMP / "damaged_out")
    assert done.returncode == 4, done
    assert "object /mesh, property .geom/P, sample 3: component 1 of point 3 is not finite" in done.stderr, done.stderr
    assert not list((TMP / "damaged_out").glob("*")), list((TMP / "damaged_out").glob("*"))


def threads_do_not_show():
    digests = set()
    for threads in (1, 3):
        document = bake(REAL / "SoftBody/SoftBody.abc", TMP / f"threads{threads}", f"--threads={threads}", "--mode=vertex", "--format=raw")
        assert document["status"] == 0, document
        digests.add(tuple(hashlib.sha256(Path(o["path"]).read_bytes()).hexdigest() for o in document["outputs"]))
    assert len(digests) == 1


# Frames, rate and first sample as the reference library's tool prints them; None: nothing moves.
REAL_FILES = {
    "Bottle/Bottle.abc": None, "SoftBody/SoftBody.abc": (140, 24, 1 / 24), "cortex_animatedCube/animatedCube.abc": (10, 24, 1 / 24),
    "cortex_bool/bool.abc": None, "cortex_creases/creases.abc": None, "cortex_rotatingCube/rotatingCube.abc": (24, 24, 1 / 24),
    "cortex_sphereWithShadingGroups/sphereWithShadingGroups.abc": None, "cortex_subdPlane/subdPlane.abc": None,
    "cortex_velocityCube/velocityCube.abc": None, "cubes-hi/cubes-hi.abc": None, "groupedPlane/groupedPlane.abc": None,
}


def real(name):
    moves = REAL_FILES[name]
    files = abc(REAL / name, name.replace("/", "_"), "--mode=vertex", *([] if moves else ["--static"]))
    stored = files.document["error"]["stored"]
    assert stored["max_relative"] < 1e-5, stored
    if moves:
        clip = files.manifest["clips"][0]
        assert (clip["frame_count"], round(clip["rate"], 6)) == moves[:2], clip
        assert abs(clip["source"]["start_s"] - moves[2]) < 1e-6, clip


def hdf5():
    for name in ("animated_gizmo_hdf5/animated_gizmo.abc", "arnold_tree_hdf5/tree.abc"):
        done = run("vat", REAL / name, "-o", TMP / "hdf5")
        assert done.returncode == 4 and "HDF5" in done.stderr and "abcconvert -toOgawa" in done.stderr, (done.returncode, done.stderr)


def nothing_to_bake():
    for name in ("py_xform1/xform1.abc", "py_particlesOut2/particlesOut2.abc"):
        done = run("vat", REAL / name, "-o", TMP / "nothing", "--static")
        assert done.returncode == 4 and "no mesh to bake" in done.stderr, (done.returncode, done.stderr)


def corrupt():
    """Files that were damaged on purpose: each is baked, or refused with one sentence; none crashes or hangs."""
    statuses = {}
    with tarfile.open(DATA / "alembic/corrupt.tar.gz") as archive:
        members = [m for m in archive.getmembers() if m.isfile() and m.name.endswith(".abc")]
        for member in members:
            scene = TMP / "corrupt.abc"
            scene.write_bytes(archive.extractfile(member).read())
            done = subprocess.run([os.environ.get("BAKEWELL", "build/bakewell"), "vat", scene, "-o", TMP / "corrupt_out", "--static", "--force", "--threads=1"],
                                  capture_output=True, text=True, errors="replace", timeout=10)
            statuses[done.returncode] = statuses.get(done.returncode, 0) + 1
            assert done.returncode in (0, 4, 5, 6), (member.name, done.returncode, done.stderr[-300:])
            assert done.returncode == 0 or done.stderr.count("error:") == 1, (member.name, done.stderr[-300:])
    assert len(members) > 1800, len(members)
    print(f"# {len(members)} damaged files: {statuses}")


TESTS = [("static mesh", static_mesh, "m02_static_tris_no_xform", "/mesh"), ("moved static mesh", moved_static_mesh),
         ("unindexed normals and UVs", normals_and_uvs, "m05_N_uv_facevarying_unindexed"),
         ("indexed normals and UVs", normals_and_uvs, "m06_N_uv_facevarying_indexed"), ("moving normals", moving_normals),
         ("repeated samples", repeated_samples), ("soup", soup), ("soup of Cinema 4D", real_soup, "sample_ogawa/sample_ogawa.abc", 91, 360),
         ("soup of OpenFX", real_soup, "ofx_written_sample/sample.abc", 60, 9), ("instances", instances), ("face sets", face_sets), ("axes", axes), ("root of a cache", root_of_a_cache),
         ("faces that do not fit", refused, "m15_bad_topology", "corner"), ("empty meshes", refused, "m14_empty_mesh", "no mesh to bake"),
         ("damaged sample", damaged_sample), ("threads do not show", threads_do_not_show), ("HDF5", hdf5), ("nothing to bake", nothing_to_bake),
         ("corrupt files", corrupt)] + [(name, real, name) for name in REAL_FILES]

tap("soup in the document", soup_in_the_document)
for test_name, test, *arguments in TESTS:
    if MESH.is_dir() and REAL.is_dir():
        tap(f"data:{test_name}", test, *arguments)
    else:
        print(f"skip data:{test_name}: no third-party data")
