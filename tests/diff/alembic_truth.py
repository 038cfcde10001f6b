#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives against what the Alembic reference library reads in them: every header, value, dimension, key and hash of the truth files; real
files against their dumps; and `info --verify`, which must find every file whole."""
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

BAKEWELL = os.environ["BAKEWELL"]
DATA = Path(os.environ["DATA"]) if os.environ.get("DATA") else None
TRUTH_FOLDERS = {"core": 14, "groom": 339, "mesh": 13}
DUMPED_FOLDERS = {"alembic_mesh": 23, "alembic_curves": 10}
# What the reference library reads otherwise than it is stored.  Each must show exactly once, or the list is out of date.
ODDITIES = {
    ("core/c12_dims", "/", "r2_0"): "stored as [0, 4], read as [0]",
    ("core/c12_dims", "/", "r2_0b"): "stored as [4, 0], read as [0]",
}


def info(path, *options):
    """The document, the exit status and the talk of `info --json`."""
    done = subprocess.run([BAKEWELL, "info", "--json", *options, str(path)], capture_output=True, timeout=60)
    return json.loads(done.stdout) if done.stdout else None, done.returncode, done.stderr.decode(errors="replace")


def same_number(pod, ours, theirs):
    """Ours is "NaN", "Infinity" or "-Infinity" where JSON has no number."""
    codes = {"float16": "<e", "float32": "<f", "float64": "<d"}
    if pod not in codes:
        return ours == theirs
    if isinstance(theirs, str) or theirs is None or theirs != theirs or abs(theirs) == float("inf"):
        return isinstance(ours, str) and (ours == "NaN" if theirs in ("nan", None) or theirs != theirs else float(ours) == float(theirs))
    return struct.pack(codes[pod], float(ours)) == struct.pack(codes[pod], float(theirs))


def expand(entries, count):
    """One entry for each logical sample: an entry holds until the next one's index."""
    expanded, at = [], -1
    for index in range(count):
        at += at + 1 < len(entries) and entries[at + 1]["index"] == index
        expanded.append(entries[at])
    return expanded


