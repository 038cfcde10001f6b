# SPDX-License-Identifier: MIT
"""A decoder of OpenVAT's files by what its Godot and three.js players compute: from the JSON, the mesh and the textures alone, in double
precision, with foreign readers.  It knows nothing of Bakewell's manifest."""
import json
import re
from pathlib import Path

import numpy as np
from bake import read_glb


def read_texels(path):
    """[H][W][3] in 0 … 1."""
    if path.suffix == ".exr":
        import OpenEXR
        with OpenEXR.File(str(path), separate_channels=True) as file:
            channels = file.channels()
            return np.stack([channels[name].pixels for name in "RGB"], axis=-1).astype(float)
    import png
    width, height, rows, info = png.Reader(filename=str(path)).read()
    flat = np.vstack([np.array(row, dtype=float) for row in rows]).reshape(height, width, info["planes"])
    return flat[..., :3] / (2 ** info["bitdepth"] - 1)


class OpenVat:
    def __init__(self, remap_info):
        path = Path(remap_info)
        name = path.name.removesuffix("-remap_info.json")
        document = json.loads(re.sub(r",(\s*[\]}])", r"\1", path.read_text()))
        remap = document["os-remap"]
        self.min, self.max, self.frames = np.array(remap["Min"]), np.array(remap["Max"]), remap["Frames"]
        self.animations = document.get("animations", {})

        def image(kind):
            return next((read_texels(p) for p in (path.with_name(f"{name}_{kind}.{e}") for e in ("exr", "png")) if p.exists()), None)

        self.offsets, self.separate = image("vat"), image("vnrm")
        gltf, accessor = read_glb(path.with_name(name + ".glb"))
        parts = [p["attributes"] for mesh in gltf["meshes"] for p in mesh["primitives"]]
        self.uv_set = max(int(key[9:]) for key in parts[0] if key.startswith("TEXCOORD_"))
        self.vertices, self.normals_of_mesh, self.uv = (
            np.vstack([accessor(part[key]) for part in parts]).astype(float) for key in ("POSITION", "NORMAL", f"TEXCOORD_{self.uv_set}"))
        height, width = self.offsets.shape[:2]
        self.column, self.row = self.uv[:, 0] * width - 0.5, self.uv[:, 1] * height - 0.5
        self.off_centre = max(np.abs(x - np.round(x)).max() for x in (self.column, self.row))

    def texels(self, image, frame, shift=0.0):
        """A texture lookup at v + frame / H + shift, the nearest texel."""
        height, width = image.shape[:2]
        x = np.floor(self.uv[:, 0] * width).astype(int)
        y = np.floor((self.uv[:, 1] + frame / height + shift) * height).astype(int)
        return image[y, x]

    @staticmethod
    def gltf(v):
        """Blender's (x, y, z) is glTF's (x, z, −y)."""
        return np.stack([v[:, 0], v[:, 2], -v[:, 1]], axis=-1)

    def positions(self, frame):
        return self.vertices + self.gltf(self.min + self.texels(self.offsets, frame) * (self.max - self.min))

    def normals(self, frame):
        texels = self.texels(self.offsets, frame, 0.5) if self.separate is None else self.texels(self.separate, frame)
        n = self.gltf(texels * 2 - 1)
        return n / np.linalg.norm(n, axis=1, keepdims=True)
