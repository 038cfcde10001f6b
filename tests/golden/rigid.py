# SPDX-License-Identifier: MIT
"""Rigid mode: a block of 64 pieces falls into the same ones whether nodes, joints or vertices move it, what vanishes has the scale 0, fast pieces
raise the rate, what bends is named; and models whose nodes alone move keep 1e-5 of the diagonal."""
import json
import os
from pathlib import Path

import numpy as np
from bake import TMP, bake, make_assets, read_exr, read_glb, read_png, run, tap

# Half a code of 16 bits an axis is 7.63e-6 of the diagonal; the rest is the rounding of rotations and floats.
BOUND = 1e-5
# Rotations are off by a few 1e-6 rad, normals by float rounding; morphed ones are sums that are normalised.
NORMAL_DEG = 0.01
FORMS = ("fracture_nodes", "fracture_skin", "fracture_baked")
PIECES = 64


def bake_rigid(scene, out, *options):
    document = bake(scene, out, "--mode=rigid", *options)
    assert document["status"] == 0, document["failure"]["message"]
    error = document["error"]["stored"]["max_relative"]
    assert error <= BOUND, f"the stored error is {error:.3g} of the diagonal"
    verified = run("verify", document["manifest"], "--against", scene, f"--max-error={100 * BOUND:.6f}%")
    assert verified.returncode == 0, f"verify ends with {verified.returncode}: {verified.stderr}"
    manifest = json.loads(Path(document["manifest"]).read_text())
    assert manifest["mode"] == "rigid", manifest["mode"]
    return document, manifest


def bones_of_vertices(manifest, folder):
    """The bone that each vertex's UV points at, and the piece that the source's own UV numbers."""
    document, accessor = read_glb(folder / manifest["mesh"]["file"])
    [primitive] = document["meshes"][0]["primitives"]
    [texture] = [t for t in manifest["textures"] if t["role"] == "bones" and t["page"] == 0]
    uv = accessor(primitive["attributes"][f"TEXCOORD_{manifest['uv_set']}"])
    column, row = np.floor(uv[:, 0] * texture["width"]).astype(int), np.floor(uv[:, 1] * texture["height"]).astype(int)
    bones = manifest["bones"]
    assert (column % bones["texels"] == 0).all(), "a UV points into a bone, not at its first texel"
    piece = np.floor(accessor(primitive["attributes"]["TEXCOORD_0"])[:, 0] * PIECES).astype(int)
    return row * bones["per_row"] + column // bones["texels"], piece, texture


