# SPDX-License-Identifier: MIT
"""Repair of whole files by the program: every groom that has a strand, repaired, is taken by every engine without an error or a warning; repairing the
result again gives the same bytes; strands, shape and values survive.  Over the grooms of the test data and over real hair."""
import json
import os
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from bake import tap
from groom_truth import compare_shape, repair, true_strands, walk

DATA = Path(os.environ["DATA"] or "absent")
BAKEWELL = os.environ["BAKEWELL"]
OUT = Path(os.environ["TMPDIR"])
ENGINES = ["unreal5.0", "unreal5.3", "unreal5.4", "unreal5.8", "unity"]

# Strands by the index of the test data; of the hidden and the scalp beside it nothing is left.
REAL = {"groom_cache_30fps_start1001": 477, "groom_mohawk_two_groups_xform": 2228, "groom_one_object_per_strand": 186, "groom_sintel_guides_and_strands": 209,
        "groom_with_mesh_and_hidden_curves": 248, "cortex_curves": 3, "cortex_widthTest": 2}


def groom(*arguments):
    """Status and document of a call."""
    done = subprocess.run([BAKEWELL, "groom", "--json", *map(str, arguments)], capture_output=True, text=True)
    assert done.stdout, f"status {done.returncode}, nothing printed: {done.stderr[-300:]}"
    return done.returncode, json.loads(done.stdout)


def complaints(document):
    return [f"{f['code']} ({f['place']}: {f['message']})" for f in document["findings"] if f["level"] in ("error", "warning")]


def repair_twice(file, *options):
    """Repairs, asks every engine, repairs again.  Returns the first document and the file written."""
    out, again = OUT / f"{file.stem}.abc", OUT / f"{file.stem}.again.abc"
    status, document = groom(file, "-o", out, *options)
    if status == 4:
        assert document["failure"]["code"] == "BW_ERR_NO_CURVES", document["failure"]
        assert not out.exists(), "a file was written all the same"
        return document, None
    assert status == 0, f"status {status}: {document.get('failure', document.get('findings'))}"
    for engine in ENGINES:
        status, verdict = groom(out, f"--engine={engine}")
        assert status == 0 and verdict["accepted"], f"{engine} refuses the repaired file: {complaints(verdict)}"
        assert not complaints(verdict), f"{engine}: {complaints(verdict)}"
    status, second = groom(out, "-o", again)
    assert status == 0, second
    assert second["changes"] == [], f"repaired again: {second['changes']}"
    assert out.read_bytes() == again.read_bytes(), "repaired again it has other bytes"
    return document, out


def changes_of(document):
    return {c["code"]: c["count"] for c in document["changes"]}


def one_groom(file):
    truth = json.loads(file.with_suffix(".geom.json").read_text())
    document, out = repair_twice(file)
    if any("error" in node for node in walk(truth)):
        return
    assert (out is not None) == bool(true_strands(truth)), "repaired though it has no strand" if out else "refused though it has one"
    if out is None:
        return
    found = repair([out])[0]
    if "guides-added" in changes_of(document):  # copies, which the source has not
        without_guides(found)
    found["shape_error_cm"] = document["written"]["shape_error_cm"]
    compare_shape(found, truth)


def without_guides(found):
    ends = np.cumsum([0] + found["counts"])
    keep = [i for i, guide in enumerate(found["guides"]) if not guide]
    points = np.array(found["positions"]).reshape(-1, 3)
    found["positions"] = np.vstack([points[ends[i]:ends[i + 1]] for i in keep]).ravel().tolist()
    found["counts"] = [found["counts"][i] for i in keep]


def strands_of_cyhair(file):
    magic, strands = struct.unpack("<4sI", file.read_bytes()[:8])
    assert magic == b"HAIR"
    return strands


def one_real(file, strands):
    document, out = repair_twice(file)
    assert out, document
    written = document["written"]
    assert written["strands"] == strands, f"{written['strands']} strands, expected {strands}"
    assert written["shape_error_cm"] <= 0.01, f"{written['shape_error_cm']} cm off"


# What is asked for stands in the file: repaired again without options, it stays.
OPTIONS = [["--points=16"], ["--group-by=object"], ["--group-by=none"], ["--flip-v"], ["--tolerance=1mm"], ["--tolerance=0.1%"], ["--up=y", "--units=m"],
           ["--width=0.02", "--taper=0.5"], ["--guides=0.5"], ["--decimate=0.5"], ["--from=blender"]]


def with_options(file, *options):
    name = f"{file.stem}{'_'.join(options)}".replace("=", "_").replace("%", "percent")
    out, again = OUT / f"{name}.abc", OUT / f"{name}.again.abc"
    status, document = groom(file, "-o", out, *options)
    assert status == 0, f"status {status}: {document.get('failure', document.get('findings'))}"
    status, second = groom(out, "-o", again)
    assert status == 0 and second["changes"] == [], f"repaired again: {second}"
    assert out.read_bytes() == again.read_bytes(), "repaired again it has other bytes"
    if "--points=16" in options:
        assert document["written"]["points"] == 16 * (document["written"]["strands"] + document["written"]["guides"])


def all_of(name, test, cases):
    with ThreadPoolExecutor(2) as pool:
        for case, done in [(c, pool.submit(test, *c)) for c in cases]:
            tap(f"data:{name} {case[0].stem}", done.result)


def main():
    grooms = sorted((DATA / "alembic/groom").glob("*.abc"))
    real = [(file, REAL[file.parent.name]) for file in sorted((DATA / "models/alembic_curves").glob("*/*.abc")) if file.parent.name in REAL]
    real += [(file, strands_of_cyhair(file)) for file in sorted((DATA / "models/hair_other").glob("*/*.hair"))]
    if not grooms or not real:
        print("skip data: no grooms to repair")
        return
    assert len(real) >= len(REAL) + 1, f"{len(real)} files of real hair"
    all_of("repaired", one_groom, [(file,) for file in grooms])
    all_of("real", one_real, real)
    for stem in ("basis_cubic_bspline", "group_per_object_no_attr", "xform_animated", "g002_full_canonical"):
        for options in OPTIONS:
            tap(f"data:{stem} {' '.join(options)}", with_options, DATA / f"alembic/groom/{stem}.abc", *options)


main()
