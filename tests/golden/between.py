# SPDX-License-Identifier: MIT
"""The printed error between frames against a sampling ten times finer: a bake at ten times the rate holds, exactly enough, the poses that linear
mixing at the lower rate, of vertices or of bones, should have met.  What pieces that spin lose is golden/bones' matter."""
import os
from pathlib import Path

import numpy as np
from bake import TMP, Bake, bake, make_assets, tap

# What is printed of vertices is measured half-way between frames only.  On keys that lie on the bake's own frames the motion bends most there, so ten times
# finer sampling can find little more; keys off the frames put a corner anywhere in the interval, and half-way sees at least half of it.
ON_GRID, OFF_GRID = 1.02, 2.05


def true_between(scene, clip, fps, out, mode):
    options = ["--clip=" + clip, "--format=exr32", "--loop=no"]
    coarse_document = bake(scene, out / "coarse", f"--fps={fps}", f"--mode={mode}", *options)
    coarse = Bake(coarse_document["manifest"])
    [row] = coarse.manifest["clips"]
    intervals = row["frame_count"] - 1
    fine = Bake(bake(scene, out / "fine", f"--fps={10 * intervals / row['duration_s']!r}", "--normals=off", *options)["manifest"])
    assert fine.manifest["clips"][0]["frame_count"] == 10 * intervals + 1, fine.manifest["clips"]
    worst = 0.0
    for g in range(intervals):
        for k in range(1, 10):
            worst = max(worst, np.linalg.norm(coarse.between(g, k / 10) - fine.positions(10 * g + k), axis=1).max())
    return coarse_document["error"], worst, 1e-6 * max(1, np.abs(coarse.positions(0)).max())


def check(scene, clip, fps, limit, floor, mode="vertex"):
    error, worst, rounding = true_between(scene, clip, fps, TMP / "between", mode)
    printed = max(error[kind]["max"] for kind in ("between", "between_step") if error.get(kind))
    assert printed > floor, f"nothing to measure: {printed}"
    # Below: half-way is one of the ten.  The two bakes' floats round by 1e-6 of a coordinate.
    assert printed <= worst + rounding, f"printed {printed}, a finer sampling finds only {worst}"
    assert worst <= limit * printed + rounding, f"printed {printed}, a finer sampling finds {worst}"


def main():
    [scene] = make_assets(TMP, "hero")
    for clip, fps, limit in (("Run", 24, ON_GRID), ("Run", 12, ON_GRID), ("Idle", 30, ON_GRID), ("Wave", 30, ON_GRID), ("Run", 17, OFF_GRID),
                             ("Wave", 7, OFF_GRID)):
        tap(f"{clip} at {fps}", check, scene, clip, fps, limit, 1e-6)
        tap(f"{clip} at {fps}, bones", check, scene, clip, fps, limit, 1e-6, "bone")
    data = os.environ.get("DATA")
    models = {"Fox/Fox.gltf": "Run", "player/player.glb": None, "CesiumMan/CesiumMan.glb": None}
    for model, clip in models.items():
        if not data:
            print(f"skip data:{model}: no third-party data")
            continue
        path = Path(data) / "models/gltf" / model
        if clip is None:
            clip = bake(path, TMP / "names", "--fps=1")["clips"][0]["name"]
        tap(f"data:{model} {clip} at 15", check, path, clip, 15, OFF_GRID, 1e-6)
        tap(f"data:{model} {clip} at 15, bones", check, path, clip, 15, OFF_GRID, 1e-6, "bone")


main()
