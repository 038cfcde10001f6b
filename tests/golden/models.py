# SPDX-License-Identifier: MIT
"""Every third-party glTF file, valid and malformed: what becomes of it stands in models.tsv, line by line; every bake keeps 1e-5 of the diagonal.
`models.py --print` prints the table as it is now, to be read against the files before it is kept."""
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bake import TMP, bake, run

TABLE = Path(__file__).with_suffix(".tsv")
# Half a code of 16 bits an axis is 7.63e-6 of the diagonal; the rest is float rounding.
BOUND = 1e-5


def outcome(models, path):
    """The row of a file, and the largest error of its bake over the clip's diagonal."""
    name = path.replace("/", "_")
    # A file without a clip bakes its rest pose; the largest characters need more than the default limit.
    document = bake(models / path, TMP / name, "--static", "--max-bytes=2GiB", f"--name={Path(path).stem}")
    if document["status"]:
        return [path, document["failure"]["code"], "", "", "", ""], 0.0
    verified = run("verify", document["manifest"])
    assert verified.returncode == 0, f"verify ends with {verified.returncode}: {verified.stderr}"
    frames = sum(clip["frame_count"] for clip in document["clips"])
    codes = " ".join(sorted(warning["code"] for warning in document["warnings"]))
    for output in document["outputs"]:
        Path(output["path"]).unlink()
    return [path, "BW_OK", str(document["vertices"]), str(len(document["clips"])), str(frames), codes], document["error"]["stored"]["max_relative"]


def files(models):
    return sorted(str(p.relative_to(models)) for folder in ("gltf", "gltf_malformed") for p in (models / folder).rglob("*.gl[bt]*") if p.is_file())


def check(models, path, expected):
    try:
        row, error = outcome(models, path)
    except AssertionError as failure:
        return f"not ok data:{path}: {failure}".replace("\n", " | ")
    if row != expected:
        return f"not ok data:{path}: expected {expected}, found {row}"
    if error > BOUND:
        return f"not ok data:{path}: the stored error is {error:.3g} of the diagonal"
    return f"ok data:{path}"


def main():
    data = os.environ.get("DATA")
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]] if TABLE.exists() else []
    if not data:
        for row in rows:
            print(f"skip data:{row[0]}: no third-party data")
        return
    models = Path(data) / "models"
    with ThreadPoolExecutor(2) as pool:
        if sys.argv[1:] == ["--print"]:
            print("\t".join(["file", "result", "vertices", "clips", "frames", "warnings"]))
            for row, _ in pool.map(lambda path: outcome(models, path), files(models)):
                print("\t".join(row))
            return
        expected = {row[0]: row for row in rows}
        present = files(models)
        for path in sorted(set(expected) - set(present)):
            print(f"not ok data:{path}: in the table, but not in the data")
        for line in pool.map(lambda path: check(models, path, expected.get(path)), present):
            print(line, flush=True)


main()
