#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trees baked to pivots: texels against the glTF's own nodes, read by numpy and other people's image readers as docs/FORMATS.md has them; loose
parts against the nodes they were made from; trees of other makers verified; all of them moved through a cycle of wind by their files alone."""
import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
from gltf import Gltf
from bake import BUILD, TMP, make_assets, read_exr, read_glb, read_mesh, read_png, run, tap


def bake(scene, *options, name=None):
    done = run("pivot", scene, "-o", TMP / "out", "--json", f"--name={name or scene.stem}", *options)
    document = json.loads(done.stdout)
    assert document["status"] == done.returncode == 0, done.stdout + done.stderr
    verified = run("verify", document["manifest"], "--against", scene)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    return document


def files(document):
    """Parents, pivots (cm) and bytes of axes and extents, by texel; what the mesh's vertices read, and where they are (glTF, metres)."""
    base = document["manifest"][:-len(".json")]
    halves, codes = read_exr(f"{base}_pos.exr"), read_png(f"{base}_axis.png")
    height, width = halves.shape[:2]
    assert halves.dtype == np.float16 and codes.dtype == np.uint8 and codes.shape == halves.shape
    parents = halves[..., 3].copy().view(np.uint16).astype(int).ravel() - 1024
    count = document["elements"]["count"]
    mesh = read_mesh(f"{base}.glb")
    uv = mesh[f"TEXCOORD_{document['texture']['uv_set']}"].astype(float)
    assert np.abs(uv * (width, height) % 1 - 0.5).max() < 1e-3, "a UV lies off its texel's centre"
    texels = (uv[:, 0] * width).astype(int) + width * (uv[:, 1] * height).astype(int)
    assert set(texels) == set(range(count)), "texels and vertices do not match one to one"
    return parents[:count], halves[..., :3].reshape(-1, 3)[:count].astype(float), codes.reshape(-1, 4)[:count].astype(float), texels, \
        mesh["POSITION"].astype(float)


def rotation(q):
    x, y, z, w = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def nodes_of(path):
    """Parent, pivot (m) and x axis of every node, in the world."""
    document, _ = read_glb(path)
    found = {}
    def walk(index, parent, matrix, place):
        node = document["nodes"][index]
        place = place + matrix @ np.array(node["translation"])
        matrix = matrix @ rotation(node["rotation"])
        found[index] = (parent, place, matrix[:, 0])
        for child in node.get("children", []):
            walk(child, index, matrix, place)
    walk(0, None, np.eye(3), np.zeros(3))
    return [found[k] for k in sorted(found)]


UNREAL = [0, 2, 1]  # x, z, y of glTF


def texels_are_the_nodes():
    """The generator's nodes are written level by level, as texels are: texel k is node k."""
    tree, = make_assets(TMP, "tree")
    document = bake(tree, "--axis=x")
    parents, pivots, codes, texels, positions = files(document)
    nodes = nodes_of(tree)
    assert len(nodes) == len(parents) == 2413
    want = np.array([k if parent is None else parent for k, (parent, _, _) in enumerate(nodes)])
    assert (parents == want).all(), f"{(parents != want).sum()} parents differ"
    places = np.array([place for _, place, _ in nodes])[:, UNREAL] * 100
    step = np.maximum(np.abs(places), 2.0 ** -14) * 2.0 ** -11  # half the spacing of halves, and a little for float translations
    assert (np.abs(pivots - places) <= step + 1e-3).all(), np.abs(pivots - places).max()
    axes = np.array([axis for _, _, axis in nodes])[:, UNREAL]
    assert (np.abs(codes[:, :3] - (127.5 * axes + 127.5)) <= 0.5 + 1e-3).all(), "an axis is more than half a code off"
    along = ((positions - np.array([place for _, place, _ in nodes])[texels]) * np.array([axis for _, _, axis in nodes])[texels]).sum(axis=1)
    longest = np.zeros(len(nodes))
    np.maximum.at(longest, texels, along)
    assert (np.abs(codes[:, 3] - np.clip(longest * 100 * 255 / 2048, 1, 255)) <= 0.5 + 1e-3).all(), "an extent is more than half a code off"


def parts_find_the_nodes():
    """The same tree flattened: of 2,413 parts 99 of 100 hang on the right one, told by pivot and parent's pivot within a centimetre."""
    tree, bush = make_assets(TMP, "tree", "bush")
    a, b = files(bake(tree)), files(bake(bush))
    def links(f):
        return {tuple(np.round(np.concatenate([f[1][k], f[1][f[0][k]]])).astype(int)) for k in range(len(f[0]))}
    right = sum(any(all(abs(link[k] - other[k]) <= 1 for k in range(6)) for other in near) for link, near in pairs(links(a), links(b)))
    assert right >= 0.99 * len(links(a)), f"{right} of {len(links(a))}"


