# SPDX-License-Identifier: MIT
"""Bakes of exact sizes: each texel decoded by foreign readers and docs/FORMATS.md's formulas, and compared with positions evaluated here from the
source file.  Guards, among others, https://github.com/sharpen3d/openvat/issues/4 (rows that wrap), /6 (the first row), /16 (corner texels),
https://github.com/zeux/meshoptimizer/pull/37 (the last frame) and https://github.com/sideeffects/GameDevelopmentToolset/issues/130 (bounds)."""
import math

import numpy as np
from bake import TMP, Bake, bake, make_assets, read_glb, run, tap

# Half a code of 16 bits on each axis is 7.6e-6 of the diagonal at worst; float rounding of the source adds less than 1e-6.
BOUND_16 = 1e-5


class Sheet:
    """The made sheet, evaluated: rest positions plus a morph whose weight is linear between keys."""

    def __init__(self, path):
        document, accessor = read_glb(path)
        primitive = document["meshes"][0]["primitives"][0]
        self.rest = accessor(primitive["attributes"]["POSITION"]).astype(float)
        self.lift = accessor(primitive["targets"][0]["POSITION"]).astype(float)
        self.clips = {}
        for animation in document["animations"]:
            channels = {c["target"]["path"]: animation["samplers"][c["sampler"]] for c in animation["channels"]}
            self.clips[animation["name"]] = {path: (accessor(s["input"])[:, 0].astype(float), accessor(s["output"]).astype(float))
                                             for path, s in channels.items()}

    def at(self, clip, time):
        times, weights = self.clips[clip]["weights"]
        positions = self.rest + np.interp(time, times, weights[:, 0]) * self.lift
        if "translation" in self.clips[clip]:
            times, places = self.clips[clip]["translation"]
            positions = positions + [np.interp(time, times, places[:, k]) for k in range(3)]
        return positions

    def span(self, clip):
        keys = np.concatenate([times for times, _ in self.clips[clip].values()])
        return keys.min(), keys.max()


def compare(sheet, decoded, bound=BOUND_16, half=False):
    """Every stored frame of every clip against the sheet; returns the largest distance over its clip's diagonal.  bound: of that; half: each
    coordinate may be off by the 2^-11 of it that rounding to 11 bits costs."""
    worst = 0.0
    for clip in decoded.manifest["clips"]:
        start, end = sheet.span(clip["name"])
        count = clip["frame_count"]
        truth = []
        for frame in range(count):
            time = start + frame / 60 if decoded.manifest["layout"] == "seed" else start + (end - start) * frame / max(count - 1, 1)
            truth.append(sheet.at(clip["name"], time))
        points = np.vstack(truth)
        diagonal = np.linalg.norm(points.max(axis=0) - points.min(axis=0))
        for frame in range(count):
            off = np.abs(decoded.to_gltf(decoded.positions(clip["first_frame"] + frame)) - truth[frame])
            distance = np.linalg.norm(off, axis=1).max()
            relative = distance / diagonal if diagonal else distance
            within = (off <= np.abs(truth[frame]) / 2048 + 1e-6).all() if half else relative <= bound
            assert within, f"clip {clip['name']}, frame {frame}: {distance} is {relative:.3g} of the diagonal {diagonal}"
            worst = max(worst, relative)
    return worst


def native(v, keys, max_size, pow2=False):
    [scene] = make_assets(TMP, f"grid-{v}-{keys}-30")
    options = [f"--max-size={max_size}"] + (["--pow2"] if pow2 else [])
    document = bake(scene, TMP / "out", *options)
    assert document["status"] == 0, document
    decoded = Bake(document["manifest"])
    r = math.ceil(v / max_size)
    w = math.ceil(v / r)
    if pow2:
        w = 1 << (w - 1).bit_length()
        r = math.ceil(v / w)
    k = max_size // r
    pages = 1 if keys <= k else math.ceil((keys - 1) / (k - 1))
    h = min(keys, k) * r
    h = 1 << (h - 1).bit_length() if pow2 else h
    found = [(t["width"], t["height"]) for t in decoded.manifest["textures"]]
    assert found == [(w, h)] * pages, f"expected {pages} pages of {w} x {h}, found {found}"
    assert decoded.manifest["frames"] == {"count": keys, "rows_per_frame": r, "per_page": min(k, keys)}, decoded.manifest["frames"]
    worst = compare(Sheet(scene), decoded)
    # The program compares with float positions, this test with double ones: half a unit in the last place of 1 m, over a diagonal of 0.4 m.
    assert abs(document["error"]["stored"]["max_relative"] - worst) <= 3e-7 + 0.02 * worst, \
        f"printed {document['error']['stored']['max_relative']}, found {worst}"
    # Texels past the last element of a frame, and rows past the last frame of a page, are 0.
    for (role, page), (texture, image) in decoded.images.items():
        frames = min(k, keys - page * (k - 1)) if pages > 1 else keys
        flat = image[:frames * r].reshape(frames, r * w, 4)
        assert not flat[:, v:].any() and not image[frames * r:].any(), f"page {page}: padding is not 0"
        assert not (flat[:, :v] == 0).all(axis=(0, 2)).any(), f"page {page}: an element has no texel"  # alpha holds a normal
    verified = run("verify", document["manifest"], "--against", scene, "--max-error=0.001%")
    assert verified.returncode == 0, verified.stderr


def edge_sizes():
    for v in (1, 2, 15, 16, 17, 32, 33, 49):
        r = math.ceil(v / 16)
        k = 16 // r
        for keys in sorted({2, k - 1, k, k + 1, 2 * k - 1, 2 * k}):
            if keys >= 2:
                tap(f"native V={v} N={keys} max=16", native, v, keys, 16)
    for v, keys in ((5, 5), (17, 9), (16, 16), (33, 40)):
        tap(f"native V={v} N={keys} max=16 pow2", native, v, keys, 16, True)
    tap("native V=257 N=3 max=256", native, 257, 3, 256)


