# SPDX-License-Identifier: MIT
"""Bakes with every option that chooses what is baked: verified against their source from the manifest alone, which must say all that was chosen,
and measured with the same error; and sources or files that change meanwhile."""
import json
import os
import shutil
import subprocess
import time

import numpy as np
from bake import BAKEWELL, TMP, Bake, bake, make_assets, read_glb, run, tap
from gltf import Gltf

HERO, CRATES, FLAG, REST = make_assets(TMP, "hero", "crates", "flag", "rest")


def verified(scene, *options, expected_clips=None):
    out = TMP / "out"
    shutil.rmtree(out, ignore_errors=True)
    document = bake(scene, out, *options)
    assert document["status"] == 0, document
    manifest = json.loads((out / f"{scene.stem}_vat.json").read_text())
    names = [clip["name"] for clip in manifest["clips"]]
    assert expected_clips is None or names == expected_clips, names
    done = run("verify", document["manifest"], "--against", scene, "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0 and report["findings"] == [], (done.returncode, report["findings"], done.stderr)
    for kind in ("stored", "between", "between_step"):
        assert report["error"].get(kind) == manifest["error"].get(kind), (kind, report["error"].get(kind), manifest["error"].get(kind))
    return document, manifest


def spans():
    """--start and --end in seconds after the first key; the manifest keeps the file's own times."""
    whole = verified(HERO, "--clip=Run", "--fps=30")[1]["clips"][0]
    cut = verified(HERO, "--clip=Run", "--fps=30", "--start=0.2", "--end=0.5")[1]["clips"][0]
    assert cut["frame_count"] == 10 and abs(cut["duration_s"] - 0.3) < 1e-9, cut
    assert abs(cut["source"]["start_s"] - whole["source"]["start_s"] - 0.2) < 1e-9, (cut, whole)
    seed = verified(HERO, "--clip=Run", "--layout=seed", "--start=0.25")[1]["clips"][0]
    assert abs(seed["source"]["start_s"] - whole["source"]["start_s"] - 0.25) < 1e-9, seed


def materials():
    kept = Bake(verified(HERO)[0]["manifest"])
    none = Bake(verified(HERO, "--materials=none")[0]["manifest"])
    assert np.array_equal(kept.rest, none.rest) and np.array_equal(kept.uv, none.uv)
    document, _ = read_glb(none.folder / none.manifest["mesh"]["file"])
    assert not {"materials", "images", "textures", "samplers"} & document.keys(), document.keys()


def merged():
    """Clips played together: the later one of a merged pair wins where both drive a node."""
    g = Gltf()
    node = g.node(mesh=g.mesh([[0, 0, 0], [1, 0, 0]]))
    g.animation("Right", (node, "translation", [0, 1], [[0, 0, 0], [3, 0, 0]]))
    g.animation("Up", (node, "translation", [0, 2], [[0, 0, 0], [0, 4, 0]]))
    g.animation("Turn", (node, "rotation", [0.5, 1], [[0, 0, 0, 1], [0, 0, 1, 0]]))
    scene = g.write(TMP / "merge.gltf")
    options = ("--fps=1", "--format=exr32", "--normals=off")
    _, manifest = verified(scene, "--merge-clips=Right+Turn", *options, expected_clips=["Right+Turn", "Up"])
    files = Bake(TMP / "out/merge_vat.json")
    assert np.allclose(files.positions(1), [[3, 0, 0], [2, 0, 0]], atol=1e-6), files.positions(1)
    document, manifest = verified(scene, "--merge-clips=Right+Up", *options, expected_clips=["Right+Up", "Turn"])
    assert "merged-clips-overlap" in [w["code"] for w in document["warnings"]]
    assert manifest["clips"][0]["frame_count"] == 3
    files = Bake(TMP / "out/merge_vat.json")
    assert np.allclose(files.positions(2)[0], [0, 4, 0], atol=1e-6), files.positions(2)
    verified(scene, "--merge-clips=Up+Right", *options)
    assert np.allclose(Bake(TMP / "out/merge_vat.json").positions(2)[0], [3, 0, 0], atol=1e-6)
    verified(scene, "--merge-clips=all", *options, expected_clips=["all"])
    verified(scene, "--merge-clips=Right+Turn", "--clip=Up", *options, expected_clips=["Right+Turn", "Up"])


def changed_buffer():
    """A .bin beside the .gltf that changed is a changed source, though the .gltf is the same."""
    g = Gltf()
    node = g.node(mesh=g.mesh([[0, 0, 0], [1, 0, 0]]))
    g.animation("Go", (node, "translation", [0, 1], [[0, 0, 0], [3, 0, 0]]))
    scene, data = TMP / "apart.gltf", bytearray(g.data)
    (TMP / "apart.bin").write_bytes(data)
    scene.write_text(json.dumps(dict(g.json, buffers=[{"byteLength": len(data), "uri": "apart.bin"}])))
    document = bake(scene, TMP / "apart", "--fps=1")
    assert [f["file"] for f in json.loads((TMP / "apart/apart_vat.json").read_text())["source"]["files"]] == ["apart.bin"]
    view = g.json["bufferViews"][g.json["accessors"][2]["bufferView"]]
    data[view["byteOffset"] + 12:view["byteOffset"] + 16] = np.float32(4).tobytes()
    (TMP / "apart.bin").write_bytes(data)
    report = json.loads(run("verify", document["manifest"], "--against", scene, "--json").stdout)
    assert [(w["code"], w["first"]) for w in report["warnings"]] == [("source-changed", "apart.bin")], report["warnings"]
    assert report["findings"] == [] and abs(report["error"]["stored"]["max"] - 1) < 1e-3, report


def replaced_while_baking():
    """A source that is replaced after it was read: the bake is of the old one, by its hash too."""
    [scene] = make_assets(TMP, "grid-20000-200-30")
    old = scene.read_bytes()
    process = subprocess.Popen([BAKEWELL, "vat", scene, "-o", TMP / "replaced", "--mode=vertex", "--threads=1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    while not list(TMP.glob("replaced/.*/*pos*")):  # texels are being written: reading is over
        assert process.poll() is None, "the bake was over too soon"
        time.sleep(0.005)
    other = TMP / "other.glb"
    shutil.copy(HERO, other)
    os.replace(other, scene)
    assert process.wait() == 0, process.stderr.read()
    manifest = TMP / "replaced" / f"{scene.stem}_vat.json"
    assert json.loads(manifest.read_text())["source"]["bytes"] == len(old)
    differs = run("verify", manifest, "--against", scene)
    assert differs.returncode == 1 and "was baked from another version" in differs.stderr, differs.stderr
    scene.write_bytes(old)
    same = run("verify", manifest, "--against", scene)
    assert same.returncode == 0, same.stderr


def unreal_and_half():
    """Bounds and probes hold in every container and space: rounding of halves and centimetres is no finding."""
    for engine in ("generic", "unity", "unreal"):
        for container in ("png8", "png16", "exr16", "exr32", "ktx2-u10", "ktx2-f16", "raw"):
            verified(CRATES, f"--engine={engine}", f"--format={container}")
        verified(CRATES, f"--engine={engine}", "--layout=seed")


def memory_limit():
    """verify keeps its limit with mesh, manifest and source in memory at once."""
    [scene] = make_assets(TMP, "grid-30000-20-30")
    document = bake(scene, TMP / "limit")
    limited = run("verify", document["manifest"], "--against", scene, "--memory-limit=4MiB")
    assert limited.returncode == 6 and "--memory-limit" in limited.stderr, limited.stderr


def flat_far_away():
    """A breath of 0.1 mm, 5 km out: codes are finer than floats there, and no finding comes of it."""
    g = Gltf()
    root = g.node(translation=[5000, 0, 0])
    node = g.node(root, mesh=g.mesh([[0, 0, 0], [0.0005, 0, 0], [0, 1, 0]]))
    g.animation("Breathe", (node, "translation", [0, 1], [[0, 0, 0], [0.0001, 0, 0]]))
    scene = g.write(TMP / "far.gltf")
    for engine in ("generic", "unreal"):
        verified(scene, f"--engine={engine}", "--format=png16", "--fps=24")


tap("include", verified, HERO, "--include=Sword")
tap("exclude", verified, HERO, "--exclude=Sword")
tap("clip", lambda: verified(HERO, "--clip=Wave", "--clip=Run", expected_clips=["Run", "Wave"]))
tap("static", lambda: verified(REST, "--static", expected_clips=["rest"]))
tap("closed", verified, HERO, "--loop=yes")
tap("pages", verified, CRATES, "--max-size=64")
tap("powers of two", verified, FLAG, "--pow2", "--normals=separate")
tap("tangents off", verified, HERO, "--normals=separate", "--tangents=off")
for test in (spans, materials, merged, changed_buffer, replaced_while_baking, unreal_and_half, memory_limit, flat_far_away):
    tap(test.__name__.replace("_", " "), test)
