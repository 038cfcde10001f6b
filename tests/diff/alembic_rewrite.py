#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives that are read and written again, against what they were: by an independent reader, by the facts the reference library found in
them, and by the reference library itself."""
import importlib.util
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import ogawa

ROOT = Path(os.environ["BW_ROOT"])
DATA = Path(os.environ["DATA"]) if os.environ.get("DATA") else None
TMP = Path(os.environ["TMPDIR"])
TOOL = Path(os.environ["BW_BUILD"]) / "tests/tools/alembic_rewrite"
TRUTH_FOLDERS = {"core": 14, "groom": 339, "mesh": 13}
REAL_FOLDERS = {"alembic_curves": 10, "alembic_mesh": 20}
# A sample without dimensions is hashed without them, and reads like one of no points: once read, that cannot be written again.
RANK_ZERO = "c12_dims"
# Archives whose values the binding cannot show without a crash, whoever wrote them.
ENDS_LIBRARY = ["instance_broken"]
# These end Blender, at once or later: faces of points that there are not; particles.
ENDS_BLENDER = ["m15_bad_topology", "particlesOut2"]
# The last point that Blender makes of this one's curves is what stood in its memory before, another one each time.
UNSET_LAST_POINT = "sample_ogawa"
OUR_VERSION = 10812


def report(name, why):
    print(f"not ok {name}: {len(why)} differ: {'; '.join(why)[:700]}" if why else f"ok {name}")


def rewrite(paths):
    """Writes each again; returns (path, what was written)."""
    pairs = [(path, TMP / path.parent.name / path.name) for path in paths]
    for at in range(0, len(pairs), 50):
        command = [str(part) for pair in pairs[at:at + 50] for part in pair]
        subprocess.run([TOOL, *command], check=True, timeout=300)
    return pairs


# ---- node for node -------------------------------------------------------------------------------------------------------------------------

def compare_properties(place, ours, theirs, why):
    names = [[p.name for p in side] for side in (ours, theirs)]
    if names[0] != names[1]:
        why.append(f"{place}: the properties {names[0]}, expected {names[1]}")
        return
    for a, b in zip(ours, theirs):
        for key in ("meta", "info", "hint", "pod", "extent", "sampling", "count", "first", "last"):
            if getattr(a, key) != getattr(b, key):
                why.append(f"{place}{b.name}: {key} is {getattr(a, key)}, expected {getattr(b, key)}")
        if [(s.key, s.payload, s.dims) for s in a.stored] != [(s.key, s.payload, s.dims) for s in b.stored]:
            why.append(f"{place}{b.name}: other samples")
        compare_properties(f"{place}{b.name}/", a.children, b.children, why)


def compare_objects(ours, theirs, hashes, why):
    if (ours.name, ours.meta) != (theirs.name, theirs.meta):
        why.append(f"{theirs.path}: the object {ours.name} {ours.meta}, expected {theirs.name} {theirs.meta}")
    if hashes and ours.hashes != theirs.hashes:
        why.append(f"{theirs.path}: the hashes {ours.hashes.hex()}, expected {theirs.hashes.hex()}")
    compare_properties(f"{theirs.path}:", ours.properties, theirs.properties, why)
    if len(ours.children) != len(theirs.children):
        why.append(f"{theirs.path}: {len(ours.children)} children, expected {len(theirs.children)}")
    for a, b in zip(ours.children, theirs.children):
        compare_objects(a, b, hashes, why)


def compare_archives(path, ours, theirs):
    why = []
    if (ours.version, ours.meta, ours.samplings) != (OUR_VERSION, theirs.meta, theirs.samplings):
        why.append(f"version, metadata or time samplings are {ours.version} {ours.meta} {ours.samplings}")
    compare_objects(ours.top, theirs.top, path.stem != RANK_ZERO, why)
    return [f"{path.stem} {line}" for line in why]


def check_nodes(folder, pairs):
    """Tree, headers, values, dimensions, keys and hashes are those that were read, and the hashes are right."""
    why, wrong, larger, samples = [], [], [], 0
    for path, written in pairs:
        ours, theirs = ogawa.read(written), ogawa.read(path)
        why += compare_archives(path, ours, theirs)
        wrong += [f"{path.stem} {line}" for line in ogawa.check(ours)]
        # Metadata that is new to the table once that is full is written out; which that is depends on the order, and may cost some bytes.
        if ours.size > theirs.size * 1.01:
            larger.append(f"{path.stem}: {ours.size} bytes where there were {theirs.size}")
        samples += count_samples(ours.top)
    print(f"# {folder}: {len(pairs)} archives, {samples} stored samples")
    report(f"data: {folder}: the same tree, headers, values, dimensions, keys and hashes", why)
    report(f"data: {folder}: keys and hashes are those of what is there", wrong)
    report(f"data: {folder}: equal samples share their bytes as before", larger)


def count_samples(o):
    def of(properties):
        return sum(len(p.stored) + of(p.children) for p in properties)
    return of(o.properties) + sum(count_samples(child) for child in o.children)


def check_facts(folder, pairs):
    """What the reference library had read in the file holds for what was written from it."""
    why = []
    for path, written in pairs:
        ours, theirs = ogawa.document(ogawa.read(written)), json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        if path.stem == RANK_ZERO:
            ours["top"].pop("props_hash"), theirs["top"].pop("props_hash")
        if json.dumps(ours, sort_keys=True) != json.dumps(theirs, sort_keys=True):
            why.append(path.stem)
    report(f"data: {folder}: the facts of the truth files", why)


# ---- by the reference library ----------------------------------------------------------------------------------------------------------------

def foreign_facts(script, paths):
    """What another program reads in each; text where it ended."""
    found = []
    while len(found) < len(paths):
        program = [sys.executable, ROOT / "tests/lib" / script, *paths[len(found):]]
        done = subprocess.run(program, capture_output=True, text=True, timeout=600)
        found += [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("facts ")]
        if len(found) < len(paths):
            found.append(f"status {done.returncode}: {done.stderr[-300:]}")
    return found


def check_library(pairs):
    name = "data: the reference library reads the same in both"
    if importlib.util.find_spec("alembic3d") is None:
        print(f"skip {name}: its Python binding, the PyPI package alembic3d, is not installed")
        return
    theirs, ours = [foreign_facts("alembic_library.py", [pair[side] for pair in pairs]) for side in (0, 1)]
    why, facts, ended = [], 0, []
    for (path, _), a, b in zip(pairs, ours, theirs):
        if isinstance(b, str):
            ended.append(path.stem)
        if isinstance(a, str) or isinstance(b, str):
            why += [f"{path.stem}: {a[:200]}, expected {b[:200]}"] if a != b else []
            continue
        if path.stem == RANK_ZERO:
            a, b = [[line[:2] + line[3:] if line[0] == "/" else line for line in side] for side in (a, b)]
        facts += len(b)
        why += [f"{path.stem}: {str(x)[:200]}, expected {str(y)[:200]}" for x, y in zip(a, b) if x != y][:1]
        why += [f"{path.stem}: {len(a)} facts, expected {len(b)}"] if len(a) != len(b) else []
    print(f"# the reference library: {len(pairs)} pairs, {facts} objects, properties and time samplings; it ended on both of {ended}")
    report(name, why)
    report("data: the reference library ends on those archives only on which it is known to", sorted(set(ended) ^ set(ENDS_LIBRARY)))


def without_unset(path, found):
    if isinstance(found, str):
        return found
    for o in (o for frame in found for o in frame[1:] if path.stem == UNSET_LAST_POINT and o[1] == "CURVES"):
        o[3].pop()
    return str(found)


def check_blender(pairs):
    name = "data: Blender imports the same from both"
    pairs = [pair for pair in pairs if pair[0].stem not in ENDS_BLENDER]
    theirs, ours = [foreign_facts("alembic_blender.py", [pair[side] for pair in pairs]) for side in (0, 1)]
    why = [f"{path.stem}: {found}" for (path, _), found in zip(pairs * 2, theirs + ours) if isinstance(found, str)]
    shown = 0
    # Objects are named after the file where it has none of its own, so both files have the same name.
    for (path, _), a, b in zip(pairs, ours, theirs):
        shown += sum(len(frame) - 1 for frame in b) if not isinstance(b, str) else 0
        a, b = without_unset(path, a), without_unset(path, b)
        why += [f"{path.stem}: {a[:200]}, expected {b[:200]}"] if a != b else []
    print(f"# Blender: {len(pairs)} pairs, {shown} objects at their three frames together")
    report(name, why if shown else ["nothing was imported"])


def points_of(o, frame):
    """[points][3] of the one object below that has positions, in the sample that is at a frame: each has one."""
    for p in (member for p in o.properties for member in p.children):
        if p.name == "P":
            return list(struct.iter_unpack("<3f", p.stored[min(frame, len(p.stored) - 1)].payload))
    return next((points for child in o.children if (points := points_of(child, frame))), None)


def check_blender_values(written):
    """What this project wrote holds in Blender what an independent reader finds in it, Z up: curves, curves that move, a mesh that moves."""
    subprocess.run([Path(os.environ["BW_BUILD"]) / "make_assets", TMP, "hair", "wind_hair"], check=True)
    why, points, differing = [], 0, set()
    for path in (TMP / "hair.abc", TMP / "wind_hair.abc", written):
        archive = ogawa.read(path)
        for frame in foreign_facts("alembic_blender.py", [path])[0]:
            wanted = [[x, -z, y] for x, y, z in points_of(archive.top, frame[0])]
            if len(frame) != 2 or frame[1][3] != wanted:
                why.append(f"{path.stem}, frame {frame[0]}: {str(frame[1:])[:100]}, expected {str(wanted)[:100]}")
            points += len(wanted)
            differing.add((path.stem, str(wanted)))
    print(f"# Blender: {points} points of archives written here, {len(differing)} different samples")
    report("data: Blender shows what is in archives written here", why if len(differing) == 6 else [f"{len(differing)} samples differ, expected 6"])


def main():
    if DATA is None or not (DATA / "alembic/core").is_dir():
        print("skip data: archives written again: no folder alembic below the third-party data")
        return
    every = []
    for folder, least in TRUTH_FOLDERS.items():
        pairs = rewrite(sorted((DATA / "alembic" / folder).glob("*.abc")))
        report(f"data: {folder}: at least {least} archives", [] if len(pairs) >= least else [f"{len(pairs)} were found"])
        check_nodes(folder, pairs)
        check_facts(folder, pairs)
        every += pairs
    for folder, least in REAL_FOLDERS.items():
        paths = [path for path in sorted((DATA / "models" / folder).glob("*/*.abc")) if path.read_bytes()[:5] == b"Ogawa"]
        report(f"data: {folder}: at least {least} archives", [] if len(paths) >= least else [f"{len(paths)} were found"])
        pairs = rewrite(paths)
        check_nodes(folder, pairs)
        every += pairs
    check_library(every)
    if importlib.util.find_spec("bpy") is None:
        print("skip data: Blender imports the same from both, and what is written here: the PyPI package bpy (1 GB) is not installed")
        return
    check_blender([pair for pair in every if pair[0].parent.name == "mesh" or "models" in pair[0].parts])
    check_blender_values(next(written for path, written in every if path.stem == "m08_anim_uv_N"))


if __name__ == "__main__":
    main()
