# SPDX-License-Identifier: MIT
"""Repair of every groom of the test data against what the reference library read of it: which strands are left, where they run (splines evaluated
here, another way), under which transforms; and values against the model of what Unreal imports."""
import json
import os
import subprocess
from pathlib import Path

import numpy as np
from bake import tap
from groom_splines import distances, evaluate, polyline

DATA = Path(os.environ["DATA"] or "absent") / "alembic/groom"
TOOL = Path(os.environ["BAKEWELL"]).parent / "tests/tools/groom_fix_dump"

KINDS = ["cubic", "linear", "variable"]
BASES = ["none", "bezier", "bspline", "catmull-rom", "hermite", "power"]
TOLERANCE = 0.01  # cm, the default 0.1 mm
# Floats of some 20 cm hold 1e-6; transforms are in double.
ROUNDING = 4e-6


def repair(files, *options):
    """What the tool prints for each file."""
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


def compare_values(found, model):
    """Values that Unreal would use, where it would use them without danger: they survive as they are."""
    assert model["vertex_counts"] == found["counts"]
    strands, points = len(found["counts"]), sum(found["counts"])
    where = {"groom_width:float": ("widths", 1, points), "groom_color:vec3": ("colors", 3, points), "groom_roughness:float": ("roughness", 1, points),
             "groom_ao:float": ("ao", 1, points)}
    seen = 0
    still = {"attributes-stand-still"} & set(found["changes"])  # of moving ones the importer takes the sample at time 0, the repair the first
    odd = {"attributes-rescoped", "attributes-reshaped"} & set(found["changes"])  # the importer reads these otherwise than they are meant
    for key, (field, width, count) in where.items():
        if key in model["vertex"] and not still:
            values = np.array(model["vertex"][key], dtype=float).reshape(-1, width)
            assert len(values) == count
            if field == "widths" and (values <= 0).any():
                continue  # none, or a taper: they are mended
            mine = np.array(found[field], dtype=float).reshape(-1, width)
            assert np.abs(mine - values).max() <= 1e-7, f"{key} is off by {np.abs(mine - values).max()}"
            seen += 1
    strand = model["strand"]
    if "groom_root_uv:vec2" in strand:
        assert np.abs(np.array(found["root_uvs"]).reshape(-1, 2) - strand["groom_root_uv:vec2"]).max() <= 1e-7, "root UVs"
        seen += 1
    if "groom_width:float" in strand and "groom_width:float" not in model["vertex"] and not odd:
        values = np.array(strand["groom_width:float"])
        if (values > 0).all():
            assert np.abs(np.array(found["widths"]) - np.repeat(values, found["counts"])).max() <= 1e-7, "width of strands"
        seen += 1
    if "groom_guide:int" in strand and "guides-made-strands" not in found["changes"] and not odd:
        assert [int(v == 1) for v in strand["groom_guide:int"]] == found["guides"], "guides"
        seen += 1
    if "groom_group_id:int" in strand and not {"guides-moved", "groups-merged"} & set(found["changes"]):
        assert [found["groups"][g]["id"] for g in found["group_of"]] == strand["groom_group_id:int"], "group ids"
        seen += 1
    if "groom_clumpid:int" in strand:
        assert found["clump_ids"] == [min(max(v, 0), 65535) for v in strand["groom_clumpid:int"]], "clump ids"
        seen += 1
    if "groom_id:int" in strand and "ids-renumbered" not in found["changes"]:
        assert found["ids"] == strand["groom_id:int"], "ids"
        seen += 1
    for key, field in (("groom_group_name:name", "name"), ("groom_group_cards_id:name", "cards_id")):
        names = strand.get(key)
        by_group = {}
        for group, name in zip(found["group_of"], names or []):
            by_group.setdefault(group, set()).add(name)
        if names and all(len(of) == 1 for of in by_group.values()) and "groups-merged" not in found["changes"]:
            for group, of in by_group.items():
                name = of.pop()
                assert not name or found["groups"][group][field] == name, f"{field} of group {group}: {found['groups'][group][field]}, expected {name}"
            seen += 1
    if "groom_closest_guides:vec3" in strand and "groom_guide_weights:vec3" in strand and found["closest_guides"] and not odd:
        given = zip(strand["groom_closest_guides:vec3"], strand["groom_guide_weights:vec3"])
        for i, (closest, weights) in enumerate(given):
            mine = found["closest_guides"][3 * i:3 * i + 3]
            if not found["guides"][i] and mine[0] >= 0 and not {"ids-renumbered", "guide-weights-normalised"} & set(found["changes"]):
                assert mine == closest, f"closest guides of strand {i}"
                assert np.abs(np.array(found["guide_weights"][3 * i:3 * i + 3]) - weights).max() < 1e-6, f"weights of strand {i}"
        seen += 2
    return seen


