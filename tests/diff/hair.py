# SPDX-License-Identifier: MIT
"""The readers of hair against truth that is not ours: every value, type, scope, index and sample of every groom of the test data as the reference
library's low-level readers print them, transforms and instances as its schemas do; cyHair against numpy's view of the file; other formats of hair
refused by name; grooms that were written, read by the reference library."""
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from bake import tap

DATA = Path(os.environ["DATA"] or "absent")
BUILD = Path(os.environ["BAKEWELL"]).parent
DUMP, GROOM_WRITE = BUILD / "tests/tools/hair_dump", BUILD / "tests/tools/groom_write"
LIBRARY = Path(__file__).parent.parent / "lib/alembic_library.py"

KINDS = {"AbcGeom_Xform_": "xform", "AbcGeom_PolyMesh_": "mesh", "AbcGeom_SubD_": "subd", "AbcGeom_Points_": "points",
         "AbcGeom_Curve_": "curves"}
KINDS_OF_TIME = ("uniform", "cyclic", "acyclic")
SCOPES = ("con", "uni", "var", "vtx", "fvr")
BASES = ("linear", "cubic", "variable")
PLACES = {".arbGeomParams": "arbitrary", ".userProperties": "user"}
# Samples whose positions are more or fewer than the first one's: hair keeps its points, so they are refused.
TOPOLOGY_CHANGES = {"time_topology_changes"}


def dump(*paths):
    """What the reader makes of each."""
    run = subprocess.run([DUMP, *paths], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.split("\n")[:-1]]


def kind_of(schema):
    return "group" if not schema else next((kind for prefix, kind in KINDS.items() if schema.startswith(prefix)), "other")


def numbers(values, dtype):
    """Of JSON: what is not finite is null, or a word."""
    values = np.array(values, dtype=float)
    values[~np.isfinite(values)] = np.nan
    return values.astype(dtype)


def same(found, wanted, pod, what):
    assert len(found) == len(wanted), f"{what}: {len(found)} values, expected {len(wanted)}"
    if pod in ("string", "wstring"):
        assert found == wanted, f"{what}: {found[:3]}, expected {wanted[:3]}"
        return
    dtype = {"float32": np.float32, "float16": np.float16}.get(pod, float)  # the truth of floats has nine digits
    a, b = numbers(found, dtype), numbers(wanted, dtype)
    differs = (a != b) & ~(np.isnan(a) & np.isnan(b))
    assert not differs.any(), f"{what}: value {np.argmax(differs)} is {a[differs][0]}, expected {b[differs][0]}"


def members(properties, name):
    return next((p for p in properties if p["name"] == name), None)


def sample_values(p, k=0):
    """Of one sample: values, and whether they stand in dimensions."""
    sample = p["samples"][k]
    return sample["v"] if isinstance(sample, dict) else sample


def pod_of(p):
    return p["pod"].removesuffix("_t")


def check_attribute(found, wanted, place, what):
    meta = wanted["meta"]
    scope = meta.get("geoScope", "")
    assert found["name"] == wanted["name"] and found["place"] == place, what
    assert found["is_scalar"] == (wanted["kind"] == "scalar") and found["is_compound"] == (wanted["kind"] == "compound"), what
    assert found["has_scope"] == bool(scope), what
    assert found["scope"] == (scope if scope in SCOPES else "unknown" if scope else "con"), what
    assert found["problem"] is None, f"{what}: {found['problem']}"
    values, indices = wanted, None
    if wanted["kind"] == "compound":
        values, indices = members(wanted["props"], ".vals"), members(wanted["props"], ".indices")
        if not values or not indices:
            assert found["pod"] == "none" and found["count"] == 0, what
            return
    extent = values["extent"]
    assert (found["pod"], found["extent"]) == (pod_of(values), extent), f"{what}: {found['pod']}[{found['extent']}]"
    assert found["sample_count"] == max(values["num_samples"], indices["num_samples"] if indices else 0), what
    flat = sample_values(values) if values["num_samples"] else []
    text = pod_of(values) in ("string", "wstring")
    elements = [flat[k:k + extent] for k in range(0, len(flat), extent)]
    assert found["value_count"] == len(elements), what
    chosen = sample_values(indices) if indices and indices["num_samples"] else []
    if chosen:
        assert found["indexed"], what
        none = [None] if text else [0] * extent
        elements = [elements[k] if k < len(elements) else none for k in chosen]
    assert found["count"] == len(elements), what
    same(found["values"], [v for e in elements for v in (e[:1] if text else e)], pod_of(values), what)


