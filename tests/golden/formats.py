#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The worked examples of docs/FORMATS.md: their numbers follow from the formulas there, and the program bakes them.  A layout is an
interface: guards https://github.com/keijiro/HdrpVatExample/issues/15, where a newer exporter's files played wrong with the same shader.

Everything is computed here from the text of the document, in Python's own arithmetic; nothing of the program is used for that."""
import base64
import json
import math
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import moving
import numpy
import OpenEXR
import png
from gltf import Gltf

ROOT, TMP = Path(os.environ["BW_ROOT"]), Path(os.environ["TMPDIR"])


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def floats(rows):
    return [[f32(x) for x in row] for row in rows]


def half_bits(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


# ---- the formulas ------------------------------------------------------------------------------------------------------------------------

def murmur3_128(data):
    """MurmurHash3 x64 128, seed 0 (Austin Appleby, public domain)."""
    mask = 2**64 - 1
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def rotate(x, r):
        return (x << r | x >> (64 - r)) & mask

    def finish(x):
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            x = (x ^ x >> 33) * factor & mask
        return x ^ x >> 33

    h1 = h2 = 0
    for start in range(0, len(data) // 16 * 16, 16):
        k1, k2 = struct.unpack_from("<QQ", data, start)
        h1 ^= rotate(k1 * c1 & mask, 31) * c2 & mask
        h1 = ((rotate(h1, 27) + h2) * 5 + 0x52DCE729) & mask
        h2 ^= rotate(k2 * c2 & mask, 33) * c1 & mask
        h2 = ((rotate(h2, 31) + h1) * 5 + 0x38495AB5) & mask
    k1, k2 = struct.unpack("<QQ", data[len(data) // 16 * 16:].ljust(16, b"\0"))
    h2 ^= rotate(k2 * c2 & mask, 33) * c1 & mask
    h1 ^= rotate(k1 * c1 & mask, 31) * c2 & mask
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & mask
    h2 = (h2 + h1) & mask
    h1, h2 = finish(h1), finish(h2)
    h1 = (h1 + h2) & mask
    h2 = (h2 + h1) & mask
    return struct.pack("<QQ", h1, h2).hex()


def order_hash(positions):
    return murmur3_128(b"".join(struct.pack("<f", x + 0.0 if x else 0.0) for p in positions for x in p))


def sample(example, time_s):
    """Positions at a time: rest + weight × displacement, the weight linear between the keys and clamped."""
    (t0, t1), (w0, w1) = floats([example["key_times_s"], example["key_weights"]])
    u = min(max((time_s - t0) / (t1 - t0), 0.0), 1.0)
    weight = w0 + (w1 - w0) * u
    return floats([[p + weight * d for p, d in zip(*pair)] for pair in zip(example["positions"], example["displacements"])])


def flat_normals(positions, triangles):
    """One normal a triangle; the examples' triangles share no vertex."""
    normals = [[0.0, 1.0, 0.0] for _ in positions]
    for corners in triangles:
        a, b, c = (positions[k] for k in corners)
        e, f = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
        n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]]
        length = math.sqrt(sum(x * x for x in n))
        for k in corners:
            normals[k] = [x / length for x in n]
    return normals


def octahedral(n):
    """A unit vector to [0, 1]²; sign(0) = +1."""
    def sign(x):
        return -1.0 if x < 0 else 1.0

    total = sum(abs(x) for x in n)
    x, y = n[0] / total, n[1] / total
    if n[2] < 0:
        x, y = (1 - abs(y)) * sign(x), (1 - abs(x)) * sign(y)
    return [0.5 * x + 0.5, 0.5 * y + 0.5]


def code(x, largest):
    return math.floor(largest * x + 0.5)


def native_frames(d, rate):
    n = max(1, math.floor(d * rate + 0.5))
    return n + 1, n / d


def native_sides(v, largest, n):
    """R, W, K of a page, and the pages as (first frame, frames)."""
    r = -(-v // largest)
    w = -(-v // r)
    k = largest // r
    pages = [(0, n)] if n <= k else [(p * (k - 1), min(k, n - p * (k - 1))) for p in range(-(-(n - 1) // (k - 1)))]
    return r, w, k, pages


def compute_native(example):
    """The "native" part of the example, from its first part alone."""
    d = f32(example["key_times_s"][1]) - f32(example["key_times_s"][0])
    count, rate = native_frames(d, 30)
    frames = [sample(example, d * k / (count - 1)) for k in range(count)]
    low = [min(p[k] for frame in frames for p in frame) for k in range(3)]
    high = [max(p[k] for frame in frames for p in frame) for k in range(3)]
    r, w, _, pages = native_sides(len(example["positions"]), 4096, count)
    texels, normal_texels = [], []
    for frame in frames:
        row, normal_row = [], []
        for p, n in zip(frame, flat_normals(frame, example["triangles"])):
            rgb = [code((p[k] - low[k]) / (high[k] - low[k]), 65535) if high[k] > low[k] else 0 for k in range(3)]
            u, v = octahedral(n)
            row.append(rgb + [code(u, 255) + 256 * code(v, 255)])
            normal_row.append([code(u, 65535), code(v, 65535), 0, 65535])
        texels.append(row)
        normal_texels.append(normal_row)
    height = r * pages[0][1]
    return {
        "frame_count": count, "rate": rate, "duration_s": d, "bounds": {"min": low, "max": high}, "rows_per_frame": r, "width": w,
        "height": height, "uv": [[f32((i % w + 0.5) / w), f32((i // w + 0.5) / height)] for i in range(len(example["positions"]))],
        "order_hash": order_hash(example["positions"]), "position_texels": texels, "normal_texels": normal_texels}


def compute_seed(example):
    d = f32(example["key_times_s"][1]) - f32(example["key_times_s"][0])
    v = len(example["positions"])
    width, height = 1 << (v - 1).bit_length(), max(1, int(f32(60.0 * f32(d))))
    rows = []
    for frame in reversed(range(height)):
        row = [[f"{half_bits(x):04x}" for x in p + [1.0]] for p in sample(example, frame / 60)]
        rows.append(row + [["0000"] * 4] * (width - v))
    return {"frame_count": height, "width": width, "height": height, "uv": [[f32((i + 0.5) / width), 0.5] for i in range(v)], "halves": rows}


def compute_openvat(example):
    """The "openvat" example, from the triangle: offsets in Blender's axes, a row a frame, elements from the last on, normals below."""
    def blender(p):
        return [p[0], -p[2] if p[2] else 0.0, p[1]]

    d = f32(example["key_times_s"][1]) - f32(example["key_times_s"][0])
    count, rate = native_frames(d, 30)
    frames = [sample(example, d * k / (count - 1)) for k in range(count)]
    rest = example["positions"]
    offsets = [[[f32(a - b) for a, b in zip(blender(p), blender(q))] for p, q in zip(frame, rest)] for frame in frames]
    low = [f32(math.floor(10 * min(o[k] for frame in offsets for o in frame)) / 10) for k in range(3)]
    high = [f32(math.ceil(10 * max(o[k] for frame in offsets for o in frame)) / 10) for k in range(3)]
    unit = [[[(o[k] - low[k]) / (high[k] - low[k]) if high[k] > low[k] else 0.0 for k in range(3)] for o in frame] for frame in offsets]
    unit += [[[0.5 * x + 0.5 for x in blender(floats([n])[0])] for n in flat_normals(frame, example["triangles"])] for frame in frames]
    rows = [[texel + [1.0] for texel in reversed(row)] for row in unit]
    v, height = len(rest), 2 * count
    return {
        "frame_count": count, "width": v, "height": height, "min": low, "max": high,
        "uv": [[f32((v - 1 - i + 0.5) / v), f32(0.5 / height)] for i in range(v)],
        "codes": [[[code(x, 65535) for x in texel] for texel in row] for row in rows],
        "halves": [[[f"{half_bits(f32(x)):04x}" for x in texel] for texel in row] for row in rows]}


def compute_pages(example):
    v, n, largest = example["vertices"], example["frames"], example["max_size"]
    r, w, k, pages = native_sides(v, largest, n)
    rows = k * r if len(pages) > 1 else n * r

    def place(frame):
        p = frame // (k - 1) if len(pages) > 1 else 0
        return {"frame": frame, "page": min(p, len(pages) - 1)}

    pairs = []
    for frame in range(n - 1):
        page = place(frame)["page"]
        row = (frame - pages[page][0]) * r
        pairs.append([frame, page, row, row + r])
    return {"rows_per_frame": r, "width": w, "frames_per_page": k, "height": rows, "pages": [list(p) for p in pages],
            "pairs": pairs, "elements": [[i, i % w, i // w] for i in range(v)]}


def five(values):
    """Five decimals, without −0."""
    if isinstance(values, dict):
        return {key: five(value) for key, value in values.items()}
    return [five(v) for v in values] if isinstance(values, list) else round(values, 5) + 0.0


def compute_root(example, engine):
    """The part of an engine, from the first keys of the example alone."""
    to_space = {"generic": lambda p: list(p), "unity": lambda p: [-p[0], p[1], p[2]],
                "unreal": lambda p: [100 * p[0], 100 * p[2], 100 * p[1]]}[engine]
    ground = lambda p: [p[0], 0, p[2]]
    first, *_ = moves = example["translations"]
    pivot = to_space(ground(first))
    travel = [to_space(ground([b - a for a, b in zip(first, move)])) for move in moves]
    # Quaternions about up; a left hand counts their angle the other way.
    yaw = [(1 if engine == "generic" else -1) * 2 * math.atan2(q[1], q[3]) for q in example["rotations"]]
    stored = []
    for move, q, t, angle in zip(moves, example["rotations"], travel, yaw):
        turned, frame = 2 * math.atan2(q[1], q[3]), []
        for x, y, z in example["positions"]:
            world = to_space([x * math.cos(turned) + z * math.sin(turned) + move[0], y + move[1],
                              z * math.cos(turned) - x * math.sin(turned) + move[2]])
            x, y, z = (p - c - d for p, c, d in zip(world, pivot, t))
            cosine, sine = math.cos(-angle), math.sin(-angle)
            back = [x * cosine - y * sine, y * cosine + x * sine, z] if engine == "unreal" else [x * cosine + z * sine, y, z * cosine - x * sine]
            frame.append([c + b for c, b in zip(pivot, back)])
        stored.append(frame)
    return {key: five(value) for key, value in (("pivot", pivot), ("translation", travel), ("yaw_rad", yaw), ("stored", stored))} | {
        "cycle": {"translation": five(travel[-1]), "yaw_rad": five(yaw[-1])}}


# ---- bones -------------------------------------------------------------------------------------------------------------------------------

def rotate(q, v):
    """v + 2 q.xyz × (q.xyz × v + q.w v)."""
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    inner = [c + q[3] * x for c, x in zip(cross(q[:3], v), v)]
    return [x + 2 * c for x, c in zip(v, cross(q[:3], inner))]


def unit(q):
    length = math.sqrt(sum(x * x for x in q))
    return [x / length for x in q]


def extent(points):
    return [f32(min(p[k] for p in points)) for k in range(3)], [f32(max(p[k] for p in points)) for k in range(3)]


def pivot_codes(pivot, low, high):
    return [code((x - a) / (b - a), 65535) if b > a else 0 for x, a, b in zip(pivot, low, high)]


def from_codes(codes, low, high):
    return [a + (b - a) * c / 65535 for c, a, b in zip(codes, low, high)]


def quaternion_codes(q):
    """Of the lengths 1 − j / 512 the first whose rounded codes point nearest to q."""
    tried = [[math.floor(32767 * (1 - j / 512) * x + 32768.5) for x in q] for j in range(256)]

    def off(codes):
        centred = unit([c - 32768 for c in codes])
        along = sum(a * b for a, b in zip(centred, q))
        return sum((a - along * b) ** 2 for a, b in zip(centred, q))

    return min(tried, key=off)


def compute_bones(pivots, poses):
    """Texels of two bones in a row, and what they decode to.  poses: frames of (posed pivot, scale, quaternion)."""
    t, b, frames = 2, len(pivots), len(poses)
    per_row, rows = b, 1
    low, high = extent(pivots)
    clip_low, clip_high = extent([pivot for frame in poses for pivot, _, _ in frame])
    largest = max(scale for frame in poses for _, scale, _ in frame)
    lines = [[texel for p in pivots for texel in (pivot_codes(p, low, high) + [65535], quaternion_codes([0, 0, 0, 1]))]]
    decoded = []
    for frame in poses:
        line, found = [], []
        for pivot, scale, q in frame:
            first = pivot_codes(pivot, clip_low, clip_high) + [code(scale / largest, 65535)]
            second = quaternion_codes(q)
            found.append((from_codes(first[:3], clip_low, clip_high), largest * first[3] / 65535, unit([(c - 32768) / 32767 for c in second])))
            line += [first, second]
        lines.append(line)
        decoded.append(found)
    references = [from_codes(line, low, high) for line in lines[0][::2]]
    return references, decoded, {
        "texels": t, "per_row": per_row, "rows_per_frame": rows, "width": t * per_row, "height": rows * (frames + 1),
        "reference": {"min": low, "max": high}, "pivots": {"min": clip_low, "max": clip_high, "max_scale": largest}, "codes": lines}


def mix_bones(a, b, weight):
    mixed = []
    for (p, s, q), (p2, s2, q2) in zip(a, b):
        if sum(x * y for x, y in zip(q, q2)) < 0:
            q2 = [-x for x in q2]
        mixed.append(([x + (y - x) * weight for x, y in zip(p, p2)], s + (s2 - s) * weight, unit([x + (y - x) * weight for x, y in zip(q, q2)])))
    return mixed


def place(x, influences, references, bones):
    """influences: (bone, weight)."""
    out = [0.0, 0.0, 0.0]
    for bone, weight in influences:
        pivot, scale, q = bones[bone]
        turned = rotate(q, [a - b for a, b in zip(x, references[bone])])
        out = [o + weight * (p + scale * v) for o, p, v in zip(out, pivot, turned)]
    return out


def weight_codes(weights):
    """(bones, codes) of four influences, by falling weight; what rounding down lost goes where most was lost."""
    order = sorted((b for b, w in enumerate(weights) if w > 0), key=lambda b: -weights[b])
    codes = [math.floor(65535 * weights[b]) for b in order]
    lost = sorted(range(len(order)), key=lambda k: codes[k] - 65535 * weights[order[k]])
    for k in lost[:65535 - sum(codes)]:
        codes[k] += 1
    return order + [0] * (4 - len(order)), codes + [0] * (4 - len(codes))


def compute_bend(example):
    base, upper = example["joints"]
    moved = [a + b for a, b in zip(base, example["move"])]
    still = [0, 0, 0, 1]
    poses = [[(base, 1, still), (upper, 1, still)],
             [(moved, 1, still), ([a + b for a, b in zip(upper, example["move"])], example["shrink"], unit(example["turn"]))]]
    references, decoded, bones = compute_bones([base, upper], poses)
    rows = [weight_codes(weights) for weights in example["weights"]]
    influences = [[(b, w / 65535) for b, w in zip(*row) if w] for row in rows]
    v = len(rows)
    show = lambda bones: five([place(x, row, references, bones) for x, row in zip(example["positions"], influences)])
    return {"bones": bones, "weight_texels": [[list(row[k]) for row in rows] for k in (0, 1)],
            "uv": [[f32((i + 0.5) / v), f32(0.5 / 2)] for i in range(v)],
            "decoded": [show(frame) for frame in decoded], "half_way": show(mix_bones(*decoded, 0.5))}


def compute_pieces(example):
    still = [0, 0, 0, 1]
    rest = [[[a + b for a, b in zip(p, node)] for p in example["positions"]] for node in example["nodes"]]
    left, right = example["nodes"]
    poses = [[(left, 1, still), (right, 1, still)], [(left, 1, unit(example["turn"])), (right, 0, still)]]
    references, decoded, bones = compute_bones([left, right], poses)
    show = lambda bones: five([place(x, [(piece, 1)], references, bones) for piece in (0, 1) for x in rest[piece]])
    return {"bones": bones, "uv": [[f32((2 * piece + 0.5) / bones["width"]), f32(0.5 / bones["height"])] for piece in (0, 1) for _ in rest[piece]],
            "decoded": [show(frame) for frame in decoded], "half_way": show(mix_bones(*decoded, 0.5))}


# ---- the document ------------------------------------------------------------------------------------------------------------------------

def examples():
    text = (ROOT / "docs/FORMATS.md").read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- example: (\w+) -->\n```json\n(.*?)```", text, re.S)
    return {name: json.loads(block) for name, block in blocks}


def report(name, expected, found):
    if expected == found:
        print(f"ok {name}")
    else:
        print(f"not ok {name}: computed {json.dumps(expected)}, found {json.dumps(found)}")


# ---- the program -------------------------------------------------------------------------------------------------------------------------

def write_gltf(path, example):
    """The example's mesh as a file: triangles, or points where it has none."""
    displaced, times, weights = example["displacements"], example["key_times_s"], example["key_weights"]
    indices = [k for corners in example["triangles"] for k in corners] or list(range(len(displaced)))
    parts = [struct.pack(f"<{3 * len(rows)}f", *(x for row in rows for x in row)) for rows in (example["positions"], displaced)]
    parts += [struct.pack(f"<{len(times)}f", *times), struct.pack(f"<{len(weights)}f", *weights), struct.pack(f"<{len(indices)}I", *indices)]
    offsets = [sum(map(len, parts[:k])) for k in range(len(parts))]
    vertices = len(example["positions"])
    bounds = [{"min": [min(p[k] for p in rows) for k in range(3)], "max": [max(p[k] for p in rows) for k in range(3)]}
              for rows in (example["positions"], displaced)]
    data = b"".join(parts)
    path.write_text(json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}], "indices": 4,
                                    "mode": 4 if example["triangles"] else 0}]}],
        "animations": [{"name": "Example", "samplers": [{"input": 2, "output": 3}],
                        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}],
        "accessors": [dict({"bufferView": 0, "componentType": 5126, "count": vertices, "type": "VEC3"}, **bounds[0]),
                      dict({"bufferView": 1, "componentType": 5126, "count": vertices, "type": "VEC3"}, **bounds[1]),
                      {"bufferView": 2, "componentType": 5126, "count": len(times), "type": "SCALAR", "min": [times[0]], "max": [times[-1]]},
                      {"bufferView": 3, "componentType": 5126, "count": len(weights), "type": "SCALAR"},
                      {"bufferView": 4, "componentType": 5125, "count": len(indices), "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": offset, "byteLength": len(part)} for offset, part in zip(offsets, parts)],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}))


def bake(scene, out, *options, mode="vertex"):
    done = subprocess.run([os.environ["BAKEWELL"], "vat", scene, "-o", out, "--quiet", f"--mode={mode}", *options], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"bakewell vat {' '.join(options)}: status {done.returncode}: {done.stderr.strip()}")
    return json.loads((out / f"{scene.stem}_vat.json").read_text())


def read_texels(path, row):
    """Rows of texels: codes, or hexadecimal halves."""
    if row["format"] == "png16":
        width, height, rows, info = png.Reader(str(path)).read()
        assert info["bitdepth"] == 16 and info["planes"] == 4 and "gamma" not in info
        return [[list(line[4 * x:4 * x + 4]) for x in range(width)] for line in rows]
    if row["format"] == "raw":
        flat = numpy.fromfile(path, "<u2").reshape(row["height"], row["width"], 4)
        return flat.tolist()
    with OpenEXR.File(str(path), separate_channels=True) as image:
        planes = [image.channels()[name].pixels.view(numpy.uint16) for name in "RGBA"]
    return [[[f"{int(plane[y][x]):04x}" for plane in planes] for x in range(row["width"])] for y in range(row["height"])]


def glb_attribute(path, name):
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    document, binary = json.loads(data[20:20 + size]), data[28 + size:]
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"][name]]
    view = document["bufferViews"][accessor["bufferView"]]
    width = {"VEC2": 2, "VEC3": 3}[accessor["type"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    values = struct.unpack_from(f"<{width * accessor['count']}f", binary, start)
    return [list(values[k:k + width]) for k in range(0, len(values), width)]


def check_manifest(name, manifest, expected):
    clip = manifest["clips"][0]
    found = {key: clip[key] for key in ("frame_count", "rate", "duration_s") if key in expected}
    if "bounds" in expected:
        found["bounds"] = {side: [f32(x) for x in clip["bounds"][side]] for side in ("min", "max")}
    if "order_hash" in expected:
        found["order_hash"] = manifest["elements"]["order_hash"]
    report(name + " manifest", {key: expected[key] for key in found}, found)


def check_bakes(example):
    scene = TMP / "triangle.gltf"
    write_gltf(scene, example)
    for container in ("png16", "raw"):
        out = TMP / container
        manifest = bake(scene, out, f"--format={container}")
        check_manifest(f"baked {container}", manifest, example["native"])
        row = manifest["textures"][0]
        report(f"baked {container} texels", example["native"]["position_texels"], read_texels(out / row["file"], row))
        uv = glb_attribute(out / manifest["mesh"]["file"], f"TEXCOORD_{manifest['uv_set']}")
        report(f"baked {container} texture coordinates", [1, example["native"]["uv"]], [manifest["uv_set"], uv])
    out = TMP / "separate"
    manifest = bake(scene, out, "--normals=separate")
    row = next(row for row in manifest["textures"] if row["role"] == "normal")
    report("baked normal texels", example["native"]["normal_texels"], read_texels(out / row["file"], row))
    out = TMP / "seed"
    manifest = bake(scene, out, "--layout=seed")
    row = manifest["textures"][0]
    check_manifest("baked seed", manifest, {"frame_count": example["seed"]["frame_count"]})
    report("baked seed texels", example["seed"]["halves"], read_texels(out / row["file"], row))
    uv = glb_attribute(out / manifest["mesh"]["file"], f"TEXCOORD_{manifest['uv_set']}")
    report("baked seed texture coordinates", example["seed"]["uv"], uv)


def check_baked_openvat(triangle, example):
    scene = TMP / "triangle.gltf"
    for container, key in (("png16", "codes"), ("exr16", "halves")):
        out = TMP / f"openvat_{container}"
        manifest = bake(scene, out, "--layout=openvat", f"--format={container}")
        row = manifest["textures"][0]
        report(f"baked openvat {container} texels", example[key], read_texels(out / row["file"], row))
        remap = json.loads((out / "triangle-remap_info.json").read_text())
        report(f"baked openvat {container} remap_info",
               {"os-remap": {"Min": example["min"], "Max": example["max"], "Frames": example["frame_count"]},
                "animations": {"Example": {"startFrame": 1, "endFrame": example["frame_count"], "framerate": 30, "looping": False}}},
               {**remap, "os-remap": {k: [f32(x) for x in x] if k != "Frames" else x for k, x in remap["os-remap"].items()}})
        uv = glb_attribute(out / manifest["mesh"]["file"], f"TEXCOORD_{manifest['uv_set']}")
        report(f"baked openvat {container} texture coordinates", [1, example["uv"]], [manifest["uv_set"], uv])


def check_baked_pages(example):
    """Vertex i of frame f stands at x = 16 f + i, so that every texel says whose it is."""
    v, n = example["vertices"], example["frames"]
    scene = TMP / "pages.gltf"
    write_gltf(scene, {"positions": [[i, 0, 0] for i in range(v)], "displacements": [[16 * (n - 1), 0, 0]] * v,
                       "triangles": [], "key_times_s": [0, n - 1], "key_weights": [0, 1]})
    out = TMP / "pages"
    manifest = bake(scene, out, "--fps=1", f"--max-size={example['max_size']}", "--normals=off")
    frames = manifest["frames"]
    report("baked page sides", [example["rows_per_frame"], example["frames_per_page"], example["width"], example["height"], len(example["pages"])],
           [frames["rows_per_frame"], frames["per_page"], manifest["textures"][0]["width"], manifest["textures"][0]["height"],
            len(manifest["textures"])])
    pages = [read_texels(out / row["file"], row) for row in manifest["textures"]]
    wrong = []
    for frame, page, row, next_row in example["pairs"]:
        for i, x, y in example["elements"]:
            for shift, start in ((0, row), (1, next_row)):
                expected = code((16 * (frame + shift) + i) / (16 * (n - 1) + v - 1), 65535)
                if pages[page][start + y][x][0] != expected:
                    wrong.append([frame + shift, i])
    report("baked pages hold every pair", [], wrong)
    used = {(page, start + y, x) for _, page, *rows in example["pairs"] for start in rows for _, x, y in example["elements"]}
    rest = [texel for p, rows in enumerate(pages) for y, line in enumerate(rows) for x, texel in enumerate(line) if (p, y, x) not in used]
    report("unused texels are 0", [[0, 0, 0, 0]], [list(t) for t in sorted(set(map(tuple, rest)))])


def check_baked_root(example):
    scene = TMP / "root.gltf"
    moving.write(scene, [{"name": "Root", "mesh": 0}],
                 [(0, "translation", example["key_times_s"], example["translations"]), (0, "rotation", example["key_times_s"], example["rotations"])],
                 example["positions"], [])
    for engine in ("generic", "unity", "unreal"):
        out = TMP / f"root-{engine}"
        manifest = bake(scene, out, "--root-motion=extract", f"--engine={engine}", "--format=exr32", "--normals=off")
        root = manifest["clips"][0]["root"]
        row = manifest["textures"][0]
        with OpenEXR.File(str(out / row["file"]), separate_channels=True) as image:
            planes = [image.channels()[name].pixels for name in "RGB"]
        stored = [[[float(plane[y][x]) for plane in planes] for x in range(row["width"])] for y in range(row["height"])]
        found = {key: five(value) for key, value in dict(root, stored=stored).items() if key != "node"}
        report(f"baked root motion, {engine}", example[engine], found)


def check_baked_bones(name, scene, example, mode):
    """Texels, sides and pivots of a bone or rigid bake against the example; bones in the order of the example's."""
    for container in ("png16", "raw"):
        out = TMP / f"{name}-{container}"
        manifest = bake(scene, out, f"--format={container}", mode=mode)
        expected = example["bones"]
        row = next(row for row in manifest["textures"] if row["role"] == "bones")
        sides = lambda bounds: {side: [f32(x) for x in bounds[side]] for side in ("min", "max")}
        [clip] = manifest["clips"]
        found = {"texels": manifest["bones"]["texels"], "per_row": manifest["bones"]["per_row"],
                 "rows_per_frame": manifest["frames"]["rows_per_frame"], "width": row["width"], "height": row["height"],
                 "reference": sides(manifest["bones"]["pivots"]), "pivots": sides(clip["pivots"]) | {"max_scale": clip["pivots"]["max_scale"]},
                 "codes": read_texels(out / row["file"], row)}
        report(f"baked {name} {container}", expected, found)
        uv = glb_attribute(out / manifest["mesh"]["file"], f"TEXCOORD_{manifest['uv_set']}")
        report(f"baked {name} {container} texture coordinates", [1, example["uv"]], [manifest["uv_set"], uv])
        if "weight_texels" in example:
            row = next(row for row in manifest["textures"] if row["role"] == "weights")
            report(f"baked {name} {container} weights", example["weight_texels"], read_texels(out / row["file"], row))


def check_baked_bend(example):
    g = Gltf()
    base, upper = example["joints"]
    hip = g.node(name="Lower", translation=base)
    knee = g.node(hip, name="Upper", translation=[b - a for a, b in zip(base, upper)])
    inverse = [numpy.eye(4) for _ in example["joints"]]
    for matrix, place in zip(inverse, example["joints"]):
        matrix[:3, 3] = [-x for x in place]
    joints, weights = g.accessor([[0, 1, 0, 0]] * len(example["positions"]), "u1"), g.accessor([w + [0, 0] for w in example["weights"]])
    g.node(mesh=g.mesh(example["positions"], JOINTS_0=joints, WEIGHTS_0=weights), skin=g.skin([hip, knee], inverse))
    times = example["key_times_s"]
    g.animation("Example", (hip, "translation", times, [base, [a + b for a, b in zip(base, example["move"])]]),
                (knee, "rotation", times, [[0, 0, 0, 1], example["turn"]]), (knee, "scale", times, [[1] * 3, [example["shrink"]] * 3]))
    check_baked_bones("bend", g.write(TMP / "bend.gltf"), example, "bone")


def check_baked_pieces(example):
    g = Gltf()
    mesh = g.mesh(example["positions"], 4, [0, 1, 2])
    left, right = (g.node(name=name, mesh=mesh, translation=place) for name, place in zip(("Left", "Right"), example["nodes"]))
    times = example["key_times_s"]
    g.animation("Example", (left, "rotation", times, [[0, 0, 0, 1], example["turn"]]), (right, "scale", times, [[1] * 3, [0] * 3], "STEP"))
    check_baked_bones("pieces", g.write(TMP / "pieces.gltf"), example, "rigid")


def main():
    found = examples()
    triangle, pages, openvat = found["triangle"], found["pages"], found["openvat"]
    report("hash of nothing and of a known text", ["0" * 32, "6c1b07bc7bbc4be347939ac4a93c437a"],
           [murmur3_128(b""), murmur3_128(b"The quick brown fox jumps over the lazy dog")])
    report("native example", compute_native(triangle), triangle["native"])
    report("seed example", compute_seed(triangle), triangle["seed"])
    report("pages example", compute_pages(pages), {key: pages[key] for key in compute_pages(pages)})
    for engine in ("generic", "unity", "unreal"):
        report(f"root motion example, {engine}", compute_root(found["root"], engine), found["root"][engine])
    openvat = {**openvat, "min": floats([openvat["min"]])[0], "max": floats([openvat["max"]])[0]}
    report("openvat example", compute_openvat(triangle), openvat)
    for name, compute in (("bend", compute_bend), ("pieces", compute_pieces)):
        computed = compute(found[name])
        report(f"{name} example", computed, {key: found[name][key] for key in computed})
    check_bakes(triangle)
    check_baked_openvat(triangle, openvat)
    check_baked_pages(pages)
    check_baked_root(found["root"])
    check_baked_bend(found["bend"])
    check_baked_pieces(found["pieces"])


if __name__ == "__main__":
    sys.exit(main())
