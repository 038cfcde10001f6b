# SPDX-License-Identifier: MIT
"""The choice among ways to bake: what it takes for what moves how, that it keeps its bounds by its own files, and what it says of the others.

`auto.py --all` tries every model with every bound; else the larger ones are tried with two bounds or one."""
import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bake import TMP, bake, make_assets, run, tap
from gltf import Gltf

HERO, SCOUT, CRATES, FLAG = make_assets(TMP, "hero", "scout", "crates", "flag")
BOUNDS = ("1%", "0.2%", "0.05%", "0.01%", "0.002%", "0.0005%", "1cm", "1mm", "0.1mm", "0.01mm")
FEW = ("0.05%", "0.001%")
# Products of vertices and frames above which a model gets FEW, or the default bound alone.
MANY, MOST = 30_000, 3_000_000


def within(row, bound):
    number = float(bound.rstrip("cm%"))
    if bound.endswith("%"):
        return row["stored"]["max_relative"] <= number / 100
    return row["stored"]["max"] <= number * (0.001 if bound.endswith("mm") else 0.01)


def chosen(document):
    rows = [row for row in document["candidates"] if row["chosen"]]
    assert len(rows) == 1, document["candidates"]
    return rows[0]


def check_choice(document, bound):
    """The row that is chosen fits, and every smaller one was measured and does not; or none fits, and it is the nearest."""
    row, others = chosen(document), [row for row in document["candidates"] if not row["chosen"]]
    assert row["stored"], row
    for other in document["candidates"]:
        assert other["stored"] is None or other["fits"] == within(other, bound), (other, bound)
    if document["status"] == 0:
        assert row["fits"], row
        for other in others:
            if other["bytes"] and other["bytes"] < row["bytes"]:
                assert other["stored"] and not other["fits"], f"{other} is smaller than {row}"
    else:
        assert document["failure"]["code"] == "BW_ERR_BOUND_MISSED", document["failure"]
        key = "max_relative" if bound.endswith("%") else "max"
        for other in others:
            assert other["bytes"] is None or not other["fits"], other
            assert other["stored"] is None or other["stored"][key] >= row["stored"][key], f"{other} is nearer than {row}"
    return row


def keeps(scene, bound, *options):
    """Bakes within a bound and verifies with the same; returns the row that was chosen, or None where nothing keeps the bound."""
    out = TMP / f"keeps-{abs(hash((str(scene), bound, options)))}"
    document = bake(scene, out, f"--max-error={bound}", "--mode=auto", *options)
    try:
        assert document["status"] in (0, 1), document["failure"]
        row = check_choice(document, bound)
        done = run("verify", document["manifest"], "--against", scene, f"--max-error={bound}", "--json")
        verified = json.loads(done.stdout)
        assert done.returncode == document["status"], f"{bound}: verify ends with {done.returncode}, the bake with {document['status']}: {done.stderr}"
        assert verified["findings"] == [] and verified["mode"] == document["mode"] == row["mode"], (verified["findings"], verified["mode"], row)
        assert verified["error"]["stored"] == document["error"]["stored"]
        return row if document["status"] == 0 else None
    finally:
        shutil.rmtree(out, ignore_errors=True)


# ---- what is taken for what ----

def cloth():
    """A grid that a morph target bends: nothing of it moves as a whole."""
    g = Gltf()
    n = 12
    points = [[i / n, 0.0, j / n] for j in range(n + 1) for i in range(n + 1)]
    bent = [[0.0, 0.3 * (i / n) * (1 - i / n) * (j / n), 0.0] for j in range(n + 1) for i in range(n + 1)]
    faces = [v for j in range(n) for i in range(n) for v in
             (j * (n + 1) + i, j * (n + 1) + i + 1, (j + 1) * (n + 1) + i, j * (n + 1) + i + 1, (j + 1) * (n + 1) + i + 1, (j + 1) * (n + 1) + i)]
    node = g.node(mesh=g.mesh(points, mode=4, indices=faces, targets=[{"POSITION": bent}]))
    g.animation("Wave", (node, "weights", [0, 0.5, 1], [0, 1, 0]))
    return g.write(TMP / "cloth.gltf")


def takes(scene, mode, words):
    def test():
        document = bake(scene, TMP / f"takes-{mode}", "--mode=auto")
        assert document["status"] == 0 and document["mode"] == mode, (document["mode"], document["why"])
        assert words in document["why"], document["why"]
        assert json.loads(Path(document["manifest"]).read_text())["mode"] == mode
        check_choice(document, "0.05%")
    return test


def ties():
    """Of two ways of one size the simpler is taken: PNG of 16 bits before 10, which needs as much for its second texture."""
    document = bake(FLAG, TMP / "ties", "--dry-run", "--mode=auto")
    row = chosen(document)
    equal = [other for other in document["candidates"] if other["bytes"] == row["bytes"] and other["fits"]]
    assert row["format"] == "png16" and len(equal) > 1 and equal[0] is row, document["candidates"]


# ---- bounds ----

def missed():
    """What no format can keep: status 1, each way's error in the table, the nearest one written and its bytes whole."""
    document = bake(FLAG, TMP / "missed", "--mode=auto", "--max-error=0.000000001mm", "--format=png16")
    assert document["status"] == 1 and document["failure"]["code"] == "BW_ERR_BOUND_MISSED", document
    check_choice(document, "0.000000001mm")
    assert all(row["stored"] or not row["bytes"] for row in document["candidates"]), document["candidates"]
    assert run("verify", document["manifest"]).returncode == 0
    again = bake(FLAG, TMP / "missed", "--mode=auto", "--max-error=0.000000001mm", "--format=png16")
    assert again["up_to_date"] and again["status"] == 1, again


