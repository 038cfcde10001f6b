# SPDX-License-Identifier: MIT
"""Bakes run as a user would run them, and a decoder of their files that shares nothing with the program: numpy, foreign image readers, and the
formulas of docs/FORMATS.md."""
import json
import os
import struct
import subprocess
from pathlib import Path

import numpy as np
from bone_decoder import Bones

BAKEWELL = os.environ.get("BAKEWELL", "build/bakewell")
TMP = Path(os.environ.get("TMPDIR", "/tmp"))
BUILD = Path(os.environ.get("BW_BUILD", "build"))


def run(*args, **kwargs):
    """Runs the program.  Bakes hold vertices unless they say else: what one file's texels are does not depend on the choice among modes."""
    args = [str(arg) for arg in args]
    if args[0] == "vat" and not any(arg.startswith(("--mode", "--jobs")) for arg in args):
        args.append("--mode=vertex")
    return subprocess.run([BAKEWELL, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, **kwargs)


def bake(scene, out, *options):
    """Bakes and returns the result document; its "status" is the program's."""
    done = run("vat", scene, "-o", out, "--json", *options)
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise AssertionError(f"status {done.returncode}, no JSON: {done.stdout[:200]!r} {done.stderr[:300]!r}") from None
    assert document["status"] == done.returncode, f"document says {document['status']}, the program ended with {done.returncode}"
    return document


def make_assets(folder, *names):
    subprocess.run([str(BUILD / "make_assets"), str(folder), *names], check=True, stdout=subprocess.DEVNULL)
    return [Path(folder) / f"{name}.glb" for name in names]


def tap(name, test, *args):
    """Runs a test and prints its line."""
    try:
        test(*args)
    except AssertionError as error:
        print(f"not ok {name}: {str(error) or 'assertion'}".replace("\n", " | "), flush=True)
    else:
        print(f"ok {name}", flush=True)


# ---- images, by other people's readers ----

def read_png(path):
    import png
    width, height, rows, info = png.Reader(filename=str(path)).read()
    assert info["planes"] == 4, f"{path}: {info['planes']} channels"
    assert "gamma" not in info, f"{path}: has a gamma chunk"
    dtype = np.uint16 if info["bitdepth"] == 16 else np.uint8
    return np.vstack([np.frombuffer(bytes(row) if dtype == np.uint8 else row, dtype=dtype) for row in rows]).reshape(height, width, 4)


def read_exr(path):
    import OpenEXR
    with OpenEXR.File(str(path), separate_channels=True) as file:
        channels = file.channels()
        return np.stack([channels[name].pixels for name in "RGBA"], axis=-1)


def read_raw(path, texture):
    return np.fromfile(path, dtype={"raw": "<u2", "raw-f32": "<f4"}[texture["format"]]).reshape(texture["height"], texture["width"], 4)


def read_ktx2(path):
    module = Path(os.environ.get("BW_NODE_MODULES", "build/npm/node_modules")).resolve() / "ktx-parse/dist/index.mjs"
    script = (f"import {{read}} from {json.dumps(str(module))};import f from 'fs';const c=read(new Uint8Array(f.readFileSync(process.argv[1])));"
              "process.stdout.write(JSON.stringify([c.vkFormat,c.pixelWidth,c.pixelHeight,c.levels.length,c.supercompressionScheme,"
              "Buffer.from(c.levels[0].levelData).toString('base64')]))")
    out = subprocess.run(["node", "--input-type=module", "-e", script, str(path)], capture_output=True)
    assert out.returncode == 0, f"{path}: ktx-parse: {out.stderr.decode()[-300:]}"
    vk_format, width, height, levels, scheme, data = json.loads(out.stdout)
    assert levels == 1 and scheme == 0, f"{path}: {levels} levels, scheme {scheme}"
    import base64
    data = base64.b64decode(data)
    if vk_format == 95:  # R16G16B16A16_UINT
        return np.frombuffer(data, "<u2").reshape(height, width, 4)
    if vk_format == 97:  # R16G16B16A16_SFLOAT
        return np.frombuffer(data, "<f2").reshape(height, width, 4)
    if vk_format == 109:  # R32G32B32A32_SFLOAT
        return np.frombuffer(data, "<f4").reshape(height, width, 4)
    if vk_format == 68:  # A2B10G10R10_UINT_PACK32
        packed = np.frombuffer(data, "<u4").reshape(height, width)
        return np.stack([packed & 1023, packed >> 10 & 1023, packed >> 20 & 1023, packed >> 30], axis=-1)
    raise AssertionError(f"{path}: VkFormat {vk_format}")


# ---- the mesh ----

def read_glb(path):
    """JSON and accessor arrays of a GLB."""
    data = Path(path).read_bytes()
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data)), f"{path}: GLB head"
    json_size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20:20 + json_size])
    binary = data[28 + json_size:]
    types = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
    sizes = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}

    def accessor(index):
        a = document["accessors"][index]
        view = document["bufferViews"][a["bufferView"]]
        assert "byteStride" not in view or view["byteStride"] == np.dtype(types[a["componentType"]]).itemsize * sizes[a["type"]]
        offset = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        return np.frombuffer(binary, types[a["componentType"]], a["count"] * sizes[a["type"]], offset).reshape(a["count"], -1)

    return document, accessor


