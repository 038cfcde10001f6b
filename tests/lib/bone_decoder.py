# SPDX-License-Identifier: MIT
"""Bone and rigid bakes decoded by docs/FORMATS.md §11 alone: numpy, double precision, nothing of the program."""
import numpy as np

CODES = ("png16", "raw", "ktx2-u16")
IDENTITY_CODES = [32768, 32768, 32768, 65535]


def rotate(q, v):
    """q [..., 4] x y z w of unit length, v [..., 3]."""
    axis = q[..., :3]
    return v + 2 * np.cross(axis, np.cross(axis, v) + q[..., 3:] * v)


def cofactor(a):
    """[..., 3, 3]: rows are cross products of the others."""
    return np.stack([np.cross(a[..., 1, :], a[..., 2, :]), np.cross(a[..., 2, :], a[..., 0, :]), np.cross(a[..., 0, :], a[..., 1, :])], axis=-2)


def normalised(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 0, length, 1)


class Pose:
    """Bones of a frame, or of the way between two: posed pivots [B][3], and scales [B] with quaternions [B][4], or matrices [B][3][3]."""

    def __init__(self, pivots, scales=None, quaternions=None, matrices=None):
        self.pivots, self.scales, self.quaternions, self.matrices = pivots, scales, quaternions, matrices

    def mixed(self, other, weight):
        mix = lambda a, b: a + (b - a) * weight
        pivots = mix(self.pivots, other.pivots)
        if self.matrices is not None:
            return Pose(pivots, matrices=mix(self.matrices, other.matrices))
        q, r = self.quaternions, other.quaternions
        r = np.where(np.sum(q * r, axis=1, keepdims=True) < 0, -r, r)
        return Pose(pivots, mix(self.scales, other.scales), normalised(mix(q, r)))

    def linear(self):
        """[B][3][3]: M, or scale times rotation."""
        if self.matrices is not None:
            return self.matrices
        columns = [rotate(self.quaternions, np.broadcast_to(axis, (len(self.scales), 3))) for axis in np.eye(3)]
        return self.scales[:, None, None] * np.stack(columns, axis=-1)


class Skin:
    """A mesh in the pose x, in the space of the texture data, and what it follows."""

    def __init__(self, positions, normals, tangents, indices, weights):
        self.positions, self.normals, self.tangents, self.indices, self.weights = positions, normals, tangents, indices, weights


