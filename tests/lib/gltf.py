# SPDX-License-Identifier: MIT
"""Small .gltf files with their data inside, made in tests."""
import base64
import json

import numpy as np

TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


class Gltf:
    def __init__(self):
        self.json = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [], "accessors": [],
                     "bufferViews": []}
        self.data = b""

    def view(self, data):
        self.data += b"\0" * (-len(self.data) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)})
        self.data += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values, kind="f4", **members):
        """values: rows; kind: numpy's name of the component type."""
        array = np.asarray(values, dtype="<" + kind)
        array = array.reshape(len(array), -1)
        accessor = {"bufferView": self.view(array.tobytes()), "componentType": COMPONENTS[kind], "count": len(array),
                    "type": TYPES[array.shape[1]], "min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist(), **members}
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def sparse(self, count, width, indices, values, kind="u1", base=None):
        """An accessor of floats, 0 or `base` but for a few rows."""
        rows = np.asarray(values, dtype="<f4").reshape(len(indices), -1)
        accessor = {"componentType": 5126, "count": count, "type": TYPES[width],
                    "sparse": {"count": len(indices),
                               "indices": {"bufferView": self.view(np.asarray(indices, dtype="<" + kind).tobytes()),
                                           "componentType": COMPONENTS[kind]},
                               "values": {"bufferView": self.view(rows.tobytes())}}}
        if base is not None:
            accessor["bufferView"] = self.view(np.asarray(base, dtype="<f4").tobytes())
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def mesh(self, positions, mode=0, indices=None, targets=(), weights=None, **attributes):
        """Points, unless mode says else.  positions and attributes: rows, or an accessor's number; targets: dictionaries of them."""
        def number(value):
            return value if isinstance(value, int) else self.accessor(value)

        primitive = {"mode": mode, "attributes": {"POSITION": number(positions), **{name: number(rows) for name, rows in attributes.items()}}}
        if indices is not None:
            primitive["indices"] = self.accessor(indices, "u2")
        if targets:
            primitive["targets"] = [{name: number(rows) for name, rows in target.items()} for target in targets]
        mesh = {"primitives": [primitive]}
        if weights is not None:
            mesh["weights"] = weights
        self.json["meshes"].append(mesh)
        return len(self.json["meshes"]) - 1

    def node(self, parent=None, **members):
        self.json["nodes"].append(members)
        index = len(self.json["nodes"]) - 1
        if parent is None:
            self.json["scenes"][0]["nodes"].append(index)
        else:
            self.json["nodes"][parent].setdefault("children", []).append(index)
        return index

    def skin(self, joints, inverse_bind=None):
        """inverse_bind: 4 × 4 matrices, written as columns."""
        skin = {"joints": joints}
        if inverse_bind is not None:
            skin["inverseBindMatrices"] = self.accessor([np.asarray(m, dtype=float).T.ravel() for m in inverse_bind])
        self.json.setdefault("skins", []).append(skin)
        return len(self.json["skins"]) - 1

    def animation(self, name, *channels):
        """channels: (node, path, times, values) or (…, interpolation); values: rows, or an accessor's number."""
        animation = {"name": name, "samplers": [], "channels": []}
        for node, path, times, values, *interpolation in channels:
            animation["samplers"].append({"input": self.accessor(times), "output": values if isinstance(values, int) else self.accessor(values),
                                          "interpolation": interpolation[0] if interpolation else "LINEAR"})
            animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": path}})
        self.json.setdefault("animations", []).append(animation)

    def write(self, path):
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        document = dict(self.json, buffers=[{"byteLength": len(self.data), "uri": uri}])
        path.write_text(json.dumps(document))
        return path