def default_missed():
    """A bound that nobody gave ends no bake: a clip of 30 km in half floats."""
    g = Gltf()
    node = g.node(mesh=g.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]]))
    g.animation("Far", (node, "translation", [0, 1], [[30000, 0, 0], [30001, 0, 0]]))
    scene = g.write(TMP / "far.gltf")
    document = bake(scene, TMP / "default", "--format=exr16", "--mode=auto")
    assert document["status"] == 0, document
    codes = [warning["code"] for warning in document["warnings"]]
    assert ("default-bound-missed" in codes) == (not chosen(document)["fits"]) and len(document["candidates"]) > 1, (codes, document["candidates"])


def between():
    """--max-between is a gate of its own, and of the rates that keep it the lowest is taken."""
    free = bake(FLAG, TMP / "rate", "--mode=auto")
    bound = 1000 * free["error"]["between"]["max"] * 6
    half = bake(FLAG, TMP / "rate", "--mode=auto", f"--max-between={bound:.6f}mm", "--rate-fractions=4")
    row = chosen(half)
    assert half["status"] == 0 and row["rate_divisor"] > 1 and row["between"]["max"] * 1000 <= bound, row
    assert half["frames"] < free["frames"] and abs(half["clips"][0]["rate"] * row["rate_divisor"] / free["clips"][0]["rate"] - 1) < 0.1
    done = run("verify", half["manifest"], "--against", FLAG, f"--max-between={bound:.6f}mm")
    assert done.returncode == 0, done.stderr
    strict = bake(FLAG, TMP / "rate", "--mode=auto", "--max-between=0.000001mm")
    assert strict["status"] == 1 and "between" in strict["failure"]["message"], strict


# ---- dry runs ----

def dry():
    """Measures every way there is, as bakes of each would, and leaves nothing: not there, and not in the temporary folder."""
    out, temporary = TMP / "dry", TMP / "dry-tmp"
    temporary.mkdir()
    done = run("vat", CRATES, "--dry-run", "--json", "--mode=auto", cwd=temporary, env=dict(os.environ, TMPDIR=str(temporary)))
    document = json.loads(done.stdout)
    assert done.returncode == 0 and document["dry_run"] and not list(temporary.iterdir()), list(temporary.iterdir())
    bake(CRATES, out, "--dry-run", "--mode=auto")
    assert not out.exists()
    for row in document["candidates"]:
        assert (row["stored"] is None) == (row["bytes"] is None), row
        if not row["stored"]:
            continue
        single = bake(CRATES, TMP / "single", f"--mode={row['mode']}", f"--format={row['format']}")
        assert single["texture"]["bytes"] == row["bytes"], (row, single["texture"])
        for kind in ("stored", "between"):
            assert all(single["error"][kind][key] == row[kind][key] for key in ("max", "max_relative")), (row, single["error"][kind])


def dry_beside_files():
    """Files that are there stay as they are, and count for nothing."""
    out = TMP / "beside"
    bake(CRATES, out, "--mode=auto")
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()}
    document = bake(CRATES, out, "--mode=auto", "--dry-run")
    assert not document["up_to_date"] and document["dry_run"]
    assert before == {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()}
    assert bake(CRATES, out, "--mode=auto")["up_to_date"]


# ---- all models ----

def check_model(models, row, everything):
    path, work = row[0], int(row[2]) * int(row[4])
    bounds = BOUNDS if everything or work <= MANY else FEW if work <= MOST else FEW[:1]
    figures = []
    try:
        for bound in bounds:
            taken = keeps(models / path, bound, "--static", "--max-bytes=2GiB")
            figures.append(f"{bound}={taken['mode']}/{taken['format']}/{taken['bytes']}" if taken else f"{bound}=none")
    except AssertionError as failure:
        return f"not ok data:{path}: {failure}".replace("\n", " | "), figures
    return f"ok data:{path}", figures


def check_models(everything):
    table = Path(__file__).with_name("models.tsv").read_text().splitlines()[1:]
    rows = [row for row in (line.split("\t") for line in table) if row[0].startswith("gltf/") and row[1] == "BW_OK"]
    if not os.environ.get("DATA"):
        for row in rows:
            print(f"skip data:{row[0]}: no third-party data")
        return
    with ThreadPoolExecutor(2) as pool:
        for line, figures in pool.map(lambda row: check_model(Path(os.environ["DATA"]) / "models", row, everything), rows):
            print(line, flush=True)
            if everything:
                print("   ", " ".join(figures), flush=True)


def main():
    tap("a skinned character takes bones", takes(SCOUT, "bone", "3715 of 3877 vertices are skinned; bones are the smallest within 0.05 %"))
    tap("crates take pieces", takes(CRATES, "rigid", "every part moves as a whole; pieces are the smallest within 0.05 %"))
    tap("cloth takes vertices", takes(cloth(), "vertex", "vertices are the smallest within 0.05 %"))
    tap("ties", ties)
    tap("a bound that nothing keeps", missed)
    tap("the default bound", default_missed)
    tap("rates and the bound between frames", between)
    tap("dry run", dry)
    tap("dry run beside files", dry_beside_files)
    for bound in BOUNDS:
        tap(f"hero within {bound}", lambda: keeps(HERO, bound))
    check_models(sys.argv[1:] == ["--all"])


main()
