# SPDX-License-Identifier: MIT
"""Textures of other Pivot Painter tools, and the ways in which some of them are wrong, as `bakewell info` tells them; written and counted here by
OpenEXR's own library and the formulas of docs/PIVOT.md."""
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import OpenEXR
from bake import BAKEWELL, TMP, tap

SETS = Path(os.environ.get("DATA") or "absent") / "models/pivotpainter_textures"


def info(path):
    run = subprocess.run([BAKEWELL, "info", "--json", path], capture_output=True, text=True)
    assert run.returncode == 0, run
    return json.loads(run.stdout)


def write_exr(path, rgba):
    OpenEXR.File({"compression": OpenEXR.ZIPS_COMPRESSION, "type": OpenEXR.scanlineimage}, {"RGBA": np.ascontiguousarray(rgba)}).write(str(path))


def stock_parents(alpha):
    """As the stock functions unpack them, in 32-bit integers that wrap."""
    u = np.asarray(alpha, np.float32).view(np.uint32).astype(np.int64)
    half = (u >> 16) & 0x8000 | (((u >> 23) & 255) - 112) << 10 | (u >> 13) & 0x3FF
    return (half - 1024) % 2 ** 32


def depths(parents):
    counts = {}
    for i in range(len(parents)):
        depth, at = 0, i
        while parents[at] != at:
            depth, at = depth + 1, int(parents[at])
            assert depth <= len(parents), f"element {i} runs in a circle"
        counts[depth] = counts.get(depth, 0) + 1
    return [counts[d] for d in sorted(counts)]


def tree(count):
    """Parents of a bushy tree: element i hangs on i // 3, the first on itself."""
    return np.arange(count) // 3


