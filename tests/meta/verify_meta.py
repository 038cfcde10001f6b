# SPDX-License-Identifier: MIT
"""Plants one defect at a time in a whole bake and expects `bakewell verify` to end with status 1 and to name it.

Files are edited two ways: as an editor would, and with the manifest's size and hash of the file put right, so that nothing but decoding can tell."""
import json
import os
import shutil
import struct
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(os.environ["BW_ROOT"]) / "tests" / folder) for folder in ("lib", "golden")]
from bake import TMP, bake, make_assets, read_glb, run, tap  # noqa: E402
from formats import murmur3_128  # noqa: E402

WHOLE = TMP / "whole"


class Copy:
    """A copy of the bake to plant a defect in."""

    def __init__(self, name):
        self.folder = TMP / name
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(WHOLE, self.folder)
        self.path = next(self.folder.glob("*_vat.json"))
        self.manifest = json.loads(self.path.read_text())

    def texture(self, role):
        row = next(t for t in self.manifest["textures"] if t["role"] == role)
        return row, np.fromfile(self.folder / row["file"], "<u2").reshape(row["height"], row["width"], 4).copy()

    def put(self, row, data, hide):
        data = data if isinstance(data, bytes) else data.astype("<u2").tobytes()
        (self.folder / row["file"]).write_bytes(data)
        if hide:
            row["bytes"], row["hash"] = len(data), murmur3_128(data)

    def verify(self, *options):
        self.path.write_text(json.dumps(self.manifest))
        done = run("verify", self.path, *options)
        assert done.returncode in (0, 1), f"status {done.returncode}: {done.stderr}"
        return done.returncode, done.stdout + done.stderr


def caught(name, plant, hidden, *words, source=True):
    """Edits without the manifest: the file's hash.  With it: what `hidden` names, without a source or with one."""
    def check():
        if plant.__code__.co_argcount == 2:
            copy = Copy("plain")
            plant(copy, False)
            status, text = copy.verify()
            assert status == 1 and "has other bytes than the manifest says" in text, f"edited: status {status}: {text}"
        copy = Copy("hidden")
        plant(copy, True) if plant.__code__.co_argcount == 2 else plant(copy)
        status, text = copy.verify()
        if not source:
            assert status == 1 and hidden in text, f"without a source: status {status}: {text}"
            assert all(word in text for word in words), text
        status, text = copy.verify("--against", SCENE)
        assert status == 1 and hidden in text, f"with the source: status {status}: {text}"
        assert all(word in text for word in words), text
    tap(f"caught {name}", check)


def shift_by_half_a_texel(copy, hide):
    row, texels = copy.texture("position")
    mixed = (texels.astype(np.uint32) + np.roll(texels, 1, axis=1)) // 2
    mixed[..., 3] = texels[..., 3]
    copy.put(row, mixed, hide)


def swap_frames(copy, hide):
    row, texels = copy.texture("position")
    clip = copy.manifest["clips"][0]
    a, b = clip["first_frame"] + 3, clip["first_frame"] + 9
    texels[[a, b]] = texels[[b, a]]
    copy.put(row, texels, hide)


def swap_axes(copy, hide):
    row, texels = copy.texture("position")
    copy.put(row, texels[..., [1, 0, 2, 3]], hide)


def upside_down(copy, hide):
    row, texels = copy.texture("position")
    copy.put(row, texels[::-1], hide)


def one_texel(copy, hide):
    row, texels = copy.texture("position")
    clip = copy.manifest["clips"][1]
    texels[clip["first_frame"] + 5, ELEMENT, 1] ^= 0x0800
    copy.put(row, texels, hide)


def one_normal(copy, hide):
    row, texels = copy.texture("normal")
    texels[7, ELEMENT, 0] ^= 0x4000
    copy.put(row, texels, hide)


def swapped_normal_channels(copy, hide):
    row, texels = copy.texture("normal")
    copy.put(row, texels[..., [1, 0, 2, 3]], hide)


