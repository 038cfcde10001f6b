#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The JSON schemas of docs/schema fit what the program prints and writes, and refuse what it would refuse."""
import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

ROOT, TMP, ASSETS = (Path(os.environ[name]) for name in ("BW_ROOT", "TMPDIR", "ASSETS"))
SCHEMAS = {name: json.loads((ROOT / f"docs/schema/{name}.schema.json").read_text()) for name in ("bake", "bake_pivot", "result", "info", "job", "groom")}


def errors(schema, document):
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMAS[schema]).iter_errors(document)]


def report(name, why):
    print(f"not ok {name}: {'; '.join(why)[:600]}" if why else f"ok {name}")


def run(*words):
    """Runs the program with --json; returns its status and the document."""
    done = subprocess.run([os.environ["BAKEWELL"], *map(str, words), "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def without(document, *path):
    changed = copy.deepcopy(document)
    place = changed
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return changed


def check_schemas():
    for name, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        print(f"ok {name} is a schema")


def check_options():
    """The schema's options are those of the table, choices and all."""
    rows = re.findall(r'^BW_OPT\("(\w+)", \w+, BW_OPTION_(\w+), .*?, (?:NULL|"[^"]*"), (NULL|"[^"]*"), ',
                      (ROOT / "include/bakewell/options_vat.def").read_text(), re.M)
    table = {key: choices.strip('"').split("|") if kind == "CHOICE" else None for key, kind, choices in rows}
    schema = {key: value.get("enum") for key, value in SCHEMAS["bake"]["properties"]["options"]["properties"].items()}
    report("options of the schema are those of the table", [] if rows and table == schema else [f"{table} against {schema}"])


def job_options():
    """What the table says of a job's options: {key: (types or choices, least, most)}."""
    row = re.compile(r'^BW_OPT\("(\w+)", \w+, BW_OPTION_(\w+), .*?, (?:NULL|"[^"]*"), (NULL|"[^"]*"), (?:NULL|"[^"]*"), ([\d.]+), ([\d.]+), "', re.M)
    types = {"FLAG": ["boolean"], "UINT": ["integer"], "REAL": ["number"], "BYTES": ["integer", "string"], "LENGTH": ["string"], "STRING": ["string"],
             "STRINGS": ["array"]}
    table = {}
    for name in ("vat", "write"):
        for key, kind, choices, least, most in row.findall((ROOT / f"include/bakewell/options_{name}.def").read_text()):
            ranged = kind in ("UINT", "REAL", "BYTES")
            values = choices.strip('"').split("|") + [None] if kind == "CHOICE" else types[kind] + ["null"]
            table[key] = (values, float(least) if ranged else None, float(most) if ranged else None)
    return table


def check_jobs():
    table = job_options()
    schema = {key: (value.get("enum") or value["type"], value.get("minimum"), value.get("maximum")) for key, value in SCHEMAS["job"]["$defs"].items()}
    report("options of a job are those of the table", [] if len(table) > 20 and table == schema else [f"{table} against {schema}"])
    for place in (SCHEMAS["job"]["properties"]["defaults"], SCHEMAS["job"]["properties"]["bakes"]["items"]):
        keys = {key for key, value in place["properties"].items() if value == {"$ref": f"#/$defs/{key}"}}
        report("every option has its place in a job", sorted(keys ^ set(table)))
    done = subprocess.run([os.environ["BAKEWELL"], "vat", "a.glb", "-o", "out", "--print-job", "--fps=24", "--max-error=0.5mm", "--clip=Run", "--force"],
                          capture_output=True, text=True)
    document = json.loads(done.stdout)
    report("a printed job", errors("job", document) + sorted(set(table) - set(document["bakes"][0])))
    job = {"schema": "bakewell/job/1", "bakes": [{"in": "a", "out": "b", "events": [{"clip": "a", "name": "b", "time_s": 1}]}]}
    report("a small job", errors("job", job))
    for key, value in (("foo", 1), ("fps", "30"), ("fps", 0), ("pow2", 1), ("engine", "unty"), ("max_error", "5"), ("clip", "Run"), ("in", []), ("events", [{}])):
        wrong = copy.deepcopy(job)
        wrong["bakes"][0][key] = value
        (TMP / "wrong.json").write_text(json.dumps(wrong))
        status = subprocess.run([os.environ["BAKEWELL"], "vat", f"--jobs={TMP}/wrong.json", "--print-job"], capture_output=True).returncode
        report(f"a job with {key} {value!r} is refused by both", [] if errors("job", wrong) and status == 2 else [f"status {status}, {errors('job', wrong)}"])


def check_seeds():
    """Manifests that the reader's own tests hold to be good."""
    for path in sorted((ROOT / "tests/fuzz/seeds/model_manifest").glob("*.json")):
        found = errors("bake_pivot" if path.stem.startswith("pivot") else "bake", json.loads(path.read_text()))
        if path.stem == "other_schema":
            report("another schema is refused", [] if found else ["nothing found"])
        else:
            report(f"manifest {path.stem}", found)
    full = json.loads((ROOT / "tests/fuzz/seeds/model_manifest/full.json").read_text())
    for path in (("clips", 0, "rate"), ("textures", 2, "width"), ("error", "stored", "worst", "part"), ("source", "files"), ("space", "up")):
        report(f"missing {'.'.join(map(str, path))} is refused", [] if errors("bake", without(full, *path)) else ["nothing found"])
    seeds = {name: json.loads((ROOT / f"tests/fuzz/seeds/model_manifest/{name}.json").read_text()) for name in ("bone", "bone_in_mesh", "rigid")}
    for name, path in (("bone", ("bones",)), ("bone", ("bones", "texels")), ("bone", ("skin",)), ("bone", ("uv_set",)), ("rigid", ("uv_set",)),
                       ("bone", ("clips", 0, "pivots")), ("rigid", ("clips", 0, "pivots", "max_scale")), ("bone_in_mesh", ("skin", "in"))):
        report(f"{name} without {'.'.join(map(str, path))} is refused", [] if errors("bake", without(seeds[name], *path)) else ["nothing found"])
    soup = dict(full, mode="soup", layout="native")
    report("a soup", errors("bake", soup))
    for name, document in (("bone", seeds["bone"]), ("soup", soup)):
        report(f"{name} in another layout is refused", [] if errors("bake", dict(document, layout="seed")) else ["nothing found"])


def check_program():
    for path in sorted(path for kind in ("glb", "gltf") for path in ASSETS.rglob("*." + kind)):
        out = TMP / path.stem
        status, document = run("vat", path, "-o", out, "--static")
        report(f"vat {path.name}", errors("result", document) + ([] if status == document["status"] else [f"status {status}"]))
        if status == 0:
            _, told = run("info", document["manifest"])
            report(f"info of the bake of {path.name}", errors("info", told) + ([] if told["format"] == "bake" else [str(told)]))
            report(f"manifest {path.name}", errors("bake", json.loads(Path(document["manifest"]).read_text())))
            _, verified = run("verify", document["manifest"], "--against", path)
            report(f"verify {path.name}", errors("result", verified) + ([] if verified["status"] == 0 else [str(verified)]))
            missing = [key for key in ("command", "manifest", "outputs", "warnings", "seconds", "error") if key not in document]
            report(f"vat {path.name} says all", missing)
        _, document = run("info", path)
        report(f"info {path.name}", errors("info", document))
    status, document = run("vat", TMP / "absent.glb", "-o", TMP / "none")
    report("info without meshes is refused", [] if errors("info", without(run("info", sorted(ASSETS.rglob("*.glb"))[0])[1], "meshes")) else ["nothing found"])
    found = errors("result", document) + ([] if status == 3 and document["failure"]["code"] == "BW_ERR_FILE_MISSING" else [str(document)])
    report("a failure is a result", found)
    report("a failure without its reason is refused", [] if errors("result", without(document, "failure")) else ["nothing found"])


def check_archives():
    """An archive whole, with its samples, and with one byte wrong."""
    tool, path = Path(os.environ["BW_BUILD"]) / "tests/tools/archive_tool", TMP / "cloth.abc"
    for name, status, damage, options in (("objects", 0, [], []), ("values", 0, [], ["--values"]), ("verify", 0, [], ["--verify"]),
                                          ("damage", 1, ["150", "9"], ["--verify", "--values"]), ("a lost part", 4, ["240", "255"], ["--values"])):
        subprocess.run([tool, path, *damage], check=True)
        found, document = run("info", path, *options)
        report(f"info of an archive: {name}", errors("info", document) + ([] if found == status else [f"status {found}"]))
    for path in (("archive",), ("archive", "time_samplings", 1, "times_s"), ("objects", 2, "path"), ("objects", 2, "properties", 0, "kind"),
                 ("objects", 2, "properties", 1, "samples", 1, "index"), ("failure", "code")):
        report(f"missing {'.'.join(map(str, path))} is refused", [] if errors("info", without(document, *path)) else ["nothing found"])


def check_grooms():
    """Hair that an engine takes and hair that it does not, reported and repaired; what a failure is."""
    subprocess.run([Path(os.environ["BW_BUILD"]) / "make_assets", TMP, "hair", "wind_hair"], check=True, stdout=subprocess.DEVNULL)
    hair, wind, fixed = TMP / "hair.abc", TMP / "wind_hair.abc", TMP / "fixed.abc"
    for name, status, words in (("a groom with a fault", 1, (hair,)), ("a repair", 0, (hair, "-o", fixed)), ("a groom that is whole", 0, (fixed,)),
                                ("a dry run", 0, (hair, "-o", fixed, "--dry-run")), ("guides alone", 0, (wind, "-o", fixed, "--guides-only"))):
        found, document = run("groom", *words)
        report(name, errors("groom", document) + ([] if found == status == document["status"] else [f"status {found}"]))
    report("guides alone tell how far off strands are", [] if document["written"]["follow_max_cm"] > 0 else [str(document["written"])])
    _, document = run("groom", hair, "-o", fixed)
    for path in (("engine",), ("groups", 0, "guides"), ("attributes", 0, "reason"), ("findings", 0, "level"), ("changes", 0, "first"), ("written",),
                 ("written", "shape_error_cm"), ("bounds_cm", "min")):
        report(f"a groom without {'.'.join(map(str, path))} is refused", [] if errors("groom", without(document, *path)) else ["nothing found"])
    _, document = run("groom", hair)
    report("a groom that fails without its reason is refused", [] if errors("groom", without(document, "failure")) else ["nothing found"])
    run("groom", hair, "-o", TMP / "fixed.hair")
    status, document = run("info", TMP / "fixed.hair")
    report("info of a cyHair file", errors("info", document) + ([] if status == 0 and document["format"] == "cyhair" else [str(document)]))
    for path in (("strands",), ("arrays", 0, "stored"), ("arrays", 1, "min")):
        report(f"info of a cyHair file without {'.'.join(map(str, path))} is refused", [] if errors("info", without(document, *path)) else ["nothing found"])
    status, document = run("groom", TMP / "absent.abc")
    report("a groom that is not there", errors("result", document) + ([] if status == 3 else [f"status {status}"]))


def check_trees():
    """A tree of nodes and one whose parents are guessed: baked, verified, and what a document may not lack."""
    subprocess.run([Path(os.environ["BW_BUILD"]) / "make_assets", TMP, "tree-3-2-4", "bush-3-2-4"], check=True, stdout=subprocess.DEVNULL)
    for name in ("tree-3-2-4", "bush-3-2-4"):
        status, document = run("pivot", TMP / f"{name}.glb", "-o", TMP / "trees")
        report(f"pivot {name}", errors("result", document) + ([] if status == document["status"] == 0 else [f"status {status}"]))
        manifest = json.loads(Path(document["manifest"]).read_text())
        report(f"manifest of pivots: {name}", errors("bake_pivot", manifest))
        status, described = run("info", document["manifest"])
        report(f"info of pivots: {name}", errors("info", described) + ([] if status == 0 else [f"status {status}"]))
        status, verified = run("verify", document["manifest"], "--against", TMP / f"{name}.glb")
        report(f"verify of pivots: {name}", errors("result", verified) + ([] if status == 0 and verified["elements"] == document["elements"] else [str(verified)]))
    for path in (("elements", "levels"), ("texture", "uv_set"), ("guesses", 0, "found"), ("error", "pivot_max"), ("outputs", 0, "role")):
        report(f"pivots without {'.'.join(map(str, path))} are refused", [] if errors("result", without(document, *path)) else ["nothing found"])
    for path in (("elements",), ("error", "long"), ("textures", 0, "role"), ("family",)):
        report(f"info of pivots without {'.'.join(map(str, path))} is refused", [] if errors("info", without(described, *path)) else ["nothing found"])
    for path in (("textures", 1, "rgb"), ("elements", "kind"), ("mesh", "order_hash"), ("probes", 0, "axis")):
        report(f"a manifest of pivots without {'.'.join(map(str, path))} is refused", [] if errors("bake_pivot", without(manifest, *path)) else ["nothing found"])


def main():
    check_trees()
    check_schemas()
    check_options()
    check_jobs()
    check_seeds()
    check_program()
    check_archives()
    check_grooms()


if __name__ == "__main__":
    sys.exit(main())