def make(name, parents, pack, width=64, dtype=np.float16, padding_alpha=0.0, pivots=None):
    count = len(parents)
    height = -(-count // width)
    rgba = np.zeros((width * height, 4), np.float32)
    rgba[:count, 2] = np.arange(count) % 500
    if pivots is not None:
        rgba[:count, :3] = pivots
    rgba[count:, 3] = padding_alpha
    half = rgba.astype(np.float16) if dtype is np.float16 else rgba.astype(np.float32)
    packed = pack(parents)
    half[:count, 3] = packed.view(np.float16) if packed.dtype == np.uint16 and dtype is np.float16 else packed
    path = TMP / f"{name}.exr"
    write_exr(path, half.reshape(height, width, 4))
    return info(path)


def stock(parents):
    return (parents + 1024).astype(np.uint16)


def codes(document):
    return {finding["code"] for finding in document["findings"]}


def check_sound():
    parents = tree(1000)
    told = make("sound", parents, stock, padding_alpha=1.0)
    assert told["kind"] == "pivot-position" and told["elements"] == 1000 and told["padding"] == 24 and told["roots"] == 1, told
    # 1,000 elements in threes are deeper than four levels, which is the only thing to say.
    counts = depths(parents)
    assert told["depths"] == counts and told["max_depth"] == len(counts) - 1 > 3, told
    assert codes(told) == {"too-deep"}, told["findings"]


def check_wrong_ways():
    parents = tree(1200)
    for name, pack, dtype, says in (
            ("raw", lambda p: p.astype(np.uint16), np.float16, "without the 1024"),
            ("linear", lambda p: ((p + 1024) / 2.0 ** 24).astype(np.float32), np.float32, "2^24"),
            ("number", lambda p: p.astype(np.float32), np.float32, "as a number"),
            ("up", lambda p: (p + 0.5).astype(np.float32), np.float32, "+ 0.5"),
            ("down", lambda p: (p - 0.5).astype(np.float32), np.float32, "- 0.5")):
        wide = parents if name != "linear" else np.maximum(np.arange(4000) - 1, 0)
        told = make(name, wide, pack, dtype=dtype)
        assert told["kind"] == "pivot-position" and says in told["packing"], (name, told)
        assert "parent-packing" in codes(told) and told["elements"] == len(wide) and told["roots"] == 1, (name, told)


def check_wrong_trees():
    plants = np.zeros(100, int)
    assert "all-on-first" in codes(make("all-on-first", plants, stock)), "plants that hang on the first"
    assert "all-on-first" not in codes(make("apart", np.arange(100), stock)), "plants that stand apart"
    pivots = np.zeros((100, 3)) + [[0, 1, 0]]
    pivots[1:] += np.arange(1, 100)[:, None]
    assert "one-centimetre" in codes(make("bias", tree(100), stock, pivots=pivots))
    wide = make("width", tree(200), stock, width=41)
    wrong = [i for i in range(200) if int(np.floor(np.float32(i) * (np.float32(1) / np.float32(41)))) != i // 41]
    found = [f for f in wide["findings"] if f["code"] == "unsafe-width"]
    assert found and found[0]["count"] == len(wrong) > 0, (found, wrong)
    later = tree(100)
    later[5] = 90
    assert "parent-after-child" in codes(make("later", later, stock))


def check_not_pivots():
    rng = np.random.default_rng(1)
    write_exr(TMP / "noise.exr", rng.random((16, 16, 4)).astype(np.float32))
    assert info(TMP / "noise.exr")["kind"] == "image"
    opaque = rng.random((200, 200, 4)).astype(np.float16)
    opaque[..., 3] = 1  # which the stock functions read as element 14,336
    write_exr(TMP / "opaque.exr", opaque)
    assert info(TMP / "opaque.exr")["kind"] == "image"
    from PIL import Image
    Image.fromarray(rng.integers(0, 255, (32, 32, 4), np.uint8), "RGBA").save(TMP / "noise.png")
    assert info(TMP / "noise.png")["kind"] == "image"


def check_axes():
    rng = np.random.default_rng(2)
    axes = rng.normal(size=(256, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    texels = np.zeros((256, 4), np.uint8)
    texels[:, :3] = np.floor(255 * (axes + 1) / 2 + 0.5)
    texels[:, 3] = np.arange(256)
    from PIL import Image
    image = Image.fromarray(texels.reshape(16, 16, 4), "RGBA")
    for name in ("axes.png", "axes.tga"):
        image.save(TMP / name, **({"rle": True} if name.endswith("tga") else {}))
        told = info(TMP / name)
        assert told["kind"] == "pivot-axis" and told["extent_cm"] == [8, 2048], told


def check_real(name, expected):
    path = next((SETS / name).glob("*.exr"))
    with OpenEXR.File(str(path), separate_channels=True) as file:
        texels = np.stack([file.channels()[c].pixels for c in "RGBA"], axis=-1).reshape(-1, 4)
    told = info(path)
    count = told["elements"]
    parents = stock_parents(texels[:, 3].astype(np.float32))[:count]
    assert told["depths"] == depths(parents) == expected, told
    assert count + told["padding"] == len(texels)
    low, high = texels[:count, :3].astype(float).min(0), texels[:count, :3].astype(float).max(0)
    assert np.allclose(told["pivots"]["min"], low, atol=0) and np.allclose(told["pivots"]["max"], high, atol=0), told
    return told


def check_sets():
    check_real("fractal_tree", [1, 4, 16, 64])
    told = check_real("maya_pp2_sample", [1, 16, 64, 514])
    assert told["padding"] == 5 and "not-half" in codes(told), told
    assert "all-on-first" in codes(check_real("grass", [1, 99]))
    for name, count in (("fractal_tree", 85), ("grass", 100)):
        path = next((SETS / name).glob("*.tga"))
        told = info(path)
        from PIL import Image
        extents = np.maximum(np.asarray(Image.open(path))[..., 3] / 255 * 2048, 8)
        assert told["kind"] == "pivot-axis" and told["width"] * told["height"] == count, told
        assert np.allclose(told["extent_cm"], [extents.min(), extents.max()], rtol=1e-12), told


if __name__ == "__main__":
    TMP.mkdir(parents=True, exist_ok=True)
    tap("a sound texture", check_sound)
    tap("parents packed otherwise", check_wrong_ways)
    tap("trees that are wrong", check_wrong_trees)
    tap("images that are none", check_not_pivots)
    tap("axes in PNG and TGA", check_axes)
    if SETS.exists():
        tap("data: sets of three tools", check_sets)
    else:
        print("skip data: sets of three tools: no models/pivotpainter_textures")
