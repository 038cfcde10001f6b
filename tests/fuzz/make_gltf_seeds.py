#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of gltf_fuzz into seeds/gltf beside it: small GLBs that between them use every part of the reader."""
import json
import struct
from pathlib import Path

BYTE, UBYTE, SHORT, USHORT, UINT, FLOAT = 5120, 5121, 5122, 5123, 5125, 5126
CODES = {BYTE: "b", UBYTE: "B", SHORT: "h", USHORT: "H", UINT: "I", FLOAT: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

# Streams of libmeshoptimizer 0.18 for the quad below: the codecs, and the three filters over four unit vectors.
PACKED = {
    "positions": "a00000013f000000ffffff013f0000007e7d7e0000010c000000ff010c0000007e" + "0" * 72,
    "triangles": "e0f010007687566778a9866589689801690000",
    "indices": "d000040400020800000000",
    "normals": "a00118000000013c000000fefd010f000000494c010f0000006c94" + "0" * 64 + "ff7f0000",
    "rotations": "a0013f000000c7c8fb013f000000d8d7b4010f000000c733010f000000d8230103000000fb0103000000b4010300000005" + "0" * 62 + "ff7f",
    "scales": "a000013f000000403f4000012000000000010c00000040000120000000000000012" + "0" * 53 + "f2000000f2000000f2",
}
QUAD = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]


class Model:
    def __init__(self, **members):
        self.json = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], **members}
        self.data = b""

    def view(self, data, **members):
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data), **members})
        self.data += data + b"\0" * (-len(data) % 4)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, kind, component, values, **members):
        view = self.view(struct.pack(f"<{len(values)}{CODES[component]}", *values))
        return self.bare(kind, component, len(values) // WIDTHS[kind], bufferView=view, **members)

    def bare(self, kind, component, count, **members):
        self.json["accessors"].append({"type": kind, "componentType": component, "count": count, **members})
        return len(self.json["accessors"]) - 1

    def packed(self, name, count, stride, mode, **members):
        data = bytes.fromhex(PACKED[name])
        at = len(self.data)
        self.data += data + b"\0" * (-len(data) % 4)
        self.json["bufferViews"].append({"buffer": 1, "byteLength": count * stride, "extensions": {"EXT_meshopt_compression": {
            "buffer": 0, "byteOffset": at, "byteLength": len(data), "byteStride": stride, "count": count, "mode": mode, **members}}})
        return len(self.json["bufferViews"]) - 1

    def write(self, folder, name):
        if self.data:
            self.json["buffers"] = [{"byteLength": len(self.data)}] + self.json.pop("more_buffers", [])
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        glb = struct.pack("<I4sI", len(text), b"JSON", 0)[:8] + text
        if self.data:
            glb += struct.pack("<I4s", len(self.data), b"BIN\0") + self.data
        (folder / f"{name}.glb").write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(glb)) + glb)


def mesh(attributes, **members):
    return [{"primitives": [{"attributes": attributes, **members}]}]