class Comparison:
    def __init__(self, name):
        self.name, self.why, self.counts, self.odd = name, [], {"objects": 0, "properties": 0, "samples": 0, "values": 0}, {}

    def expect(self, place, what, ours, theirs):
        if ours != theirs:
            self.why.append(f"{self.name} {place}: {what} is {str(ours)[:120]}, expected {str(theirs)[:120]}")

    def sample(self, place, prop, ours, theirs):
        self.counts["samples"] += 1
        if prop["kind"] == "array":
            if ours["dimensions"] != theirs["dims"] and (self.name, *place) in ODDITIES:
                self.odd[(self.name, *place)] = (ours["dimensions"], theirs["dims"])
            else:
                self.expect(place, "dimensions", ours["dimensions"], theirs["dims"])
            self.expect(place, "key", ours["key"], theirs["key"])
            theirs = theirs["v"]
        values = ours["values"]
        self.counts["values"] += len(values)
        if len(values) != len(theirs) or not all(same_number(prop["pod"], a, b) for a, b in zip(values, theirs)):
            self.expect(place, "values", values, theirs)

    def properties(self, path, ours, theirs, prefix=""):
        """Ours is a flat list in order; returns what is left of it."""
        for truth in theirs:
            if not ours:
                self.why.append(f"{self.name} {path}: property {truth['name'][:80]} is missing")
                return ours
            prop, ours = ours[0], ours[1:]
            place = (path, prop["path"])
            self.counts["properties"] += 1
            self.expect(place, "path", prop["path"], prefix + truth["name"])
            self.expect(place, "kind", prop["kind"], truth["kind"])
            self.expect(place, "metadata", prop["metadata"], truth["meta"])
            if truth["kind"] == "compound":
                ours = self.properties(path, ours, truth["props"], prefix + truth["name"] + "/")
                continue
            pod = truth["pod"]
            self.expect(place, "pod", prop["pod"], pod[:-2] if pod.endswith("_t") else pod)
            for key, name in (("extent", "extent"), ("time_sampling", "ts"), ("sample_count", "num_samples"), ("scalar_like", "scalar_like")):
                self.expect(place, key, prop.get(key), truth.get(name))
            self.expect(place, "constant", prop["last_changed"] == 0, truth["constant"])
            entries = prop["samples"]
            if not entries and truth["samples"]:
                self.why.append(f"{self.name} {place}: no sample is read")
                continue
            for one, other in zip(expand(entries, len(truth["samples"])), truth["samples"]):
                self.sample(place, prop, one, other)
            self.expect(place, "number of samples", prop["sample_count"], len(truth["samples"]))
        return ours

    def objects(self, ours, truth):
        """Ours is a flat list in order, each before its children."""
        if not ours:
            self.why.append(f"{self.name}: object {truth['path'][:80]} is missing")
            return ours
        own, ours = ours[0], ours[1:]
        self.counts["objects"] += 1
        place = truth["path"][:80]
        self.expect(place, "path", own["path"], truth["path"])
        self.expect(place, "metadata", own["metadata"], truth["meta"])
        self.expect(place, "properties hash", own["properties_hash"], truth["props_hash"])
        self.expect(place, "children hash", own["children_hash"], truth["children_hash"])
        left = self.properties(truth["path"], own["properties"], truth["props"])
        if left:
            self.why.append(f"{self.name} {place}: {len(left)} properties more than expected")
        for child in truth["children"]:
            ours = self.objects(ours, child)
        return ours

    def head(self, document, truth):
        archive = document["archive"]
        self.expect("archive", "library version", archive["library_version"], truth["abc_version"])
        self.expect("archive", "metadata", archive["metadata"], truth["meta"])
        ours = [(t["max_sample_count"], t["kind"], t.get("time_per_cycle_s"), t["times_s"]) for t in archive["time_samplings"]]
        theirs = [(t["max_samples"], t["ts"]["type"], t["ts"]["per_cycle"], t["ts"]["stored"]) for t in truth["time_samplings"]]
        self.expect("archive", "time samplings", ours, theirs)

    def whole(self, path, truth):
        document, status, talk = info(path, "--values")
        self.expect("archive", "status", status, 0)
        if document is None or "archive" not in document:
            self.why.append(f"{self.name}: {talk[:300]}")
            return
        self.head(document, truth)
        left = self.objects(document["objects"], truth["top"])
        if left:
            self.why.append(f"{self.name}: {len(left)} objects more than expected")


def report(name, why):
    print(f"not ok {name}: {len(why)} differ: {'; '.join(why)[:700]}" if why else f"ok {name}")