def check_attributes(found, geometry, natives, what):
    wanted = [(p, "native") for name in natives for p in [members(geometry, name)] if p]
    for compound, place in PLACES.items():
        held = members(geometry, compound)
        wanted += [(p, place) for p in (held["props"] if held else [])]
    assert [a["name"] for a in found] == [p["name"] for p, _ in wanted], f"{what}: {[a['name'] for a in found]}"
    for a, (p, place) in zip(found, wanted):
        check_attribute(a, p, place, f"{what}, {p['name']}")
    return len(found)


def check_curves(found, geometry, what, changes):
    p, counts = members(geometry, "P"), members(geometry, "nVertices")
    if p["extent"] != 3:
        assert found["point_count"] == 0, what
        return
    first = sample_values(p)
    assert 3 * found["point_count"] == len(first), what
    same(found["P"], first, "float32", f"{what}, P")  # of half and double floats: converted
    same(found["nVertices"], sample_values(counts), "int32", f"{what}, nVertices")
    basis = sample_values(members(geometry, "curveBasisAndType"))
    assert found["raw_basis"] == basis, what
    assert found["known_basis"] == (basis[0] < 3 and basis[1] < 2 and basis[2] < 6), what
    if found["known_basis"]:
        assert found["type"] == ("cubic", "linear", "variable")[basis[0]] and found["basis"] == basis[2], what
        assert found["periodic"] == bool(basis[1]), what
    for key, name, pod in (("orders", ".orders", "uint8"), ("knots", ".knots", "float32"), ("w", "w", "float32")):
        property_ = members(geometry, name)
        same(found[key], sample_values(property_) if property_ and property_["num_samples"] else [], pod, f"{what}, {name}")
    assert len(found["samples"]) == found["sample_count"] == p["num_samples"], what
    assert found["moves"] == any(s["v"] != first for s in p["samples"]), what
    assert found["topology_moves"] == changes, what
    for k, sample in enumerate(found["samples"]):
        wanted = sample_values(p, k)
        if len(wanted) != len(first):
            assert changes and "hair must keep its points over time" in sample["error"], what
        else:
            same(sample["P"], wanted, "float32", f"{what}, sample {k}")


def walk(o):
    """Objects of the truth; a broken instance is none."""
    if o is None:
        return
    yield o
    for child in o["children"]:
        yield from walk(child)