def swap_in_mesh(copy, attribute, hide):
    """Two vertices of the first primitive exchange an attribute."""
    row = copy.manifest["mesh"]
    path = copy.folder / row["file"]
    document, _ = read_glb(path)
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"][attribute]]
    view = document["bufferViews"][accessor["bufferView"]]
    data = bytearray(path.read_bytes())
    size = 4 * {"VEC2": 2, "VEC3": 3}[accessor["type"]]
    start = 28 + struct.unpack_from("<I", data, 12)[0] + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    a, b = start, start + 8 * size
    assert data[a:a + size] != data[b:b + size]
    data[a:a + size], data[b:b + size] = data[b:b + size], data[a:a + size]
    copy.put(row, bytes(data), hide)


def swap_vertices(copy, hide):
    swap_in_mesh(copy, "POSITION", hide)


def swap_uvs(copy, hide):
    swap_in_mesh(copy, f"TEXCOORD_{copy.manifest['uv_set']}", hide)


def wrong_uv_set(copy):
    copy.manifest["uv_set"] = 0 if copy.manifest["uv_set"] else 1


def edit_bounds(copy):
    clip = copy.manifest["clips"][1]
    clip["bounds"]["max"][2] = clip["bounds"]["max"][2] + 0.01


def edit_all_bounds(copy):
    copy.manifest["bounds"]["min"][1] -= 1


def swap_bounds_of_clips(copy):
    a, b = copy.manifest["clips"][:2]
    assert a["bounds"] != b["bounds"]
    a["bounds"], b["bounds"] = b["bounds"], a["bounds"]


def edit_source_time(copy):
    copy.manifest["clips"][0]["source"]["start_s"] += 0.05


def edit_space(copy):
    copy.manifest["space"]["handedness"] = "left"


def untouched():
    copy = Copy("untouched")
    status, text = copy.verify()
    assert status == 0, text
    status, text = copy.verify("--against", SCENE, "--max-error=0.01%")
    assert status == 0, text


# A bake of boxes that move by nodes; each has a name, and elements are corners of flat faces.
[SCENE] = make_assets(TMP, "crates")
document = bake(SCENE, WHOLE, "--format=raw", "--normals=separate")
assert document["status"] == 0, document
CLIPS = [clip["name"] for clip in document["clips"]] if "clips" in document else \
    [clip["name"] for clip in json.loads(Path(document["manifest"]).read_text())["clips"]]
ELEMENT = 100
FARTHER, TURNED = "positions are farther from the source", "normals are farther from the source's"
PROBES = "not those that the manifest's probes expect"

tap("whole bake", untouched)
caught("half a texel's shift", shift_by_half_a_texel, PROBES, source=False)
caught("two frames swapped", swap_frames, FARTHER, f"clip '{CLIPS[0]}'", "frame ")
caught("two axes swapped", swap_axes, PROBES, source=False)
caught("frames upside down", upside_down, PROBES, source=False)
caught("one bit of one texel", one_texel, FARTHER, f"clip '{CLIPS[1]}', frame 5, part")
caught("one bit of one normal", one_normal, TURNED, "degrees")
caught("two channels of normals swapped", swapped_normal_channels, TURNED)
caught("two vertices swapped", swap_vertices, "the mesh's vertices have another order", source=False)
caught("two texel coordinates swapped", swap_uvs, FARTHER)
caught("another UV set", wrong_uv_set, "does not point at the elements' texels", source=False)
caught("bounds edited", edit_bounds, PROBES, f"clip '{CLIPS[1]}'", source=False)
caught("bounds of two clips swapped", swap_bounds_of_clips, PROBES, source=False)
caught("bounds of all clips edited", edit_all_bounds, "not those of its clips together", "axis y", source=False)
caught("source's time edited", edit_source_time, FARTHER, f"clip '{CLIPS[0]}'")
caught("handedness edited", edit_space, FARTHER)
