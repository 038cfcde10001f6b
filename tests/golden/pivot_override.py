#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The override file of docs/FORMATS.md §14, taken from the text, read by the program and found again in the textures by other readers."""
import json
import re
from pathlib import Path

import numpy as np
import OpenEXR
import png
from bake import TMP, make_assets, run

failed = 0


def check(name, holds, found=""):
    global failed
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} {name}" + ("" if holds else f": {found}"))


def read(folder, name):
    """T1 as parents and pivots in cm, T2 as bytes; texels in rows from the top."""
    channels = OpenEXR.File(str(folder / f"{name}_pivot_pos.exr")).channels()
    pixels = channels["RGBA"].pixels if "RGBA" in channels else np.dstack([channels[c].pixels for c in "RGBA"])
    assert pixels.dtype == np.float16
    parents = pixels[..., 3].copy().view(np.uint16).astype(int).ravel() - 1024
    width, height, rows, _ = png.Reader(str(folder / f"{name}_pivot_axis.png")).asDirect()
    axes = np.array([list(row) for row in rows]).reshape(height * width, -1)
    return parents, pixels[..., :3].reshape(-1, 3).astype(float), axes


def bake(scene, out, *options):
    done = run("pivot", scene, "-o", out, "--json", *options)
    document = json.loads(done.stdout)
    assert document["status"] == done.returncode == 0, done.stderr
    return document


text = (Path(__file__).parents[2] / "docs/FORMATS.md").read_text()
section = text[text.index("## 14. Override files"):]
example = TMP / "example.json"
example.write_text(re.search(r"```json\n(.*?)```", section, re.S)[1])
wanted = json.loads(example.read_text())
bush, = make_assets(TMP, "bush")

plain, set_ = bake(bush, TMP / "plain"), bake(bush, TMP / "set", f"--override={example}")
count = plain["elements"]["count"]
before, after = ({g["element"]: g["parent"] for g in d["guesses"]} for d in (plain, set_))
check("every name of the example is one of the bush", set(wanted) <= set(before), set(wanted) - set(before))
check("the example sets what was found otherwise", all(before[e] != m["parent"] for e, m in wanted.items()), before)
check("what was given is no guess any more", set(before) - set(after) == set(wanted), set(before) - set(after))
check("all other guesses stand", all(before[e] == after[e] for e in after))
check("null makes a root", (plain["elements"]["roots"], set_["elements"]["roots"]) == (1, 2), set_["elements"])

parents, pivots, axes = read(TMP / "set", "bush")
roots = [i for i in range(count) if parents[i] == i]
check("the root is one in the texture", len(roots) == 2, roots)
# (1, 2, 3) m in glTF's axes is (100, 300, 200) cm in Unreal's, and up is (0, 0, 1).
there = [i for i in range(count) if (pivots[i] == (100, 300, 200)).all()]
check("the pivot is where it was put", len(there) == 1, there)
check("the axis points up", all(abs(axes[there[0]][:3] - [127.5, 127.5, 255]) <= 0.5), axes[there[0]])
# Its parent, and that of the limb that moved with it, is one element: that with the pivot that bark/2 had.
plain_parents, plain_pivots, _ = read(TMP / "plain", "bush")
was = plain_pivots[list(before).index("bark/2")] if len(before) == count else None
check("guesses are in the order of the texels", was is not None)
check("the parent is the element of that name", (pivots[parents[there[0]]] == was).all(), (pivots[parents[there[0]]], was))
raise SystemExit(failed > 0)
