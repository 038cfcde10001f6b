#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hair through report, repair and every writer: what is written is read by other readers and compared with the repaired Alembic file, whose strands
are compared with their source elsewhere (diff/groom_fix); it lints clean for every engine, and repairing it again changes no byte."""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from bake import tap
from groom_files import Groom, read_abc, read_glb_lines, read_hair, read_usda, write_hair

ROOT, TMP, BUILD = (Path(os.environ[name]) for name in ("BW_ROOT", "TMPDIR", "BW_BUILD"))
DATA = Path(os.environ["DATA"]) if os.environ["DATA"] else None
ENGINES = ("unreal5.0", "unreal5.3", "unreal5.4", "unreal5.8", "unity")
ROUNDING = 4 * 2.0 ** -24  # of the largest: metres and centimetres round once each way, both readers' and writers'


LARGE = 1 << 20  # bytes: three runs an engine take seconds there, and two engines show what there is


def groom(*words):
    """Status, document and what was said."""
    done = subprocess.run([os.environ["BAKEWELL"], "groom", *map(str, words), "--json"], capture_output=True, text=True)
    assert done.returncode in (0, 1, 2, 3, 4, 5), f"status {done.returncode}: {done.stderr}"
    return done.returncode, json.loads(done.stdout), done.stderr


def same(name, found, wanted, exact=False):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape, f"{name}: shape {found.shape}, expected {wanted.shape}"
    if exact or found.dtype.kind in "UO":
        assert (found == wanted).all(), f"{name}: {np.count_nonzero(found != wanted)} values differ"
    else:
        off = np.abs(found.astype(float) - wanted.astype(float)).max(initial=0)
        assert off <= ROUNDING * np.abs(wanted).max(initial=1), f"{name}: off by {off}"


def compare(found, wanted, names, exact):
    same("points of strands", found.counts, wanted.counts, True)
    same("positions", found.positions, wanted.positions, exact)
    for name in names & set(wanted.values):
        same(name, found.values[name], wanted.values[name], exact)


def check_report(path):
    status, document, said = groom(path)
    assert status == (0 if document["accepted"] else 1), said
    assert document["strands"] > 0 and sum(g["strands"] for g in document["groups"]) == document["strands"]
    assert bool(said) == (status == 1)


def check_abc(path, fixed):
    status, document, said = groom(path, "-o", fixed)
    assert status == 0, said
    found, written = read_abc(fixed), document["written"]
    guides = int(np.sum(found.values["groom_guide"]))
    assert (len(found.counts) - guides, guides, len(found.positions)) == (written["strands"], written["guides"], written["points"])
    assert len(found.counts) and found.counts.min() >= 2 and found.counts.max() <= 255 and np.isfinite(found.positions).all()
    weights = found.values["groom_guide_weights"].astype(float)
    same("sums of weights", weights.sum(axis=1), np.ones(len(weights)))
    ids = found.values["groom_id"]
    assert len(set(ids.tolist())) == len(ids), "ids twice"
    assert np.isin(found.values["groom_closest_guides"], ids[found.values["groom_guide"] == 1]).all(), "a closest guide is no guide"


def check_clean(path, tag, engine):
    fixed, again = TMP / f"{tag}-{engine}.abc", TMP / f"{tag}-{engine}-again.abc"
    status, _, said = groom(path, "-o", fixed, f"--engine={engine}")
    assert status == 0, said
    status, document, said = groom(fixed, f"--engine={engine}")
    bad = [(f["code"], f["place"]) for f in document["findings"] if f["level"] != "info"]
    assert status == 0 and document["accepted"] and not bad, f"{said} {bad}"
    status, document, said = groom(fixed, "-o", again, f"--engine={engine}")
    assert status == 0 and not document["changes"], f"{said} {document.get('changes')}"
    assert fixed.read_bytes() == again.read_bytes(), "repairing it again changes it"


def check_glb(path, fixed):
    out = fixed.with_suffix(".glb")
    status, _, said = groom(path, "-o", out)
    assert status == 0, said
    found, wanted = read_glb_lines(out), read_abc(fixed)
    compare(found, wanted, {"groom_width", "groom_id", "groom_group_id", "groom_guide", "groom_root_uv", "groom_roughness", "groom_ao"}, False)
    assert found.values["groom_group_name"] == wanted.values["groom_group_name"]
    if "groom_color" in wanted.values:
        same("colours", found.values["color"], wanted.values["groom_color"], True)
    else:
        red = (found.values["color"] == np.float32([0.9, 0.05, 0.05])).all(axis=1)
        assert (red == np.repeat(wanted.values["groom_guide"] == 1, wanted.counts)).all(), "guides are not red, or others are"
    said = subprocess.run(["node", ROOT / "tests/diff/validate_glb.mjs", os.environ["BW_NODE_MODULES"]], input=str(out), text=True, capture_output=True,
                          check=True).stdout
    assert json.loads(said) == {str(out): {"errors": {}, "warnings": {}}}, said


def check_hair(path, fixed):
    out = fixed.with_suffix(".hair")
    status, document, said = groom(path, "-o", out)
    assert status == 0, said
    codes = {change["code"] for change in document["changes"]}
    assert {"attributes-left-out"} <= codes, codes
    wanted = read_abc(fixed)
    compare(read_hair(out), wanted.strands(wanted.values["groom_guide"] == 0), {"groom_width", "groom_color"}, True)


def check_usda(path, fixed):
    out = fixed.with_suffix(".usda")
    status, _, said = groom(path, "-o", out)
    assert status == 0, said
    found, wanted = read_usda(out), read_abc(fixed)
    compare(found, wanted, set(wanted.values), True)
    assert len(found.frames) == len(wanted.frames)
    for (time, positions), (wanted_time, wanted_positions) in zip(found.frames, wanted.frames):
        assert abs(time - wanted_time) < 1e-5, f"{time} s, expected {wanted_time}"
        same(f"positions at {time} s", positions, wanted_positions, True)


def check(path, name):
    tag = name.replace(":", "-").replace("/", "-")
    fixed = TMP / f"{tag}.abc"
    tap(f"{name} is reported", check_report, path)
    tap(f"{name} as Alembic", check_abc, path, fixed)
    for engine in ENGINES if path.stat().st_size < LARGE else ENGINES[-2:]:
        tap(f"{name} is clean for {engine} and stays", check_clean, path, tag, engine)
    tap(f"{name} as glTF", check_glb, path, fixed)
    tap(f"{name} as cyHair", check_hair, path, fixed)
    tap(f"{name} as USD", check_usda, path, fixed)


def check_refused(path, status, sentence):
    out = TMP / "refused.abc"
    found, document, _ = groom(path, "-o", out)
    message = document["failure"]["message"]
    assert found == status and sentence in message, f"status {found}: {message}"
    assert not out.exists()


# ---- axes ----------------------------------------------------------------------------------------------------------------------------------

# In Unreal's axes: long to the right, shorter forward, shortest up, from roots that stand apart.
ASYMMETRIC = [np.array([[0, 0, 0], [0, 5, 0], [0, 10, 1]]), np.array([[1, 0, 0], [4, 0, 0], [8, 0, 2]]), np.array([[0, 0, 2], [0, 1, 4], [0, 1, 6]])]
# What each program has at Unreal's (x, y, z); docs/GROOM.md has the same table.
PRESETS = {"maya": (lambda x, y, z: (x, z, y), 1), "blender": (lambda x, y, z: (x, z, y), 0.01), "houdini": (lambda x, y, z: (x, z, y), 0.01),
           "max": (lambda x, y, z: (x, -y, z), 1), "unreal": (lambda x, y, z: (x, y, z), 1)}


def check_preset(preset):
    turn, scale = PRESETS[preset]
    source, out = TMP / f"{preset}.hair", TMP / f"{preset}.abc"
    write_hair(source, [np.array([turn(*p) for p in strand]) * scale for strand in ASYMMETRIC])
    status, _, said = groom(source, "-o", out, f"--from={preset}", "--guides=1")
    assert status == 0, said
    found = read_abc(out)
    found = found.strands(found.values["groom_guide"] == 0)
    compare(found, Groom(np.array([3, 3, 3]), np.float32(np.vstack(ASYMMETRIC))), set(), False)


def main():
    for preset in PRESETS:
        tap(f"asymmetric strands from {preset} are not mirrored", check_preset, preset)
    subprocess.run([BUILD / "make_assets", TMP, "hair"], check=True)
    check(TMP / "hair.abc", "hair of the assets")
    if not DATA:
        print("skip data: no third-party data")
        return
    for path in sorted((DATA / "models/alembic_curves").rglob("*.abc")) + sorted((DATA / "models/hair_other").rglob("*.hair")):
        if "nurbs" in path.name:
            tap(f"data: {path.name} is refused", check_refused, path, 4, "no curves")
        else:
            check(path, f"data: {path.name}")
    for path in sorted(p for p in (DATA / "models/hair_other").rglob("*") if p.is_file() and p.suffix != ".hair"):
        kind = {".tfx": "a TressFX file", ".ecs": "a list of options for Embree", ".xml": "an XML scene", ".txt": "numbers in text form"}[path.suffix]
        tap(f"data: {path.parent.name}/{path.name} is refused by name", check_refused, path, 4, kind)


if __name__ == "__main__":
    sys.exit(main())
