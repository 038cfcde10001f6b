# SPDX-License-Identifier: MIT
"""A small evaluator of the .gltf files that tests/lib/gltf.py writes, by the glTF specification: nodes, LINEAR and STEP channels, skins of any
number of influences, morphed positions.  Double precision; shares nothing with the program."""
import base64
import json

import numpy as np
from moving import rotation

KINDS = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def matrix(node):
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    out = np.eye(4)
    out[:3, :3] = rotation(node.get("rotation", [0, 0, 0, 1])) * np.array(node.get("scale", [1, 1, 1]), float)
    out[:3, 3] = node.get("translation", [0, 0, 0])
    return out


def slerp(a, b, u):
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    dot = np.dot(a, b)
    if dot < 0:
        b, dot = -b, -dot
    angle = np.arccos(min(dot, 1.0))
    if angle < 1e-9:
        return a
    return (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / np.sin(angle)


class Poser:
    def __init__(self, path):
        self.json = json.loads(path.read_text())
        self.data = base64.b64decode(self.json["buffers"][0]["uri"].split(",")[1])
        self.clips = {a["name"]: a for a in self.json.get("animations", [])}

    def array(self, index):
        a = self.json["accessors"][index]
        start = self.json["bufferViews"][a["bufferView"]]["byteOffset"]
        width = WIDTHS[a["type"]]
        rows = np.frombuffer(self.data, KINDS[a["componentType"]], a["count"] * width, start).reshape(a["count"], width)
        return rows.astype(float)

    def value(self, sampler, time, path):
        times, values = self.array(sampler["input"])[:, 0], self.array(sampler["output"])
        values = values.reshape(len(times), -1)
        k = int(np.searchsorted(times, time, side="right")) - 1
        if k < 0 or k == len(times) - 1 or sampler.get("interpolation") == "STEP":
            return values[max(k, 0)]
        u = (time - times[k]) / (times[k + 1] - times[k])
        return slerp(values[k], values[k + 1], u) if path == "rotation" else values[k] + (values[k + 1] - values[k]) * u

    def placed(self, clip, time):
        """Nodes as the clip has them, their world matrices, and the order in which the scene's tree is walked; clip None: at rest."""
        nodes = [dict(node) for node in self.json["nodes"]]
        for channel in self.clips[clip]["channels"] if clip is not None else ():
            target = channel["target"]
            nodes[target["node"]][target["path"]] = self.value(self.clips[clip]["samplers"][channel["sampler"]], time, target["path"])
        world = [None] * len(nodes)
        order = []

        def walk(index, above):
            world[index] = above @ matrix(nodes[index])
            order.append(index)
            for child in nodes[index].get("children", ()):
                walk(child, world[index])

        for root in self.json["scenes"][0]["nodes"]:
            walk(root, np.eye(4))
        return nodes, world, order

    def origin(self, name, clip, time):
        """Where the node of that name is."""
        nodes, world, _ = self.placed(clip, time)
        [index] = [k for k, node in enumerate(nodes) if node.get("name") == name]
        return world[index][:3, 3]

    def positions(self, clip, time):
        """[V][3] of all meshes, node by node as the scene's tree is walked; clip None: at rest."""
        nodes, world, order = self.placed(clip, time)
        out = [self.part(nodes[index], world, index) for index in order if "mesh" in nodes[index]]
        return np.vstack(out)

    def directions(self, clip, time):
        """Normals and tangents of the only mesh, which is skinned, [V][3]: by the inverse transpose of the blended matrix, and by the matrix."""
        nodes, world, _ = self.placed(clip, time)
        [node] = [node for node in nodes if "mesh" in node]
        [primitive] = self.json["meshes"][node["mesh"]]["primitives"]
        linear = self.blended(node, world, primitive["attributes"])[:, :3, :3]
        unit = lambda v: v / np.linalg.norm(v, axis=1, keepdims=True)
        normals, tangents = (self.array(primitive["attributes"][name])[:, :3] for name in ("NORMAL", "TANGENT"))
        return unit(np.einsum("vji,vj->vi", np.linalg.inv(linear), normals)), unit(np.einsum("vij,vj->vi", linear, tangents))

    def part(self, node, world, index):
        mesh = self.json["meshes"][node["mesh"]]
        [primitive] = mesh["primitives"]
        attributes = primitive["attributes"]
        p = self.array(attributes["POSITION"])
        for target, weight in zip(primitive.get("targets", ()), np.ravel(node.get("weights", mesh.get("weights", [0] * 99)))):
            p = p + weight * self.array(target["POSITION"])
        p = np.hstack([p, np.ones((len(p), 1))])
        if "skin" not in node:
            return (p @ world[index].T)[:, :3]
        return np.einsum("vij,vj->vi", self.blended(node, world, attributes), p)[:, :3]

    def blended(self, node, world, attributes):
        """[V][4][4] of a skinned mesh."""
        skin = self.json["skins"][node["skin"]]
        inverse = [m.reshape(4, 4).T for m in self.array(skin["inverseBindMatrices"])] if "inverseBindMatrices" in skin \
            else [np.eye(4)] * len(skin["joints"])
        joints = np.array([world[j] @ b for j, b in zip(skin["joints"], inverse)])
        sets = [n for n in range(8) if f"WEIGHTS_{n}" in attributes]
        index = np.hstack([self.array(attributes[f"JOINTS_{n}"]) for n in sets]).astype(int)
        weight = np.hstack([self.array(attributes[f"WEIGHTS_{n}"]) for n in sets])
        weight = weight / weight.sum(axis=1, keepdims=True)
        return np.einsum("vk,vkij->vij", weight, joints[index])
