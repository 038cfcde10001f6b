# SPDX-License-Identifier: MIT
"""Grooms of the test data as the reference library read them (.geom.json): where their strands truly run, and comparing repaired ones with that."""
import json
import os
import subprocess
from pathlib import Path

import numpy as np
from groom_splines import distances, evaluate, polyline

TOOL = Path(os.environ["BAKEWELL"]).parent / "tests/tools/groom_fix_dump"

KINDS = ["cubic", "linear", "variable"]
BASES = ["none", "bezier", "bspline", "catmull-rom", "hermite", "power"]
TOLERANCE = 0.01  # cm, the default 0.1 mm
# Floats of some 20 cm hold 1e-6; transforms are in double.
ROUNDING = 4e-6


def repair(files, *options):
    """What groom_fix_dump prints for each file."""
    done = subprocess.run([TOOL, *options, *files], capture_output=True, text=True)
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr[-300:]}"
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(files), f"{len(found)} answers to {len(files)} files"
    return found


def walk(node):
    """All objects; what the reference library cannot read as {"error"}."""
    node = node or {"error": "unreadable"}
    yield node
    for child in node.get("children", []):
        yield from walk(child)


def pieces_of_knots(sample):
    """Knots of each curve, by orders of four where the file has none; Nones if they do not add up."""
    counts, orders = sample["nVertices"], sample.get("orders") or [4] * len(sample["nVertices"])
    knots = sample.get("knots") or []
    needed = [n + o for n, o in zip(counts, orders)]
    if sum(needed) != len(knots):
        return orders, [None] * len(counts)
    ends = np.cumsum([0] + needed)
    return orders, [knots[a:b] for a, b in zip(ends, ends[1:])]


def true_strands(truth):
    """Curves in world space by the truth, and which of them have a length; a strand that cannot be kept is left out."""
    objects = [o for o in walk(truth) if o["schema"] == "curves" and o.get("samples") and "P" in o["samples"][0]]
    shown = [o for o in objects if not is_hidden(truth, o["path"])] or objects
    strands = []
    for node in shown:
        sample = node["samples"][0]
        matrix = np.array(node["world0"]).reshape(4, 4)
        points = np.array([[np.nan if c is None else float(c) for c in p] for p in sample["P"]], dtype=float).reshape(-1, 3)
        orders, knots = pieces_of_knots(sample)
        weights = sample.get("w")
        start = 0
        for i, n in enumerate(sample["nVertices"]):
            if n < 0:
                continue
            if start + n > len(points):
                break
            cvs, used = points[start:start + n], slice(start, start + n)
            start += n
            if n < 2 or not np.isfinite(cvs).all():
                continue
            kind, basis = (KINDS[sample["type"]], BASES[sample["basis"]]) if sample["type"] < 3 and sample["basis"] < 6 else ("linear", "none")
            pieces = evaluate(kind, basis, sample["wrap"] == 1, cvs, orders[i], knots[i], weights[used] if weights else None)
            pieces = [piece @ matrix[:3, :3] + matrix[3, :3] for piece in pieces]
            if kind == "linear":
                pieces = [np.float32(piece).astype(float) for piece in pieces]
            line = polyline(pieces)
            if np.ptp(line, axis=0).max() == 0:
                continue
            strands.append((node["path"], kind, pieces))
    return strands


def is_hidden(truth, path):
    """Whether the object, or one above it, says that it is hidden."""
    hidden, node = False, truth
    for name in [p for p in path.split("/") if p]:
        node = next((c for c in node["children"] if c["path"].split("/")[-1] == name), None)
        if node is None:
            return False
        hidden = hidden or node.get("visible") in (0, "hidden")
    return hidden


def strands_of(found):
    ends = np.cumsum([0] + found["counts"])
    points = np.array(found["positions"], dtype=float).reshape(-1, 3)
    return [points[a:b] for a, b in zip(ends, ends[1:])]


def compare_shape(found, truth):
    wanted = true_strands(truth)
    if not wanted:
        assert found["failure"], "a file without a strand was repaired"
        return
    assert not found["failure"], found["failure"]
    strands = strands_of(found)
    assert len(strands) == len(wanted), f"{len(strands)} strands, expected {len(wanted)}"
    worst = 0
    for i, (strand, (path, kind, pieces)) in enumerate(zip(strands, wanted)):
        line = polyline(pieces)
        scale = max(1, np.abs(line).max())
        assert 2 <= len(strand) <= 255, f"{path}: strand {i} has {len(strand)} points"
        for end, at in ((strand[0], line[0]), (strand[-1], line[-1])):
            assert np.abs(end - at).max() <= ROUNDING * scale, f"{path}: strand {i} ends at {end}, expected {at}"
        if kind == "linear":
            corners = np.vstack([pieces[0][:1]] + [piece[1:] for piece in pieces])
            assert len(corners) == len(strand), f"{path}: strand {i} has {len(strand)} points, expected {len(corners)}"
            assert np.abs(corners - strand).max() <= ROUNDING * scale, f"{path}: strand {i} is off by {np.abs(corners - strand).max()}"
            continue
        on = distances(strand, line).max()
        assert on <= 1e-4 * scale, f"{path}: a point of strand {i} is {on} from its spline"
        # Pieces of a power curve need not meet: what bridges them is no part of it.
        worst = max(worst, max(distances(piece, strand).max() for piece in pieces))
    assert worst <= TOLERANCE, f"a spline is {worst} cm from its polyline"
    assert worst <= found["shape_error_cm"] * 1.02 + 1e-6 * scale, f"{worst} cm off, the repair says {found['shape_error_cm']}"
