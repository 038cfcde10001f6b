# SPDX-License-Identifier: MIT
"""The schema layer against the reference library's truth: transforms, meshes, points, curves and attributes of every file of the test data, each
sample and value; and what must be refused, since it does not fit its own topology."""
import json
import os
import subprocess
from pathlib import Path

import numpy as np
from bake import tap

DATA = Path(os.environ["DATA"] or "absent") / "alembic"
TOOL = Path(os.environ["BAKEWELL"]).parent / "tests/tools/abc_geom"

# Files of which the reference library refuses objects that hold what the field needs; this project reads them.
READS_MORE = {"p_as_raw_variants"}


def walk(node):
    """Objects of the truth that are no instance, nor below one."""
    if node is None or node.get("instance_root") or node.get("instance_desc"):
        return
    yield node
    for child in node["children"]:
        yield from walk(child)


def close(a, b, what, tolerance=2e-6):
    a, b = np.array(a, dtype=float).ravel(), np.array([np.nan if v is None else v for v in np.array(b, dtype=object).ravel()], dtype=float)
    assert a.shape == b.shape, f"{what}: {a.shape} values, expected {b.shape}"
    off = np.abs(a - b) > tolerance * np.maximum(1, np.abs(b))
    assert not off.any(), f"{what}: value {np.argmax(off)} is {a[off][0]}, expected {b[off][0]}"


def flat(values):
    return [x for v in values for x in (flat(v) if isinstance(v, list) else [v])]


def compare_values(found, expected, what):
    expected = flat(expected)
    assert len(found) == len(expected), f"{what}: {len(found)} values, expected {len(expected)}"
    if expected and isinstance(expected[0], str):
        assert found == expected, what
    else:
        close(found, expected, what)


def compare_param(found, expected, what):
    assert found is not None, f"{what} is missing"
    if isinstance(expected, str):  # the reference's typed reader does not take the extent, or an index is out of range
        if expected == "index_out_of_range":
            assert not all(s.get("in_range") for s in found["samples"]), what
        return
    for key in ("scope", "indexed", "array_extent", "num_samples"):
        assert found[key] == expected[key], f"{what}: {key} is {found[key]}, expected {expected[key]}"
    for k, (a, b) in enumerate(zip(found["samples"], expected["samples"])):
        compare_values(a["expanded"], b["expanded"], f"{what}, sample {k}")


def finite(values):
    return all(not isinstance(v, str) and v is not None and np.isfinite(v) for v in flat(values))


def curves_fit(sample):
    counts = sample["nVertices"]
    return (min(counts, default=0) >= 0 and sum(counts) == len(sample["P"]) and finite(sample["P"])
            and sample["type"] < 3 and sample["wrap"] < 2 and sample["basis"] < 6)


def mesh_fits(sample):
    counts, indices = sample["faceCounts"], sample["faceIndices"]
    total = sum(counts)
    return (min(counts, default=0) >= 0 and total <= len(indices) and finite(sample["P"])
            and all(0 <= i < len(sample["P"]) for i in indices[:total]))


def compare_xform(found, expected, what):
    assert found["num_ops"] == expected["num_ops"], what
    assert found["animated"] == (not expected["constant"]), what
    matrices = expected["matrices"]
    assert len(found["matrices"]) == max(len(matrices), 1), f"{what}: {len(found['matrices'])} matrices, expected {len(matrices)}"
    for k, (a, b) in enumerate(zip(found["matrices"], matrices)):
        assert a["inherits"] == b["inherits"], f"{what}, sample {k}"
        close(a["m"], b["m"], f"{what}, sample {k}", 1e-11)  # the truth is printed with twelve digits
    for a, b in zip(found["matrices"], expected["times"]):
        close(a["time"], b, f"{what}: time", 1e-12)


def compare_samples(found, expected, keys, what):
    assert len(found["samples"]) == len(expected["samples"]), what
    for k, (a, b) in enumerate(zip(found["samples"], expected["samples"])):
        close(a["time"], expected["times"][k], f"{what}: time of sample {k}", 1e-12)
        for key in keys:
            if key in b or key in a:
                wanted = b.get(key, [])
                if key == "faceIndices":
                    wanted = wanted[:sum(b["faceCounts"])]
                compare_values(a[key] if isinstance(a.get(key), list) else [a.get(key)], wanted if isinstance(wanted, list) else [wanted],
                               f"{what}, sample {k}, {key}")


def compare(found, expected, what):
    schema = expected["schema"]
    if schema == "xform":
        compare_xform(found, expected, what)
    elif schema == "polymesh":
        if not all(mesh_fits(s) for s in expected["samples"]):
            assert "error" in found, f"{what}: read, but its faces do not fit its points"
            return 1
        assert "error" not in found, found.get("error")
        compare_samples(found, expected, ("P", "faceIndices", "faceCounts"), what)
    elif schema == "curves":
        if not all(curves_fit(s) for s in expected["samples"]):
            assert "error" in found, f"{what}: read, but its counts do not fit its points"
            return 1
        assert "error" not in found, found.get("error")
        compare_samples(found, expected, ("P", "nVertices", "type", "wrap", "basis", "orders", "knots", "w"), what)
    for key in ("uv", "N", "width"):
        if key in expected:
            compare_param(found.get(key), expected[key], f"{what}, {key}")
    for key, value in expected.get("arb", {}).items():
        compare_param(found["arb"].get(key), value, f"{what}, {key}")
    return 0


def check_folder(folder):
    files, objects, refused = 0, 0, 0
    for truth_path in sorted((DATA / folder).glob("*.geom.json")):
        name = truth_path.name.removesuffix(".geom.json")
        truth = json.loads(truth_path.read_text())
        run = subprocess.run([TOOL, truth_path.with_name(name + ".abc")], capture_output=True, text=True)
        assert run.returncode == 0, f"{name}: {run.stderr}"
        found = {o["path"]: o for o in json.loads(run.stdout)}
        files += 1
        for expected in walk(truth):
            ours = found.get(expected["path"])
            assert ours is not None, f"{name}{expected['path'][:200]}: not found"
            objects += 1
            if "error" in expected:
                assert "error" in ours or name in READS_MORE, f"{name}{expected['path']}: read, the reference says {expected['error']}"
                refused += "error" in ours
                continue
            refused += compare(ours, expected, f"{name}{expected['path']}")
    assert files, folder
    print(f"# {folder}: {files} files, {objects} objects, {refused} refused as they must be")


if not DATA.is_dir():
    for folder in ("core", "groom", "mesh"):
        print(f"skip data:{folder}: no third-party data")
else:
    for folder in ("core", "groom", "mesh"):
        tap(f"data:{folder}", check_folder, folder)
