#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lint says Unreal 5.8 makes of hair, against a model of its importer: groups, counts, attributes used and ignored, crashes, notes."""
import json
import os
import subprocess
from pathlib import Path

TOOL = Path(os.environ["BW_BUILD"]) / "tests/tools/groom_verdict"
DATA = os.environ["DATA"]
NAMES = ["groups and counts are those of the importer's model", "files are taken and refused as the model does",
         "attributes are used and ignored as in the model", "crashes are told of by the rule that names them", "notes of the model are findings"]

# What the builder asks the importer for.  Whatever else the importer stored, the model lists it and nothing uses it: lint says so.
ASKED = {"groom_width": {"strand float", "vertex float", "groom float"}, "groom_guide": {"strand int"}, "groom_group_id": {"strand int"},
         "groom_group_name": {"strand name"}, "groom_group_cards_id": {"strand name"}, "groom_id": {"strand int"},
         "groom_root_uv": {"strand vec2"}, "groom_color": {"vertex vec3"}, "groom_roughness": {"vertex float"}, "groom_ao": {"vertex float"},
         "groom_clumpid": {"strand int", "strand vec3"}, "groom_closest_guides": {"strand vec3"}, "groom_guide_weights": {"strand vec3"}}
GENERAL = {"groom_version_major", "groom_version_minor", "groom_tool", "groom_properties"}

# The model takes these: an asset without a strand is no use, which lint calls an error.
EMPTY = {"degen_no_curves", "degen_p_without_nverts"}

# Words of a hazard, and the finding that must say so.
HAZARDS = [("float scalar groom-level", "groom-float"), ("library exception: ISchemaObject::ISchemaObject( wrapflag )\nERROR: EXCEPTION:\nICurvesSchema", "attribute-native"),
           ("library exception", "object-unreadable"), ("has one point", "strand-one-point"), ("wraps the 32 bit", "counts-negative"),
           ("allocates arrays of that length", "group-id-huge"), ("more than 64 groups", "groups-many"), ("out of bounds", "attribute-short")]
NOTES = [("spline curves", "spline"), ("animated transform", "xform-moves"), ("inheritsXforms=false", "xform-inherits"), ("nested transform", "xform-nested"),
         ("overruns P", "counts-past"), ("scope not used", "attribute-scope")]
IGNORED = [("needs exactly 1 value", "groom-property-count"), ("compound (indexed)", "attribute-indexed")]


def codes(verdict, *levels):
    return {finding["code"] for finding in verdict["findings"] if not levels or finding["level"] in levels}


def last(text):
    """Attribute that "/groom/hair/groom_id: why" is about."""
    return text.split(":")[0].rsplit("/", 1)[1]


def groups_differ(name, ours, model):
    a = [[g["id"], g["name"], g["strands"], g["guides"], g["points"]] for g in ours["groups"]]
    b = [[g["id"], g["name"], g["curves"], g["guides"], g["curve_points"] + g["guide_points"]] for g in model["groups"]]
    if a != b:
        return f"{name}: groups {a[:3]}, expected {b[:3]}"
    # The model counts strands before those that are not finite are dropped; lint counts what is left.
    dropped = any(g["invalid_points"] for g in model["groups"])
    if dropped:
        return None if "strand-not-finite" in codes(ours) and ours["strands"] < model["strands"] else f"{name}: nothing is dropped"
    if (ours["strands"] + ours["guides"], ours["points"]) != (model["strands"], model["points"]):
        return f"{name}: {ours['strands']} + {ours['guides']} strands, {ours['points']} points"
    return None


def acceptance_differs(name, ours, model):
    expected = model["accepted"] and not model["hazards"] and name not in EMPTY
    if ours["accepted"] != expected:
        return f"{name}: taken {ours['accepted']}, expected {expected}: {sorted(codes(ours, 'error'))}"
    if name in EMPTY and not codes(ours, "error") & {"no-strands", "no-curves"}:
        return f"{name}: is not said to be empty"
    return None