def scales(manifest, folder, texture, read):
    """[frame][bone], as stored."""
    bones, rows = manifest["bones"], manifest["frames"]["rows_per_frame"]
    texels = read(folder / texture["file"])
    at = np.arange(bones["count"])
    return np.array([texels[(frame + 1) * rows + at // bones["per_row"], bones["texels"] * (at % bones["per_row"]), 3]
                     for frame in range(manifest["frames"]["count"])])


def same_pieces(scene, engine, read):
    out = TMP / f"{scene.stem}_{engine}"
    document, manifest = bake_rigid(scene, out, f"--engine={engine}")
    assert manifest["bones"]["count"] == PIECES, f"{manifest['bones']['count']} pieces"
    assert manifest["bones"]["texels"] == 2, "matrices, though nothing shears"
    normal = document["error"]["stored"]["normal_deg"]
    assert normal < NORMAL_DEG, f"normals are off by {normal:.3g} degrees"
    bone, piece, texture = bones_of_vertices(manifest, out)
    pairs = set(zip(bone.tolist(), piece.tolist()))
    assert len(pairs) == PIECES, f"{len(pairs)} pairs of a bone and a piece of the source: pieces are cut or joined"
    bone_of = {p: b for b, p in pairs}
    found = scales(manifest, out, texture, read)
    for p in range(PIECES):
        # Frame 48 is 12 ns before its key, which is a float: there 1.2e-8 of a shrinking piece is left, which codes round to 0.
        gone = (found[:, bone_of[p]] < (1e-7 if read is read_exr else 1)).nonzero()[0].tolist()
        assert gone == (list(range(48, 61)) if p % 8 == 5 else []), f"piece {p} has vanished in frames {gone}"
    fitted = [w for w in document["warnings"] if w["code"] == "pieces-fitted"]
    assert [w["count"] for w in fitted] == ([PIECES] if scene.stem == "fracture_baked" else []), fitted


def raised(scene):
    document, manifest = bake_rigid(scene, TMP / f"raised_{scene.stem}", "--fps=30")
    [clip] = manifest["clips"]
    assert (clip["frame_count"], clip["rate"]) == (61, 60), clip
    [warning] = [w for w in document["warnings"] if w["code"] == "rate-raised"]
    assert "from 30 to 60" in warning["first"], warning
    if scene.stem == "fracture_baked":
        return  # half-way the source itself mixes vertices, and pieces shrink
    # At 30 a second the fast pieces, which turn by 144° from one frame to the next, would be a third of their size off half-way.
    limit = 5e-4
    assert document["error"]["between"]["max_relative"] < limit, document["error"]["between"]


def slow_enough(scene):
    """Without the four pieces that spin at 12 turns a second nothing needs more frames."""
    fast = [f"--exclude=Piece{k:02}" for k in range(3, PIECES, 16)]
    document, manifest = bake_rigid(scene, TMP / "slow", "--fps=30", *fast)
    assert manifest["clips"][0]["frame_count"] == 31 and manifest["bones"]["count"] == PIECES - 4, manifest["clips"]
    assert not [w for w in document["warnings"] if w["code"] == "rate-raised"]


def refused(scene, part, mode):
    document = bake(scene, TMP / "refused", "--mode=rigid")
    assert document["status"] == 5, document["status"]
    message = document["failure"]["message"]
    assert f"'{part}." in message and " mm" in message and f"--mode={mode}" in message, message


def moves_by_nodes(path):
    """True for files that clips move by nodes alone."""
    data = path.read_bytes()
    if data[:4] == b"glTF":
        data = data[20:20 + int.from_bytes(data[12:16], "little")]
    try:
        document = json.loads(data)
    except (UnicodeDecodeError, json.JSONDecodeError):
        return False
    if "skins" in document or "KHR_draco_mesh_compression" in document.get("extensionsRequired", []):
        return False
    paths = {channel["target"].get("path") for clip in document.get("animations", []) for channel in clip["channels"]}
    return bool(document.get("meshes")) and bool(paths & {"translation", "rotation", "scale"}) and "weights" not in paths


def model(path):
    bake_rigid(path, TMP / path.name.replace(".", "_"), "--max-bytes=2GiB")


def main():
    scenes = {scene.stem: scene for scene in make_assets(TMP, "flag", "hero", "crates", *FORMS)}
    for name in FORMS:
        tap(f"{name} as codes", same_pieces, scenes[name], "unity", read_png)
        tap(f"{name} as floats", same_pieces, scenes[name], "unreal", read_exr)
    for name in FORMS:
        tap(f"{name} raises the rate", raised, scenes[name])
    tap("slow pieces do not", slow_enough, scenes["fracture_nodes"])
    tap("crates", model, scenes["crates"])
    tap("a cloth is refused", refused, scenes["flag"], "Flag", "vertex")
    tap("a figure is refused", refused, scenes["hero"], "Body", "bone")
    data = os.environ.get("DATA")
    if not data:
        print("skip data:models: no third-party data")
        return
    models = Path(data) / "models/gltf"
    found = [path for path in sorted(models.rglob("*.gl[bt]*")) if path.is_file() and moves_by_nodes(path)]
    for path in found:
        tap(f"data:{path.relative_to(models)}", model, path)


main()