def check_groom(name, raw, schemas, hair):
    """Counts of objects and attributes compared."""
    truth = {o["path"]: o for o in walk(raw["top"]) if o["path"] != "/"}
    by_schema = {o["path"]: o for o in walk(schemas) if o["path"] != "/"}
    paths = [o["path"] for o in hair["objects"]]
    assert len(set(paths)) == len(paths), name
    assert hair["made_by"] == raw["meta"].get("_ai_Application", ""), name
    assert [(s["kind"], s["time_per_cycle_s"] if s["kind"] < 2 else None) for s in hair["samplings"]] == \
        [(KINDS_OF_TIME.index(s["ts"]["type"]), s["ts"].get("per_cycle")) for s in raw["time_samplings"]], name
    assert [s["first_s"] for s in hair["samplings"]] == [s["ts"]["stored"][0] for s in raw["time_samplings"]], name
    curves = {c["object"]: c for c in hair["curves"]}
    attributes = 0
    order = [o["path"] for o in walk(schemas) if o["path"] != "/"]
    assert name == "instance_broken" or paths == order, f"{name}: {paths}, expected {order}"
    hidden = {}
    for index, found in enumerate(hair["objects"]):
        path, what = found["path"], f"{name}{found['path'][:80]}"
        above = paths[found["parent"]] if found["parent"] >= 0 else ""
        assert path.startswith(above + "/"), what
        node = by_schema.get(path, {})
        assert found["is_instance"] == bool(node.get("instance_desc")), what
        if found["is_instance"] or path not in truth:
            if "samples" in node and node["schema"] == "curves":
                same(curves[index]["P"], [x for q in node["samples"][0]["P"] for x in q], "float32", what)
                same(curves[index]["nVertices"], node["samples"][0]["nVertices"], "int32", what)
            hidden[path] = found["hidden"]
            continue
        o = truth[path]
        assert found["kind"] == kind_of(o["meta"].get("schema")), what
        visible = members(o["props"], "visible")
        shown = sample_values(visible)[0] if visible and visible["num_samples"] else -1
        hidden[path] = shown == 0 if shown >= 0 else hidden.get(above, False)
        assert found["hidden"] == hidden[path], what
        mine = [a for a in hair["attributes"] if a["object"] == index]
        if found["kind"] == "xform" and "matrices" in node:
            held = members(o["props"], ".xform")
            attributes += check_attributes(mine, held["props"] if held else [], (), what)
            samples = found["samples"] or [{"matrix": found["matrix"], "inherits": found["inherits"], "time": 0}]
            for k, (a, b) in enumerate(zip(samples, node["matrices"])):
                assert np.allclose(a["matrix"], b["m"], rtol=1e-11, atol=1e-11), f"{what}, sample {k}"  # printed with twelve digits
                assert a["inherits"] == b["inherits"], what
            if found["samples"]:
                assert np.allclose([s["time"] for s in samples], node["times"], rtol=0, atol=1e-12), what
        elif found["kind"] == "curves":
            geometry = members(o["props"], ".geom")["props"]
            check_curves(curves[index], geometry, what, name in TOPOLOGY_CHANGES)
            attributes += check_attributes(mine, geometry, ("width", "uv", "N"), what)
            assert curves[index]["attribute_count"] == len(mine), what
            if "samples" in node:
                assert np.allclose([s["time"] for s in curves[index]["samples"]], node["times"], rtol=0, atol=1e-12), what
            # The reference library refuses what has a problem here, and nothing else.
            assert ("error" in node) == (found["problem"] is not None), f"{what}: {found['problem']}, {node.get('error')}"
        else:
            assert not mine, what
    return len(paths), attributes


def check_truth():
    files = objects = attributes = 0
    paths = sorted((DATA / "alembic/groom").glob("*.abc"))
    for path, hair in zip(paths, dump(*paths), strict=True):
        raw = json.loads(path.with_suffix(".json").read_text())
        schemas = json.loads(path.with_suffix(".geom.json").read_text())
        o, a = check_groom(path.stem, raw, schemas, hair)
        files, objects, attributes = files + 1, objects + o, attributes + a
    assert files >= 300, files
    print(f"# {files} files, {objects} objects, {attributes} attributes")