def pairs(wanted, found):
    """Each link with those whose pivot is in the same or a neighbouring cell of 4 cm."""
    cells = {}
    for link in found:
        cells.setdefault(tuple(c // 4 for c in link[:3]), []).append(link)
    steps = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
    for link in wanted:
        cell = tuple(c // 4 for c in link[:3])
        yield link, [other for s in steps for other in cells.get(tuple(c + d for c, d in zip(cell, s)), [])]


def the_pages_example():
    """The branch of docs/FORMATS.md §15: a stone and a trunk are elements 0 and 1 there in any order, the branch hangs on 0."""
    text = " ".join((Path(__file__).parents[2] / "docs/FORMATS.md").read_text().split("## 15.")[1].split())
    said = re.search(r"its pivot ([\d.]+) m above the origin, ([\d.]+) m along x, as element (\d) of (\d)\D.*? UV is \(([\d.]+), ([\d.]+)\)\. "
                     r"Position: \((\d+), (\d+), (\d+)\) and the half 0x(\w+)\. Axis: \((\d+), (\d+), (\d+)\), .*? so (\d+)\.", text)
    assert said, "the example is not as it was"
    above, along = float(said[1]), float(said[2])
    scene = Gltf()
    for name, pivot, tip, children in (("trunk", (0, 0, 0), (0, 2, 0), [2]), ("stone", (5, 0, 0), (0, 0.5, 0), []), ("branch", (0, above, 0), (along, 0, 0), [])):
        at = scene.accessor([(0, 0, 0), tip, (0, 0, 0.01)])
        scene.json["meshes"].append({"primitives": [{"attributes": {"POSITION": at}}]})
        scene.json["nodes"].append({"name": name, "translation": pivot, "mesh": len(scene.json["meshes"]) - 1, **({"children": children} if children else {})})
    scene.json["scenes"][0]["nodes"] = [0, 1]
    path = TMP / "example.gltf"
    scene.write(path)
    document = bake(path, "--axis=auto")
    base = document["manifest"][:-len(".json")]
    halves, codes = read_exr(f"{base}_pos.exr"), read_png(f"{base}_axis.png")
    column, row = int(float(said[5]) * halves.shape[1]), int(float(said[6]) * halves.shape[0])
    assert row * halves.shape[1] + column == int(said[3]) and document["elements"]["count"] == int(said[4])
    assert halves[row, column, :3].tolist() == [float(said[k]) for k in (7, 8, 9)], halves[row, column]
    assert halves[row, column, 3].view(np.uint16) == int(said[10], 16)
    assert codes[row, column].tolist() == [int(said[k]) for k in (11, 12, 13, 14)], codes[row, column]


def moves(document):
    """Nothing is lost in the wind; chained keeps each pivot on its parent; the two evaluators part with the square of the angle."""
    done = subprocess.run([BUILD / "tests/tools/pivot_wind", document["manifest"]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    wind = json.loads(done.stdout)
    for name in ("stock", "chained"):
        assert wind[name]["not_finite"] == wind[name]["not_unit"] == 0, wind
        assert wind[name]["farthest_cm"] > 1.05 * wind[name]["stillest_cm"] > 0, f"{name} stands still: {wind}"
    assert wind["parted_cm"] <= 1e-3, wind  # float rounding of pivots at some metres is 1e-5 cm
    if document["elements"]["depth"] > 1:
        ratios = [wind[f"apart_{2 * d}_cm"] / wind[f"apart_{d}_cm"] for d in (1, 2, 4)]
        assert all(3.6 < ratio < 4.4 for ratio in ratios), f"halving the angle divides what is between the evaluators by {ratios}"


def sample(name, elements):
    scene, = make_assets(TMP, name)
    document = bake(scene)
    assert document["elements"]["count"] == elements and document["elements"]["depth"] == 4, document["elements"]
    moves(document)


def other_makers(path):
    options = ["--engine=generic"] if path.stem == "scene" else ["--max-depth=4"]  # scene.gltf stands 1,069 m out: no half holds that in cm
    document = bake(path, *options)
    if path.stem != "scene":
        moves(document)


def main():
    tap("the example of FORMATS.md", the_pages_example)
    tap("texels are the nodes", texels_are_the_nodes)
    tap("parts find the nodes", parts_find_the_nodes)
    tap("tree in the wind", sample, "tree", 2413)
    tap("30,021 elements in the wind", sample, "tree-20-30-49", 30021)
    data = os.environ.get("DATA")
    if not data:
        print("skip data:trees: no third-party data")
        return
    for path in sorted(p for p in (Path(data) / "models/trees").rglob("*") if p.suffix in (".glb", ".gltf")):
        tap(f"data:{path.name}", other_makers, path)


if __name__ == "__main__":
    main()
