#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every vertex of every valid scene at nine times of each clip, against three.js; against Babylon.js where a vertex has more influences than
the four that three takes, up to Babylon's eight."""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT, BUILD, TMP = (Path(os.environ[name]) for name in ("BW_ROOT", "BW_BUILD", "TMPDIR"))
MODULES = os.environ["BW_NODE_MODULES"]

# Float positions and matrices on both sides: a few 1e-7 of the largest coordinate; wrong rules show as 1e-3 and more.
TOLERANCE = 1e-5


def scenes():
    """Yields (name of the test, path)."""
    folders = [(Path(os.environ["ASSETS"]), "")]
    if os.environ["DATA"]:
        folders.append((Path(os.environ["DATA"]) / "models/gltf", "data:"))
    else:
        print("skip data: no third-party data")
    for folder, prefix in folders:
        for path in sorted(path for kind in ("glb", "gltf") for path in folder.rglob("*." + kind)):
            yield prefix + str(path.relative_to(folder)), path


def compare(stem):
    """Largest distance over every clip as a part of that clip's diagonal, and where it is."""
    request = json.loads(Path(f"{stem}.json").read_text())
    vertices = request["vertex_count"]
    ours = np.fromfile(f"{stem}.pos", np.float32).reshape(-1, vertices, 3).astype(np.float64)
    other = np.fromfile(f"{stem}.other", np.float64).reshape(-1, vertices, 3)
    assert ours.shape == other.shape, f"{ours.shape} and {other.shape}"
    worst, place, first = 0.0, "", 0
    for clip in request["clips"]:
        frames = slice(first, first + len(clip["times"]))
        first += len(clip["times"])
        a, b = ours[frames], other[frames]
        # A clip that vanishes altogether has the other evaluator's size at most.
        diagonal = np.linalg.norm(b.max((0, 1)) - b.min((0, 1)))
        distance = np.linalg.norm(a - b, axis=2)
        relative = np.where(np.isfinite(distance), distance, np.inf).max() / max(diagonal, 1e-12)
        if relative > worst:
            frame, vertex = np.unravel_index(np.argmax(np.nan_to_num(distance, nan=np.inf)), distance.shape)
            part = max((p for p in request["parts"] if p["first"] <= vertex), key=lambda p: p["first"])
            worst, place = relative, (f"clip {clip['name']}, {clip['times'][frame]:.4f} s, node {part['node']}, primitive "
                                      f"{part['primitive']}, list vertex {vertex}: ours {a[frame, vertex]}, theirs {b[frame, vertex]}")
    return worst, place


def check(name, path, number):
    stem = TMP / str(number)
    done = subprocess.run([BUILD / "tests/tools/evaluate", path, stem], capture_output=True, text=True)
    if done.returncode in (4, 5):
        return f"skip {name}: refused: {done.stderr.strip()}"
    if done.returncode:
        return f"not ok {name}: evaluate ended with {done.returncode}: {done.stderr.strip()}"
    influences = json.loads(Path(f"{stem}.json").read_text())["influence_count"]
    # Babylon takes eight; beyond that three's skeleton with weights that evaluate_three.mjs blends.
    other = "babylon" if 4 < influences <= 8 else "three"
    done = subprocess.run(["node", ROOT / f"tests/diff/evaluate_{other}.mjs", MODULES, path, stem], capture_output=True, text=True)
    if done.returncode:
        return f"not ok {name}: {other}: {' '.join(done.stderr.split())[-300:]}"
    worst, place = compare(stem)
    if worst > TOLERANCE:
        return f"not ok {name}: {worst:.3g} of the diagonal from {other}: {place}"
    return f"ok {name}"


def plant(stem):
    """Moves one vertex of the last frame by a little more than the tolerance of the largest clip."""
    positions = np.fromfile(f"{stem}.pos", np.float32).reshape(-1, 3)
    positions[-1, 1] += 1.5 * TOLERANCE * np.linalg.norm(np.ptp(positions, axis=0))
    positions.tofile(f"{stem}.pos")


def main():
    for number, (name, path) in enumerate(scenes()):
        line = check(name, path, number)
        print(line, flush=True)
        if name == "hero.glb" and line.startswith("ok"):
            plant(TMP / str(number))
            print("ok a planted offset is found" if compare(TMP / str(number))[0] > TOLERANCE else "not ok a planted offset is found")
        for left in TMP.glob(f"{number}.*"):
            left.unlink()


if __name__ == "__main__":
    sys.exit(main())