class Bones:
    """The bones of a Bake (tests/lib/bake.py), and its base mesh's skin."""

    def __init__(self, bake, mesh):
        self.bake, m = bake, bake.manifest
        self.rows, self.texels = m["bones"], m["bones"]["texels"]
        self.count, self.per_row, self.block_rows = m["bones"]["count"], m["bones"]["per_row"], m["frames"]["rows_per_frame"]
        self.mode = m["mode"]
        self.pages = max(page for role, page in bake.images if role == "bones") + 1
        self.texture = bake.images["bones", 0][0]
        assert self.texture["decode"] == {2: "pivot+quaternion", 3: "matrix+pivot"}[self.texels], self.texture
        self.integers = self.texture["format"] in CODES
        self.skin = self.skin_of(mesh)
        self.references = [self.reference(page) for page in range(self.pages)]

    # ---- textures ----

    def block(self, page, row):
        """[B][T][4] of the block whose first row is `row`, as stored."""
        image = self.bake.images["bones", page][1]
        bone = np.arange(self.count)
        columns = self.texels * (bone % self.per_row)[:, None] + np.arange(self.texels)
        return image[(row + bone // self.per_row)[:, None], columns]

    def decoded(self, texels, pivots, max_scale):
        if self.texels == 3:
            return Pose(texels[:, :, 3].astype(float), matrices=texels[:, :, :3].astype(float))
        first, second = texels[:, 0].astype(float), texels[:, 1].astype(float)
        if not self.integers:
            return Pose(first[:, :3], first[:, 3], normalised(second))
        low, high = np.array(pivots["min"]), np.array(pivots["max"])
        return Pose(low + (high - low) * (first[:, :3] / 65535), max_scale * (first[:, 3] / 65535), normalised((second - 32768) / 32767))

    def reference(self, page):
        """Pivots x is turned about."""
        texels = self.block(page, 0)
        if self.texels == 3:
            assert (texels[:, :, :3] == np.eye(3)).all(), f"page {page}: the reference matrix is not the identity"
        elif self.integers:
            assert (texels[:, 0, 3] == 65535).all() and (texels[:, 1] == IDENTITY_CODES).all(), f"page {page}: the reference is turned or scaled"
        else:
            assert (texels[:, 0, 3] == 1).all() and (texels[:, 1] == [0, 0, 0, 1]).all(), f"page {page}: the reference is turned or scaled"
        return self.decoded(texels, self.rows.get("pivots"), 1).pivots

    def pose(self, frame, page=None):
        """Of a frame of all frames; page: where a frame stands on two."""
        found, local = self.bake.page_of(frame)
        if page is not None and page != found:
            local, found = local + (found - page) * (self.bake.manifest["frames"]["per_page"] - 1), page
        clip = self.bake.clip_of(frame).get("pivots", {})
        return self.decoded(self.block(found, (local + 1) * self.block_rows), clip, clip.get("max_scale"))

    # ---- meshes ----

    def skin_of(self, mesh):
        """mesh: {attribute: rows} of the base or a level."""
        bake, m = self.bake, self.bake.manifest
        space = lambda name, scale: bake.from_gltf(mesh[name][:, :3].astype(float), scale)
        tangents = space("TANGENT", False) if "TANGENT" in mesh else None
        normals = space("NORMAL", False) if "NORMAL" in mesh else np.zeros((len(mesh["POSITION"]), 3))  # lines and points have none
        arrays = space("POSITION", True), normals, tangents
        if self.mode == "rigid":
            uv, texture = mesh[f"TEXCOORD_{m['uv_set']}"], self.texture
            column, row = np.floor(uv[:, 0] * texture["width"]).astype(int), np.floor(uv[:, 1] * texture["height"]).astype(int)
            assert (column % self.texels == 0).all() and (row < self.block_rows).all(), "a UV misses the first texel of a bone in the reference block"
            return Skin(*arrays, (row * self.per_row + column // self.texels)[:, None], np.ones((len(uv), 1)))
        sets = m["skin"]["influences"] // 4
        if m["skin"]["in"] == "mesh":
            assert "uv_set" not in m, "UVs of no texture"
            joints = [mesh[f"JOINTS_{n}"] for n in range(sets)]
            weights = [mesh[f"WEIGHTS_{n}"] for n in range(sets)]
            assert all(a.dtype == np.uint16 for a in joints + weights), "joints and weights are unsigned shorts"
        else:
            texture, image = bake.images["weights", 0]
            assert texture["decode"] == "weights" and texture["height"] % (2 * sets) == 0, texture
            uv, rows = mesh[f"TEXCOORD_{m['uv_set']}"], texture["height"] // (2 * sets)
            column, row = np.floor(uv[:, 0] * texture["width"]).astype(int), np.floor(uv[:, 1] * texture["height"]).astype(int)
            assert (row < rows).all(), "a UV misses the first block"
            blocks = [image[row + k * rows, column] for k in range(2 * sets)]
            joints, weights = blocks[:sets], blocks[sets:]
        joints, weights = np.hstack(joints).astype(int), np.hstack(weights).astype(int)
        assert (weights.sum(axis=1) == 65535).all(), f"weights sum to {set(weights.sum(axis=1))}"
        assert (np.diff(weights, axis=1) <= 0).all(), "influences do not stand by falling weight"
        assert (joints[weights == 0] == 0).all(), "an unused influence is not bone 0"
        assert joints.max() < self.count, "a bone that is not there"
        return Skin(*arrays, joints, weights / 65535)

    # ---- what a shader computes ----

    def placed(self, pose, skin=None, page=0):
        skin = skin or self.skin
        x, pivots = skin.positions, self.references[page]
        out = np.zeros_like(x)
        linear = pose.linear()
        for bone, weight in zip(skin.indices.T, skin.weights.T):
            out += weight[:, None] * (pose.pivots[bone] + np.einsum("vij,vj->vi", linear[bone], x - pivots[bone]))
        return out

    def blended(self, pose, skin=None):
        """A of each vertex."""
        skin, linear = skin or self.skin, pose.linear()
        return sum(weight[:, None, None] * linear[bone] for bone, weight in zip(skin.indices.T, skin.weights.T))

    def normals(self, pose, skin=None):
        skin = skin or self.skin
        a = self.blended(pose, skin)
        return normalised(np.sign(np.linalg.det(a))[:, None] * np.einsum("vij,vj->vi", cofactor(a), skin.normals))

    def tangents(self, pose, skin=None):
        skin = skin or self.skin
        return normalised(np.einsum("vij,vj->vi", self.blended(pose, skin), skin.tangents))

    def positions(self, frame, weight=0.0, skin=None):
        """Of a frame, or `weight` of the way to the next one of its clip, in the space of the texture data."""
        page = self.bake.page_of(frame)[0]
        pose = self.pose(frame, page)
        return self.placed(pose.mixed(self.pose(frame + 1, page), weight) if weight else pose, skin, page)

    # ---- what the text says of every bake ----

    def check(self):
        """Raises where a rule of the layout is broken that decoding alone does not meet."""
        m = self.bake.manifest
        largest = m["options"].get("max_size") or 4096
        frames, count, t = m["frames"], self.count, self.texels
        power = lambda n: 1 << (n - 1).bit_length()
        if m["options"].get("pow2"):
            largest = 1 << (largest.bit_length() - 1)
        block_rows = -(-count // (largest // t))
        per_row = -(-count // block_rows)
        width = t * per_row
        if m["options"].get("pow2"):
            width = power(width)
            per_row = width // t
            block_rows = -(-count // per_row)
        per_page = largest // block_rows - 1
        assert (self.per_row, self.block_rows) == (per_row, block_rows), f"{self.per_row} a row, {self.block_rows} rows: expected {per_row}, {block_rows}"
        assert frames["per_page"] == min(per_page, frames["count"]), f"{frames['per_page']} frames a page, expected {per_page}"
        pages = 1 if frames["count"] <= per_page else -(-(frames["count"] - 1) // (per_page - 1))
        assert self.pages == pages, f"{self.pages} pages, expected {pages}"
        height = (min(per_page, frames["count"]) + 1) * block_rows
        if m["options"].get("pow2"):
            height = power(height)
        for page in range(pages):
            texture, image = self.bake.images["bones", page]
            assert (texture["width"], texture["height"]) == (width, height), f"page {page}: {image.shape}, expected {(height, width)}"
            used = np.zeros(image.shape[:2], bool)
            bone = np.arange(count)
            shown = min(frames["count"], per_page) if page == 0 else min(per_page, frames["count"] - page * (per_page - 1))
            for block in range(shown + 1):
                for k in range(t):
                    used[block * block_rows + bone // per_row, t * (bone % per_row) + k] = True
            assert not image[~used].any(), f"page {page}: a texel that no bone uses is not 0"
            assert np.array_equal(self.block(page, 0), self.block(0, 0)), f"page {page}: another reference block"
        for page in range(1, pages):
            frame = page * (per_page - 1)
            before, after = self.pose(frame, page - 1), self.pose(frame, page)
            assert np.array_equal(before.pivots, after.pivots), f"frame {frame} differs between pages {page - 1} and {page}"
        if t == 2:
            for clip in m["clips"]:
                q = np.array([self.pose(clip["first_frame"] + f).quaternions for f in range(clip["frame_count"])])
                turned = np.sum(q[1:] * q[:-1], axis=2)
                assert (turned >= 0).all(), f"{clip['name']}: neighbouring quaternions on opposite sides"
        names = self.rows["names"]
        assert len(names) == count, f"{len(names)} names of {count} bones"
