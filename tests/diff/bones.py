# SPDX-License-Identifier: MIT
"""Bone bakes played by three.js against three.js' own playing of the source: loader, skinning and animation are all other people's."""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT, BUILD, TMP = (Path(os.environ[name]) for name in ("BW_ROOT", "BW_BUILD", "TMPDIR"))
MODULES = os.environ["BW_NODE_MODULES"]
# Two 16-bit roundings of pivots and rotations, and the float matrices of both sides.
TOLERANCE = 5e-5
FRAMES = 7  # of each clip


def node(script, *args):
    done = subprocess.run(["node", ROOT / "tests/diff" / script, MODULES, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, f"{script}: {' '.join(done.stderr.split())[-300:]}"


def compare(path, stem):
    """Largest distance as a part of its clip's diagonal."""
    done = subprocess.run([os.environ["BAKEWELL"], "vat", path, "-o", TMP / "bones", "--name=model", "--mode=bone", "--engine=three", "--loop=no",
                           "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr.strip()}"
    manifest = json.loads((TMP / "bones/model_vat.json").read_text())
    assert manifest["skin"]["in"] == "mesh", manifest["skin"]
    done = subprocess.run([BUILD / "tests/tools/evaluate", path, stem], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    request = json.loads(Path(f"{stem}.json").read_text())
    assert len(request["clips"]) == len(manifest["clips"]), f"{len(request['clips'])} clips, {len(manifest['clips'])} baked"
    frames = []
    for asked, row in zip(request["clips"], manifest["clips"]):
        shown = sorted({round(k) for k in np.linspace(0, row["frame_count"] - 1, FRAMES)})
        source, steps = row["source"], max(row["frame_count"] - 1, 1)
        asked["times"] = [source["start_s"] + (source["end_s"] - source["start_s"]) * k / steps for k in shown]
        frames.append([row["first_frame"] + k for k in shown])
    Path(f"{stem}.json").write_text(json.dumps(request))
    node("evaluate_three.mjs", path, stem)
    node("bones_three.mjs", TMP / "bones/model_vat.json", stem, *(k for row in frames for k in row))
    source = np.fromfile(f"{stem}.other", np.float64).reshape(-1, request["vertex_count"], 3)
    played = np.fromfile(f"{stem}.bones", np.float64).reshape(source.shape)
    worst, first = 0.0, 0
    for row, clip in zip(frames, manifest["clips"]):
        diagonal = np.linalg.norm(np.subtract(clip["bounds"]["max"], clip["bounds"]["min"])) or 1.0
        part = slice(first, first + len(row))
        first += len(row)
        worst = max(worst, np.linalg.norm(source[part] - played[part], axis=2).max() / diagonal)
    return worst


def check(name, path):
    try:
        worst = compare(path, TMP / "scene")
        assert worst <= TOLERANCE, f"{worst:.3g} of the diagonal from three"
    except AssertionError as error:
        return f"not ok {name}: {error}".replace("\n", " | ")
    return f"ok {name}"


def plant():
    """Played bones a little farther off than the tolerance are found: one that a wrong pivot or a lost sign would move by far more."""
    manifest = TMP / "bones/model_vat.json"
    document = json.loads(manifest.read_text())
    high = document["clips"][0]["pivots"]["max"]
    high[1] += 0.01 * (high[1] - document["clips"][0]["pivots"]["min"][1])
    manifest.write_text(json.dumps(document))
    frames = [document["clips"][0]["first_frame"]]
    good = np.fromfile(TMP / "scene.bones", np.float64).reshape(-1, 3)
    node("bones_three.mjs", manifest, TMP / "scene", *frames)
    bad = np.fromfile(TMP / "scene.bones", np.float64).reshape(-1, 3)
    return np.abs(bad - good[:len(bad)]).max() > TOLERANCE


def main():
    scout = Path(os.environ["ASSETS"]) / "scout.glb"
    line = check("scout.glb", scout)
    print(line, flush=True)
    if line.startswith("ok"):
        print("ok a planted offset is found" if plant() else "not ok a planted offset is found")
    for model in ("Fox/Fox.gltf", "CesiumMan/CesiumMan.glb", "enemy/enemy.glb", "player/player.glb", "Knight/Knight.glb", "mannequiny/mannequiny.glb"):
        if not os.environ["DATA"]:
            print(f"skip data:{model}: no third-party data")
            continue
        path = next((Path(os.environ["DATA"]) / "models/gltf" / model.split("/")[0]).glob("*.gl*"))
        print(check(f"data:{model}", path), flush=True)


if __name__ == "__main__":
    sys.exit(main())