def attributes():
    m = Model()
    m.json["meshes"] = mesh({
        "POSITION": m.accessor("VEC3", FLOAT, QUAD), "NORMAL": m.accessor("VEC3", FLOAT, [0, 0, 1] * 4),
        "TANGENT": m.accessor("VEC4", FLOAT, [1, 0, 0, 1] * 4), "TEXCOORD_0": m.accessor("VEC2", USHORT, range(8), normalized=True),
        "TEXCOORD_2": m.accessor("VEC2", FLOAT, range(8)), "COLOR_0": m.accessor("VEC3", FLOAT, range(12)),
        "COLOR_1": m.accessor("VEC4", UBYTE, range(16), normalized=True), "_X": 0,
    }, indices=m.accessor("SCALAR", UBYTE, [0, 1, 2, 2, 1, 3]), material=0)
    m.json.update(nodes=[{"mesh": 0, "scale": [-1, 2, 1]}], scenes=[{"nodes": [0]}], scene=0,
                  materials=[{"name": "m", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
                  textures=[{"source": 0, "sampler": 0}], samplers=[{}],
                  images=[{"bufferView": m.view(b"\x89PNG\r\n\x1a\n"), "mimeType": "image/png"}, {"uri": "data:image/png;base64,iVBORw=="}])
    return m


def modes():
    m = Model()
    at = {"POSITION": m.accessor("VEC3", FLOAT, QUAD)}
    indices = m.accessor("SCALAR", USHORT, [0, 1, 2, 3])
    m.json["meshes"] = [{"primitives": [{"attributes": at, "indices": indices, "mode": mode} for mode in range(7)] + [{"attributes": at}]}]
    m.json["nodes"] = [{"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}]
    return m


def skin():
    m = Model()
    m.json["meshes"] = mesh({
        "POSITION": m.accessor("VEC3", FLOAT, QUAD), "JOINTS_0": m.accessor("VEC4", UBYTE, [0, 1, 0, 0] * 4),
        "WEIGHTS_0": m.accessor("VEC4", FLOAT, [0.5, 0.25, 0, 0] * 4), "JOINTS_1": m.accessor("VEC4", USHORT, [1, 0, 0, 0] * 4),
        "WEIGHTS_1": m.accessor("VEC4", UBYTE, [64, 0, 0, 0] * 4, normalized=True)})
    m.json.update(nodes=[{"children": [1]}, {"translation": [0, 1, 0]}, {"mesh": 0, "skin": 0}, {"mesh": 0, "skin": 1}],
                  skins=[{"joints": [0, 1], "inverseBindMatrices": m.accessor("MAT4", FLOAT, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] * 2)},
                         {"joints": [1, 0]}])
    return m


def animation():
    m = Model()
    positions = m.accessor("VEC3", FLOAT, QUAD)
    times, late = m.accessor("SCALAR", FLOAT, [0, 0.5, 1]), m.accessor("SCALAR", FLOAT, [2, 1, 1])
    vectors, cubic = m.accessor("VEC3", FLOAT, range(9)), m.accessor("VEC4", FLOAT, [0, 0, 0, 1] * 9)
    turns = m.accessor("VEC4", SHORT, [0, 0, 0, 32767] * 3, normalized=True)
    weights, cubic_weights = m.accessor("SCALAR", FLOAT, range(6)), m.accessor("SCALAR", UBYTE, range(18), normalized=True)
    m.json["meshes"] = mesh({"POSITION": positions}, targets=[{"POSITION": positions}, {"POSITION": positions}])
    m.json["meshes"][0].update(weights=[0.5, 0], extras={"targetNames": ["a", "b"]})
    m.json["nodes"] = [{"mesh": 0, "weights": [1, 0]}, {}]
    samplers = [{"input": times, "output": vectors, "interpolation": "STEP"}, {"input": late, "output": turns},
                {"input": times, "output": cubic, "interpolation": "CUBICSPLINE"}, {"input": times, "output": weights},
                {"input": late, "output": cubic_weights, "interpolation": "CUBICSPLINE"}]
    m.json["animations"] = [
        {"name": "a", "samplers": samplers, "channels": [
            {"sampler": s, "target": {"node": n, "path": p}}
            for s, n, p in ((0, 0, "translation"), (0, 0, "scale"), (1, 0, "rotation"), (2, 1, "rotation"), (3, 0, "weights"))]},
        {"name": "a", "samplers": samplers, "channels": [{"sampler": 4, "target": {"node": 0, "path": "weights"}}]},
        {"samplers": samplers, "channels": [{"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {}}}}]}]
    return m


def sparse():
    m = Model()
    positions = m.accessor("VEC3", FLOAT, QUAD)
    for base in ({}, {"bufferView": 0}):
        for code in (UBYTE, USHORT, UINT):
            indices = m.view(struct.pack(f"<2{CODES[code]}", 1, 3))
            values = m.view(struct.pack("<6f", 1, 2, 3, 4, 5, 6))
            m.bare("VEC3", FLOAT, 4, sparse={"count": 2, "indices": {"bufferView": indices, "componentType": code}, "values": {"bufferView": values}}, **base)
    m.json["meshes"] = mesh({"POSITION": positions}, targets=[{"POSITION": i} for i in range(1, 7)])
    m.json["nodes"] = [{"mesh": 0}]
    return m


def meshopt():
    m = Model(more_buffers=[{"byteLength": 4096, "extensions": {"EXT_meshopt_compression": {"fallback": True}}}])
    views = [m.packed("positions", 4, 12, "ATTRIBUTES"), m.packed("triangles", 6, 4, "TRIANGLES"), m.packed("indices", 6, 2, "INDICES"),
             m.packed("normals", 4, 8, "ATTRIBUTES", filter="OCTAHEDRAL"), m.packed("rotations", 4, 8, "ATTRIBUTES", filter="QUATERNION"),
             m.packed("scales", 4, 12, "ATTRIBUTES", filter="EXPONENTIAL")]
    m.json["bufferViews"][views[3]]["byteStride"] = 8
    at = {"POSITION": m.bare("VEC3", FLOAT, 4, bufferView=views[0]), "NORMAL": m.bare("VEC3", SHORT, 4, bufferView=views[3], normalized=True)}
    lists = [m.bare("SCALAR", UINT, 6, bufferView=views[1]), m.bare("SCALAR", USHORT, 6, bufferView=views[2])]
    turns, scales = m.bare("VEC4", SHORT, 4, bufferView=views[4], normalized=True), m.bare("VEC3", FLOAT, 4, bufferView=views[5])
    times = m.accessor("SCALAR", FLOAT, [0, 1, 2, 3])
    m.json["meshes"] = [{"primitives": [{"attributes": at, "indices": i} for i in lists]}]
    m.json["nodes"] = [{"mesh": 0}]
    m.json["animations"] = [{"samplers": [{"input": times, "output": turns}, {"input": times, "output": scales}], "channels": [
        {"sampler": 0, "target": {"node": 0, "path": "rotation"}}, {"sampler": 1, "target": {"node": 0, "path": "scale"}}]}]
    return m


def instances():
    m = Model(extensionsUsed=["EXT_mesh_gpu_instancing", "ACME_unknown"])
    moves = m.accessor("VEC3", FLOAT, range(6))
    extension = {"attributes": {"TRANSLATION": moves, "ROTATION": m.accessor("VEC4", BYTE, [0, 0, 0, 127] * 2, normalized=True), "SCALE": moves}}
    view = m.view(struct.pack("<16h", *range(16)), byteStride=8)
    m.json["meshes"] = mesh({"POSITION": m.bare("VEC3", SHORT, 4, bufferView=view)})
    m.json["nodes"] = [{"children": [1, 2]}, {"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": extension}}, {"children": [3]}, {"rotation": [0, 0, 2, 0]}]
    m.json["scenes"] = [{"nodes": [0]}, {}]
    return m


def main():
    folder = Path(__file__).parent / "seeds/gltf"
    folder.mkdir(parents=True, exist_ok=True)
    for make in (attributes, modes, skin, animation, sparse, meshopt, instances):
        make().write(folder, make.__name__)
    (folder / "least.gltf").write_text('{"asset":{"version":"2.0"},"nodes":[{"name":"n"}]}\n')


if __name__ == "__main__":
    main()