def check_truth(folder, least):
    files = sorted(path for path in (DATA / "alembic" / folder).glob("*.abc"))
    why, odd, totals = [], {}, {}
    for path in files:
        comparison = Comparison(f"{folder}/{path.stem}")
        comparison.whole(path, json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
        why += comparison.why
        odd |= comparison.odd
        for key, count in comparison.counts.items():
            totals[key] = totals.get(key, 0) + count
    if len(files) < least:
        why.append(f"{len(files)} files, expected at least {least}")
    print("#", folder, len(files), "files:", totals, "odd:", odd)
    report(f"data: {folder}: every header, value, dimension, key and hash", why)
    expected = {key for key in ODDITIES if key[0].startswith(folder + "/")}
    report(f"data: {folder}: the known oddities, and no others", [] if set(odd) == expected else [f"{odd} against {expected}"])
    return files


def check_verify(name, files):
    """Every whole file is found whole."""
    why = []
    for path in files:
        document, status, talk = info(path, "--verify")
        if status != 0 or document["verify"]["findings"]:
            why.append(f"{path.stem}: status {status}, {talk[:200]}")
    report(f"data: {name}: --verify finds every file whole", why)


DUMP_LINE = re.compile(r"^ +(/.*?) (Xform|PolyMesh|SubD|Curves|Points|NuPatch|Camera|Light|FaceSet)\b(.*)$")
SCHEMA_NAMES = {"Curves": "Curve"}


def check_dump(path):
    """Objects, schemas, samples and times of a real file, as its dump names them."""
    text = path.with_name(path.name + ".abcinfo.txt").read_text(encoding="utf-8", errors="replace")
    document, status, talk = info(path)
    if b"\x89HDF" == path.read_bytes()[:4]:
        return [] if status == 4 and "HDF5" in talk and "abcconvert" in talk else [f"{path.name}: {status}, {talk}"]
    if status != 0:
        return [f"{path.name}: status {status}, {talk[:200]}"]
    why = []
    head = re.search(r"app='(.*)' lib='(.*)' fps=([\d.]+) timeSamplings=(\d+)", text)
    archive = document["archive"]
    if not head:
        why.append(f"{path.name}: its dump has no line on the archive")
    elif (archive["application"] or "", archive["library"] or "", len(archive["time_samplings"])) != (head[1], head[2], int(head[4])):
        why.append(f"{path.name}: {archive['application']}, {archive['library']}, expected {head[0]}")
    objects = {own["path"]: own for own in document["objects"]}
    for line in text.splitlines():
        if not (match := DUMP_LINE.match(line)):
            continue
        own = objects.get(match[1])
        if not own:
            why.append(f"{path.name}: object {match[1]} is missing")
            continue
        kind = SCHEMA_NAMES.get(match[2], match[2])
        if not (own["schema"] or "").startswith("AbcGeom_" + kind):
            why.append(f"{path.name} {match[1]}: schema {own['schema']}, expected {match[2]}")
        samples = re.search(r"\bsamples=(\d+)", match[3])
        counts = [prop["sample_count"] for prop in own["properties"] if prop["kind"] != "compound"]
        if samples and match[2] in ("PolyMesh", "Curves", "SubD", "Points") and int(samples[1]) != next(
                (prop["sample_count"] for prop in own["properties"] if prop["path"] == ".geom/P"), None):
            why.append(f"{path.name} {match[1]}: samples {counts}, expected {samples[1]}")
        times = re.search(r"ts=uniform first=(\S+) dt=(\S+)", match[3])
        if times and match[2] != "Xform":
            used = next(prop["time_sampling"] for prop in own["properties"] if prop["path"] == ".geom/P")
            sampling = archive["time_samplings"][used]
            if f"{sampling['times_s'][0]:g}" != times[1] or f"{sampling['time_per_cycle_s']:g}" != times[2]:
                why.append(f"{path.name} {match[1]}: times {sampling}, expected {times[0]}")
    return why


def check_real(folder, least):
    files = sorted((DATA / "models" / folder).rglob("*.abc"))
    dumped = [path for path in files if path.with_name(path.name + ".abcinfo.txt").exists()]
    why = [line for path in dumped for line in check_dump(path)]
    why += [f"{len(dumped)} files have a dump, expected {least}"] if len(dumped) < least else []
    report(f"data: {folder}: {len(dumped)} real files as their dumps say", why)
    whole = [path for path in files if path.read_bytes()[:5] == b"Ogawa"]
    check_verify(folder, whole)
    failing = [f"{path.name}: {document}" for path in whole for document, status, _ in [info(path, "--values")] if status != 0]
    report(f"data: {folder}: every sample of {len(whole)} real files can be read", failing)


def main():
    if DATA is None or not (DATA / "alembic/core").is_dir():
        print("skip data: truth files: no folder alembic in the third-party data")
        return
    for folder, least in TRUTH_FOLDERS.items():
        check_verify(folder, check_truth(folder, least))
    for folder, least in DUMPED_FOLDERS.items():
        check_real(folder, least)


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    main()