def check_cyhair():
    """Written and read by the format's own page: a header of 128 bytes, then 16-bit segments and 32-bit floats."""
    files = sorted(DATA.glob("models/hair_other/*/*.hair"))
    assert files
    for path in files:
        data = path.read_bytes()
        strands, points, arrays, segments = struct.unpack_from("<4I", data, 4)
        at, counts = 128, np.full(strands, segments + 1)
        if arrays & 1:
            counts = np.frombuffer(data, "<u2", strands, at).astype(int) + 1
            at += 2 * strands
        [hair] = dump(path)
        curves = hair["curves"][0]
        assert (curves["curve_count"], curves["point_count"]) == (strands, points)
        assert np.array_equal(curves["nVertices"], counts)
        wanted = np.frombuffer(data, "<f4", 3 * points, at)
        at += 12 * points
        assert np.array_equal(np.array(curves["P"], dtype="f4"), wanted)
        found = {a["name"]: a for a in hair["attributes"]}
        for bit, name, extent, default in ((4, "width", 1, 20), (8, "transparency", 1, 24), (16, "groom_color", 3, 28)):
            count = points if arrays & bit else 1
            wanted = np.frombuffer(data, "<f4", extent * count, at if arrays & bit else default)
            at += 4 * extent * count if arrays & bit else 0
            assert np.array_equal(np.array(found[name]["values"], dtype="f4"), wanted), f"{path.name}, {name}"
        assert at == len(data)
        print(f"# {path.name}: {strands} strands, {points} points")


def check_refusals():
    names = {".tfx": "TressFX", ".xml": "an XML scene", ".ecs": "Embree", ".txt": "numbers in text form"}
    files = [p for p in sorted(DATA.glob("models/hair_other/*/*")) if p.suffix in names]
    assert len(files) >= 10
    for path in files:
        run = subprocess.run([DUMP, "--summary", path], capture_output=True, text=True)
        assert run.returncode == 4 and run.stdout == "", f"{path.name}: {run.returncode}"
        assert names[path.suffix] in run.stderr and "export the hair as .abc" in run.stderr, run.stderr


def flatten(value):
    return [x for v in value for x in flatten(v)] if isinstance(value, list) else [value]


def check_written():
    """A groom with all that the schema has, as the reference library's binding reads it."""
    with tempfile.TemporaryDirectory() as folder:
        for kind, samples in (("still", 1), ("moving", 4)):
            path = Path(folder) / f"{kind}.abc"
            subprocess.run([GROOM_WRITE, kind, path], check=True)
            run = subprocess.run([sys.executable, LIBRARY, path], capture_output=True, text=True)
            assert run.returncode == 0, run.stderr
            facts = json.loads(run.stdout.removeprefix("facts "))
            lines = {f[0]: f for f in facts if isinstance(f[0], str)}
            samplings = [f for f in facts if not isinstance(f[0], str)]
            assert len(samplings) == (1 if samples == 1 else 2), samplings
            if samples > 1:
                assert [float(t) for t in samplings[1][1]] == [1 / 24], samplings
                assert samplings[1][0] == samples, samplings
            [hair] = dump(path)
            curves, found = hair["curves"][0], {a["name"]: a for a in hair["attributes"]}
            place = "/hair/strands:.geom/"
            seen = 0
            for name, attribute in found.items():
                owner = {"native": place, "arbitrary": place + ".arbGeomParams/", "user": "/hair:.xform/.userProperties/"}[attribute["place"]]
                line = lines[owner + name]
                assert line[3] == 1, line[:4]
                value = flatten(line[5])
                if attribute["pod"] == "string":
                    assert [v.strip("'\"") for v in value] == attribute["values"], f"{name}: {value}"
                else:
                    same([float(v) for v in value], attribute["values"], attribute["pod"], name)
                seen += 1
            assert seen == 18, sorted(found)  # 13 of the schema and the native width, 4 of the whole groom
            assert lines[place + "P"][3] == lines[place + ".selfBnds"][3] == samples
            for k in range(samples):
                value = [float(v) for v in flatten(lines[place + "P"][5 + 3 * k])]
                same(value, curves["samples"][k]["P"], "float32", f"P, sample {k}")
            verify = subprocess.run([os.environ["BAKEWELL"], "info", "--verify", "--quiet", path], capture_output=True, text=True)
            assert verify.returncode == 0, verify.stdout + verify.stderr


if not DATA.is_dir():
    for test in ("truth", "cyhair", "refusals"):
        print(f"skip data:{test}: no third-party data")
else:
    tap("data:truth", check_truth)
    tap("data:cyhair", check_cyhair)
    tap("data:refusals", check_refusals)
tap("written", check_written)