def uses_differ(name, ours, model):
    used = {a["name"].lower() for a in ours["attributes"] if a["used"]}
    why = {a["name"].lower(): a["reason"] for a in ours["attributes"] if not a["used"]}
    stored = {(level, *key.rsplit(":", 1)) for level in ("groom", "strand", "vertex") for key in model[level]}
    expected = {key for level, key, kind in stored if f"{level} {kind}" in ASKED.get(key, ()) or (level == "groom" and key in GENERAL)}
    # Alembic's own width and uv are stored under the names of the schema.
    native = {"width": "groom_width", "uv": "groom_root_uv"}
    # Of a width a strand and one a point the model stores both, and the builder asks for that of points first.
    found = {native.get(key, key) for key in used}
    if found != expected:
        return f"{name}: used {sorted(found)}, expected {sorted(expected)}"
    for key in {key for _, key, _ in stored} - expected - found:
        if not why.get(key):
            return f"{name}: {key} is stored and unused, and no reason is given"
    for text in model["ignored"]:
        if last(text).lower() in used or not why.get(last(text).lower()):
            return f"{name}: {text}"
        if not any(words in text and code in codes(ours, "warning") for words, code in IGNORED) and \
                not ("unsupported type" in text and codes(ours, "warning") & {"attribute-type", "attribute-extent"}):
            return f"{name}: {text}: no finding says so"
    return None


def hazards_differ(name, ours, model):
    errors = codes(ours, "error")
    for text in model["hazards"]:
        if "no render strands" in text:
            told = errors & {"guides-only", "group-guides-only"}
        else:
            told = next(code for words, code in HAZARDS if words in text) in errors
        if not told:
            return f"{name}: {text[:80]}: {sorted(errors)}"
    return None


def notes_differ(name, ours, model):
    # Its transform that inherits nothing stands at the top, where there is nothing to inherit: lint has nothing to say.
    if name == "xform_animated_inherits":
        model["notes"] = [text for text in model["notes"] if "inheritsXforms" not in text]
    for text in model["notes"]:
        # It only matters where something moves, which in one of the two files nothing does.
        if "acyclic" in text:
            if name == "time_acyclic" and "cache-no-step" not in codes(ours):
                return f"{name}: {text}"
        elif not next(code for words, code in NOTES if words in text) in codes(ours, "warning", "error"):
            return f"{name}: {text}: {sorted(codes(ours))}"
    return None


def main():
    folder = Path(DATA or "", "alembic/groom")
    files = sorted(folder.glob("*.abc")) if DATA else []
    if not files:
        for name in NAMES:
            print(f"skip data:{name}: the test data have no alembic/groom")
        return
    done = subprocess.run([TOOL, "unreal5.8", *files], capture_output=True, text=True, check=False, timeout=120)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    pairs = [(file.stem, ours, json.loads(file.with_suffix("").with_suffix(".ue.json").read_text())) for file, ours in zip(files, verdicts, strict=True)]
    unread = [f"{name}: {ours['error']}" for name, ours, _ in pairs if "error" in ours]
    print(f"not ok data:every file is judged: {'; '.join(unread)[:500]}" if unread or len(pairs) < 300 else "ok data:every file is judged")
    pairs = [pair for pair in pairs if "error" not in pair[1]]
    for name, differs in zip(NAMES, (groups_differ, acceptance_differs, uses_differ, hazards_differ, notes_differ), strict=True):
        why = [text for pair in pairs if (text := differs(*pair))]
        print(f"not ok data:{name}: {len(why)} of {len(pairs)}: {'; '.join(why)[:1500]}" if why else f"ok data:{name}")
    print(f"# {len(pairs)} files, {sum(len(m['hazards']) for _, _, m in pairs)} hazards, {sum(len(m['ignored']) for _, _, m in pairs)} ignored attributes, {sum(len(m['notes']) for _, _, m in pairs)} notes")


main()