def read_mesh(path):
    """{attribute: rows of all primitives, one after the other} of those that every primitive has."""
    document, accessor = read_glb(path)
    primitives = [primitive["attributes"] for primitive in document["meshes"][0]["primitives"]]
    names = set.intersection(*map(set, primitives))
    return {name: np.vstack([accessor(attributes[name]) for attributes in primitives]) for name in names}


def unfold(xy):
    """Octahedral coordinates in [0, 1] to unit vectors; pole z."""
    x, y = xy[..., 0] * 2 - 1, xy[..., 1] * 2 - 1
    z = 1 - np.abs(x) - np.abs(y)
    sign = lambda v: np.where(v < 0, -1.0, 1.0)
    n = np.stack([np.where(z < 0, (1 - np.abs(y)) * sign(x), x), np.where(z < 0, (1 - np.abs(x)) * sign(y), y), z], axis=-1)
    return n / np.linalg.norm(n, axis=-1, keepdims=True)


class Bake:
    """A bake's files, decoded by the format's text in double precision."""

    def __init__(self, manifest):
        self.folder = Path(manifest).parent
        self.manifest = json.loads(Path(manifest).read_text())
        m = self.manifest
        self.images = {}
        for t in m["textures"]:
            path = self.folder / t["file"]
            image = (read_png(path) if t["format"].startswith("png") else read_exr(path) if t["format"].startswith("exr")
                     else read_ktx2(path) if t["format"].startswith("ktx2") else read_raw(path, t))
            assert image.shape == (t["height"], t["width"], 4), f"{path}: {image.shape}"
            self.images[t["role"], t["page"]] = (t, image)
        self.mesh = read_mesh(self.folder / m["mesh"]["file"])
        self.uv = self.mesh[f"TEXCOORD_{m['uv_set']}"].astype(float) if "uv_set" in m else None
        self.rest, self.rest_normals = self.mesh["POSITION"], self.mesh.get("NORMAL")  # lines and points have none
        self.bones = Bones(self, self.mesh) if m["mode"] in ("bone", "rigid") else None

    def unit(self, texture, values):
        largest = {"png8": 255, "png16": 65535, "raw": 65535, "ktx2-u16": 65535, "ktx2-u10": 1023}.get(texture["format"])
        return values.astype(float) / largest if largest else values.astype(float)

    def page_of(self, frame):
        """Page, and the frame's number on it."""
        m = self.manifest
        per_page = m["frames"]["per_page"]
        if m["layout"] == "seed":
            clip = next(k for k, c in enumerate(m["clips"]) if c["first_frame"] <= frame < c["first_frame"] + c["frame_count"])
            return clip, frame - m["clips"][clip]["first_frame"]
        if m["frames"]["count"] <= per_page:
            return 0, frame
        pages = max(page for _, page in self.images) + 1  # a weight texture is page 0
        page = min(frame // (per_page - 1), pages - 1)
        return page, frame - page * (per_page - 1)

    def texels(self, role, frame):
        page, local = self.page_of(frame)
        texture, image = self.images[role, page]
        height, width = image.shape[:2]
        column = np.floor(self.uv[:, 0] * width).astype(int)
        if self.manifest["layout"] == "seed":
            row = np.full(len(column), height - 1 - local)
        else:
            row = np.floor(self.uv[:, 1] * height).astype(int) + local * self.manifest["frames"]["rows_per_frame"]
        return texture, image[row, column]

    def clip_of(self, frame):
        return next(c for c in self.manifest["clips"] if c["first_frame"] <= frame < c["first_frame"] + c["frame_count"])

    def positions(self, frame):
        """[V][3] in the space of the texture data."""
        if self.bones:
            return self.bones.positions(frame)
        texture, texels = self.texels("position", frame)
        if texture["decode"] == "absolute":
            return texels[:, :3].astype(float)
        bounds = self.clip_of(frame)["bounds"]
        low, high = np.array(bounds["min"]), np.array(bounds["max"])
        return low + (high - low) * self.unit(texture, texels[:, :3])

    def between(self, frame, weight=0.5):
        """Positions `weight` of the way from a frame to the next, as a shader mixes them."""
        if self.bones:
            return self.bones.positions(frame, weight)
        return self.positions(frame) * (1 - weight) + self.positions(frame + 1) * weight

    def normals(self, frame):
        if self.bones:
            return self.bones.normals(self.bones.pose(frame))
        texture, texels = self.texels("position", frame)
        if texture["decode"] == "bounds+oct8":
            packed = texels[:, 3].astype(int)
            return unfold(np.stack([packed & 255, packed >> 8], axis=-1) / 255.0)
        texture, texels = self.texels("normal", frame)
        return unfold(self.unit(texture, texels)[:, :2])

    def to_gltf(self, vectors, scale=True):
        space = self.manifest["space"]
        factor = 0.01 if scale and space["unit"] == "cm" else 1.0
        x, y, z = vectors[:, 0], vectors[:, 1], vectors[:, 2]
        if space["up"] == "z":
            return np.stack([x, z, y], axis=-1) * factor
        return np.stack([-x if space["handedness"] == "left" else x, y, z], axis=-1) * factor

    # ---- tracks, by docs/FORMATS.md §5.1 and §5.2 ----

    def turn(self, angle, vectors):
        """turn(θ) of [..., 3] in the space of the texture data."""
        c, s = np.cos(angle), np.sin(angle)
        x, y, z = np.moveaxis(np.asarray(vectors, float), -1, 0)
        if self.manifest["space"]["up"] == "z":
            return np.stack([x * c - y * s, y * c + x * s, z], axis=-1)
        return np.stack([x * c + z * s, y, z * c - x * s], axis=-1)

    def move_at(self, clip, frame, weight=0.0):
        """c, t, θ at `weight` of the way from a frame of the clip to the next."""
        root = clip["root"]
        after = frame + 1 if weight else frame
        mix = lambda key: np.array(root[key][frame]) * (1 - weight) + np.array(root[key][after]) * weight
        return np.array(root["pivot"]), mix("translation"), mix("yaw_rad")

    def restored(self, frame, weight=0.0):
        """Positions of a frame of all frames, or of the way to the next, root motion put back."""
        clip = self.clip_of(frame)
        p = self.between(frame, weight) if weight else self.positions(frame)
        c, t, angle = self.move_at(clip, frame - clip["first_frame"], weight)
        return c + t + self.turn(angle, p - c)

    def restored_normals(self, frame):
        clip = self.clip_of(frame)
        return self.turn(self.move_at(clip, frame - clip["first_frame"])[2], self.normals(frame))

    def attached(self, clip, node, frame, points):
        """Where points of an attached object's own space (axes and unit of the texture data) stand in a frame of the clip, root motion put back."""
        track = next(a for a in clip["attachments"] if a["node"] == node)
        value = lambda key: np.array(track[key][frame if len(track[key]) > 1 else 0], float)
        x, y, z, w = value("rotation")
        v = np.asarray(points, float) * value("scale")
        axis = np.array([x, y, z])
        p = v + 2 * np.cross(axis, np.cross(axis, v) + w * v) + value("translation")
        if "root" not in clip:
            return p
        c, t, angle = self.move_at(clip, frame)
        return c + t + self.turn(angle, p - c)

    def from_gltf(self, vectors, scale=True):
        """Inverse of to_gltf: both maps swap or mirror axes, so twice is none."""
        space = self.manifest["space"]
        factor = 10000.0 if scale and space["unit"] == "cm" else 1.0
        return self.to_gltf(np.asarray(vectors, float), scale) * factor
