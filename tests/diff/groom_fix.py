# SPDX-License-Identifier: MIT
"""Repair of every groom of the test data against what the reference library read of it: which strands are left, where they run (splines evaluated
here, another way), under which transforms; and values against the model of what Unreal imports."""
import json
import os
from pathlib import Path

import numpy as np
from bake import tap
from groom_truth import ROUNDING, compare_shape, repair, walk

DATA = Path(os.environ["DATA"] or "absent") / "alembic/groom"


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
    """What stands at a time between two samples, mixed."""
    values = np.array(values, dtype=float)
    if len(values) == 1:
        return values[0]
    after = int(np.clip(np.searchsorted(times, time), 1, len(times) - 1))
    part = np.clip((time - times[after - 1]) / (times[after] - times[after - 1]), 0, 1)
    return values[after - 1] + (values[after] - values[after - 1]) * (1 if part > 1 - 1e-6 else 0 if part < 1e-6 else part)


def even(times):
    """Times a step apart, the shortest between two."""
    step = min(b - a for a, b in zip(times, times[1:]))
    return [times[0] + k * step for k in range(int((times[-1] - times[0]) / step + 0.5) + 1)]


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
    if "samples-evened" in found["changes"]:
        times = even(times)
    assert len(found["samples"]) == len(times), f"{len(found['samples'])} samples, expected {len(times)}"
    for mine, time in zip(found["samples"], times):
        assert abs(mine["time"] - time) < 1e-8, f"a sample at {mine['time']} s, expected {time}"
        points = at(curves[0]["times"], [sample["P"] for sample in curves[0]["samples"]], time)
        for node in reversed(xforms):
            matrix = at(node["times"] or [0], [m["m"] for m in node["matrices"]], time).reshape(4, 4)
            points = points @ matrix[:3, :3] + matrix[3, :3]
            if not at(node["times"] or [0], [m["inherits"] for m in node["matrices"]], time):
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
