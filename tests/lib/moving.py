# SPDX-License-Identifier: MIT
"""Scenes of a few triangles that nodes move, written as glTF text; and rotations, in double precision."""
import base64
import json
import math
import struct

import numpy as np

# A lopsided cluster about its node's origin: no symmetry hides a wrong sign.
POINTS = [[0.5, 0, 0.25], [-0.25, 0.5, 0], [0, 1, -0.5], [0.125, 1.5, 0.75], [-0.5, 0.25, 0.5], [0.75, 0.75, -0.25]]
TRIANGLES = [[0, 1, 2], [3, 4, 5]]


def axis_angle(axis, angle):
    """Quaternion x y z w."""
    x, y, z = axis
    return [x * math.sin(angle / 2), y * math.sin(angle / 2), z * math.sin(angle / 2), math.cos(angle / 2)]


def multiply(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz]


def rotation(q):
    x, y, z, w = np.asarray(q, float) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def write(path, nodes, channels, points=None, triangles=None):
    """nodes: glTF's own, node 0 the root of the scene; one whose "mesh" is 0 shows the triangles (points if there are none).
    channels: (node, path, times, values)."""
    points = POINTS if points is None else points
    triangles = TRIANGLES if triangles is None else triangles
    parts, accessors = [], []

    def add(values, kind, code, fmt, bounds=False):
        flat = [x for row in values for x in row] if kind != "SCALAR" else list(values)
        accessor = {"bufferView": len(parts), "componentType": code, "count": len(values), "type": kind}
        if bounds:
            columns = list(zip(*values)) if kind != "SCALAR" else [values]
            single = [[struct.unpack("<f", struct.pack("<f", x))[0] for x in c] for c in columns]
            accessor.update(min=[min(c) for c in single], max=[max(c) for c in single])
        parts.append(struct.pack(f"<{len(flat)}{fmt}", *flat))
        accessors.append(accessor)
        return len(accessors) - 1

    primitive = {"attributes": {"POSITION": add(points, "VEC3", 5126, "f", True)}}
    primitive["indices"] = add([k for t in triangles for k in t] or list(range(len(points))), "SCALAR", 5125, "I")
    primitive["mode"] = 4 if triangles else 0
    samplers, targets = [], []
    for node, target, times, values in channels:
        kind = "VEC4" if target == "rotation" else "VEC3"
        samplers.append({"input": add(times, "SCALAR", 5126, "f", True), "output": add(values, kind, 5126, "f")})
        targets.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": target}})
    data = b"".join(parts)
    offsets = np.cumsum([0] + [len(p) for p in parts])
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "meshes": [{"primitives": [primitive]}],
                "animations": [{"name": "Move", "samplers": samplers, "channels": targets}], "accessors": accessors,
                "bufferViews": [{"buffer": 0, "byteOffset": int(o), "byteLength": len(p)} for o, p in zip(offsets, parts)],
                "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}
    path.write_text(json.dumps(document))
    return path