def one_frame():
    [scene] = make_assets(TMP, "zero-7")
    document = bake(scene, TMP / "zero")
    decoded = Bake(document["manifest"])
    [clip] = decoded.manifest["clips"]
    assert (clip["frame_count"], clip["duration_s"], clip["loop"]) == (1, 0, False), clip
    compare(Sheet(scene), decoded)


def hundred_clips():
    [scene] = make_assets(TMP, "clips-21-100")
    document = bake(scene, TMP / "hundred")
    decoded = Bake(document["manifest"])
    assert len(decoded.manifest["clips"]) == 100
    first = 0
    for k, clip in enumerate(decoded.manifest["clips"]):
        assert clip["first_frame"] == first and clip["frame_count"] == 2 + k % 8, clip
        assert clip["rate"] == (24 if k % 2 else 30) or abs(clip["rate"] / (24 if k % 2 else 30) - 1) < 1e-6, clip
        first += clip["frame_count"]
    compare(Sheet(scene), decoded)


def seed(v, seconds):
    [scene] = make_assets(TMP, f"length-{v}-{seconds}")
    document = bake(scene, TMP / "seed", "--layout=seed")
    decoded = Bake(document["manifest"])
    sheet = Sheet(scene)
    start, end = sheet.span("Lift")
    rows = max(1, int(np.float32(60) * np.float32(np.float64(end) - np.float64(start))))
    [texture] = decoded.manifest["textures"]
    assert (texture["width"], texture["height"]) == (1 << (v - 1).bit_length(), rows), texture
    image = decoded.images["position", 0][1]
    assert image.dtype == np.float16 and (image[:, :v, 3] == 1).all() and not image[:, v:].any(), "alpha or padding"
    worst = compare(sheet, decoded, half=True)
    assert worst > 1e-6, "half floats cannot be this exact"
    codes = {w["code"] for w in document["warnings"]}
    assert ("seed-clip-too-short" in codes) == (int(np.float32(60) * np.float32(end - start)) == 0), codes


def lengths():
    # Lengths about a row's edge: 21 rows need 0.35 s, which a float multiplication reaches and a double one misses.
    for seconds in ("1", "0.999999", "0.35", "0.0166", "0.0167", "2.0083333", "0.05"):
        tap(f"seed of {seconds} s", seed, 13, seconds)
    tap("seed V=1", seed, 1, "0.5")
    tap("seed V=65", seed, 65, "0.5")
    for seconds, fps, frames in (("0.1", 15, 3), ("0.5", 3, 3), ("0.5", 2.9999, 2), ("1", 30.5, 32)):
        tap(f"native of {seconds} s at {fps}", native_length, seconds, fps, frames)


def native_length(seconds, fps, frames):
    [scene] = make_assets(TMP, f"length-5-{seconds}")
    decoded = Bake(bake(scene, TMP / "length", f"--fps={fps}")["manifest"])
    [clip] = decoded.manifest["clips"]
    assert clip["frame_count"] == frames, clip
    compare(Sheet(scene), decoded)


def walker():
    """100 m of travel: 16 bits over the distance leave less than the 1 cm of detail needs, and the tool says what to do."""
    [scene] = make_assets(TMP, "walker-400-100-60")
    document = bake(scene, TMP / "walker")
    stored = document["error"]["stored"]
    assert 0.2e-3 < stored["max"] < 1.1e-3, stored  # half of 100 m / 65535 along the way
    compare(Sheet(scene), Bake(document["manifest"]))
    told = run("vat", scene, "-o", TMP / "walker", "--force")
    text = told.stdout + told.stderr
    assert told.returncode == 0 and "exr32" in text, text
    gated = run("vat", scene, "-o", TMP / "walker", "--max-error=0.1mm")
    assert gated.returncode == 1 and "exr32" in gated.stderr, gated.stderr
    exact = bake(scene, TMP / "walker32", "--format=exr32", "--max-error=0.1mm")
    assert exact["status"] == 0 and exact["error"]["stored"]["max"] < 1e-5, exact["error"]["stored"]


def closing_frame():
    """--loop=yes appends the first frame once, to clips that do not close by themselves."""
    [scene] = make_assets(TMP, "length-9-1")
    document = bake(scene, TMP / "loop", "--loop=yes", "--fps=10")
    decoded = Bake(document["manifest"])
    [clip] = decoded.manifest["clips"]
    assert (clip["frame_count"], clip["loop"], clip["source"]["closed"]) == (12, True, True), clip
    assert np.array_equal(decoded.positions(11), decoded.positions(0)) and not np.array_equal(decoded.positions(10), decoded.positions(0))
    assert abs(clip["duration_s"] - 1.1) < 1e-9 and abs(clip["rate"] - 10) < 1e-9, clip
    [closed] = make_assets(TMP, "grid-9-21-30")  # the wave's period is 20 keys: it ends as it begins
    [clip] = Bake(bake(closed, TMP / "loop", "--loop=yes")["manifest"]).manifest["clips"]
    assert (clip["frame_count"], clip["loop"], clip["source"]["closed"]) == (21, True, False), clip
    [clip] = Bake(bake(closed, TMP / "loop", "--loop=no")["manifest"]).manifest["clips"]
    assert clip["loop"] is False
    assert run("verify", TMP / "loop/length-9-1_vat.json", "--against", scene).returncode == 0


edge_sizes()
tap("one frame", one_frame)
tap("a hundred clips", hundred_clips)
lengths()
tap("100 m with 1 cm of detail", walker)
tap("closing frame", closing_frame)