def at(times, values, time):
    """The value of the sample at a time; of a track of one, that one."""
    if len(values) == 1:
        return values[0]
    nearest = int(np.argmin(np.abs(np.array(times) - time)))
    assert abs(times[nearest] - time) < 1e-6, f"no sample at {time} s"
    return values[nearest]


def chain_to(truth, path):
    """Objects from the top to one, without the top."""
    chain, node = [], truth
    for name in [p for p in path.split("/") if p]:
        node = next(c for c in node["children"] if c["path"].split("/")[-1] == name)
        chain.append(node)
    return chain


def compare_samples(found, truth):
    """Animated grooms of one object: its positions at each time, under the transforms at that time."""
    curves = [o for o in walk(truth) if o["schema"] == "curves"]
    if len(curves) != 1 or {"samples-equal", "topology-moves"} & set(found["changes"]):
        return 0
    chain = chain_to(truth, curves[0]["path"])
    xforms = [o for o in chain if o["schema"] == "xform"]
    moving = [o["times"] for o in chain if len(o.get("times", [])) > 1 and not o.get("constant")]
    if not moving:
        assert not found["samples"], "samples of what stands still"
        return 0
    times = sorted({round(t, 9) for track in moving for t in track})
    assert len(found["samples"]) == len(times), f"{len(found['samples'])} samples, expected {len(times)}"
    for mine, time in zip(found["samples"], times):
        assert abs(mine["time"] - time) < 1e-8, f"a sample at {mine['time']} s, expected {time}"
        points = np.array(at(curves[0]["times"], curves[0]["samples"], time)["P"], dtype=float)
        for node in reversed(xforms):
            local = at(node["times"] or [0], node["matrices"], time)
            matrix = np.array(local["m"]).reshape(4, 4)
            points = points @ matrix[:3, :3] + matrix[3, :3]
            if not local["inherits"]:
                break
        off = np.abs(np.array(mine["positions"]).reshape(-1, 3) - points).max()
        assert off <= ROUNDING * max(1, np.abs(points).max()), f"the sample at {time} s is off by {off}"
    return len(times)


def main():
    files = sorted(DATA.glob("*.abc"))
    if not files:
        print("skip data: no grooms to compare with")
        return
    answers = dict(zip(files, repair(files, "from=unreal")))
    values, samples = 0, 0

    def one(file):
        nonlocal values, samples
        truth = json.loads(file.with_suffix(".geom.json").read_text())
        model = json.loads(file.with_suffix(".ue.json").read_text())
        found = answers[file]
        if any("error" in node for node in walk(truth)):
            return  # the reference library cannot read all of it
        compare_shape(found, truth)
        if not found["failure"]:
            samples += compare_samples(found, truth)
            if model["accepted"] and not model["hazards"] and model["vertex_counts"] == found["counts"]:
                values += compare_values(found, model)

    for file in files:
        tap(f"data:{file.stem}", one, file)

    def enough():
        assert values >= 90, f"only {values} attributes were compared"
        assert samples >= 30, f"only {samples} samples were compared"

    tap("data:enough was compared", enough)


main()
