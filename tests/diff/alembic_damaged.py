#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damaged archives: none crashes or hangs the program, which lists, verifies and bakes them; each refusal is one sentence with status 4, 5 or 6 that
names the part; and what the reference library reads without complaint is read too, or refused for a true reason."""
import collections
import json
import os
import re
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BAKEWELL, TMP = os.environ["BAKEWELL"], Path(os.environ["TMPDIR"])
DATA = Path(os.environ["DATA"]) if os.environ.get("DATA") else None
TIME_LIMIT_S = 20  # the slowest takes 0.1 s; sanitizers and a busy machine are the rest
REFUSALS = (4, 5, 6)
LEAST_FILES, LEAST_MALFORMED = 1874, 23
# Why we refuse what the reference library reads: the sentence must hold one of these.
TRUE_REASONS = {
    "too few bytes for a part": r"runs past the end|does not end with its entry",
    "a part beyond the file": r"should be at byte|claims \d+ (parts|bytes)",
    "an object without the parts it must have": r"expected at least (its properties and|the 32 of) its hashes",
    "a part of the wrong kind": r"is marked as (data|a group)",
    "a list that names more than its group holds": r"its list names \d+",
    "groups used twice": r"unfold to more than|run(s)? in a circle",
    "samples that are not stored": r"is missing: its group holds|changes between its samples",
    "bytes that make no whole points": r"hold no whole number|dimensions (ask for|take)|a multiple of",
    "strings without end": r"does not end, expected a zero|the \d+ of its type",
    "a name no exporter writes": r"name is \"",
    "no such type": r"is of type|has 0 values a point|uses time sampling|metadata table is used",
    "times that do not rise": r"time sampling \d+",
    "a head no exporter writes": r"byte 5 is|version",
    "values of another size": r"has \d+ (values|dimensions|strings)|take \d+ bytes",
}
# A refusal names an object or another part of the file, or says what the file is instead.
PARTS = re.compile(
    r"object /|the top object|[Tt]ime sampling|metadata table|root group|byte \d|the (library|file)'s version|version \d|file version|archive's head|never finished"
    r"|starts with the bytes|file is empty|is (an? )?(HDF5|Git LFS|nothing but zeros|HTML|XML|JSON)|there is no mesh to bake")
VALUES, VERIFY = ["info", "--json", "--values"], ["info", "--json", "--verify"]
BAKE = ["vat", "--json", "--static", "-o", str(TMP / "baked")]


def run(path, command):
    """Exit status (negative: a signal; None: no end in time), document and last line of talk."""
    name = [f"--name={path.stem}"] if command is BAKE else []
    try:
        done = subprocess.run([BAKEWELL, *command, *name, str(path)], capture_output=True, timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        return None, None, ""
    text = "\n".join(line for line in done.stderr.decode(errors="replace").strip().splitlines() if not line.startswith("bakewell: warning: "))
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = None
    return done.returncode, document, text


def report(name, why):
    print(f"not ok {name}: {len(why)}: {'; '.join(why)[:700]}" if why else f"ok {name}")


def check_outcomes(name, files, command):
    """Runs all; a bad one crashes, hangs, prints no document, or does not say on stderr what it refuses."""
    with ThreadPoolExecutor(2) as pool:
        outcomes = dict(zip(files, pool.map(lambda path: run(path, command), files)))
    allowed = (0, *REFUSALS) if command is not VERIFY else (0, 1, *REFUSALS)
    why = []
    for path, (status, document, talk) in outcomes.items():
        if status not in allowed or document is None:
            why.append(f"{path.name}: status {status}, {talk[-200:]}")
        elif status != 0 and (not talk.startswith("bakewell: error: ") or "\n" in talk or len(talk) > 1200):
            why.append(f"{path.name}: status {status} with the talk {talk[:200]!r}")
        elif status in REFUSALS and not PARTS.search(talk):
            why.append(f"{path.name}: names no part: {talk[:200]!r}")
    report(name, why)
    return outcomes


def check_reasons(outcomes, reference):
    """What the reference library reads is read, or refused for one of the reasons above; counts both."""
    counts, why = collections.Counter(), []
    for path, (status, _, talk) in outcomes.items():
        theirs = reference[path.stem]["reference_library"]["mmap"].split()[0]
        kind = {"OK": "read", "SIGNAL": "crashes", "HANG": "hangs"}.get(theirs, "refuses")
        counts[f"the library {kind}, we {'read' if status == 0 else 'refuse'}"] += 1
        if theirs == "OK" and status != 0:
            reasons = [reason for reason, pattern in TRUE_REASONS.items() if re.search(pattern, talk)]
            counts[f"  for {reasons[0] if reasons else '?'}"] += 1
            if not reasons:
                why.append(f"{path.name}: {talk}")
    for line, count in sorted(counts.items()):
        print(f"# {line}: {count}")
    report("data: what the reference library reads is read, or refused for a true reason", why)


def check_corrupt(folder):
    files = sorted(folder.glob("*.abc"))
    reference = json.loads((DATA / "alembic/corrupt.json").read_text(encoding="utf-8"))
    if len(files) < LEAST_FILES:
        report("data: damaged archives are there", [f"{len(files)} files, expected {LEAST_FILES}"])
    outcomes = check_outcomes("data: damaged archives: every value is read or refused", files, VALUES)
    check_reasons(outcomes, reference)
    verified = check_outcomes("data: damaged archives: --verify ends with an answer", files, VERIFY)
    baked = check_outcomes("data: damaged archives: baked or refused", files, BAKE)
    print(f"# {sum(status == 0 for status, _, _ in baked.values())} of {len(files)} baked")
    silent = [path.stem for path, (status, _, _) in verified.items() if status == 0]
    print(f"# --verify calls {len(files) - len(silent)} of {len(files)} damaged, {len(silent)} whole: {' '.join(silent[:60])}")


def check_truncations():
    """Small files cut at every byte, as they are and with their root group put at the new end; read by the fuzz harness, which looks at all."""
    whole = sorted((path for path in (DATA / "alembic").glob("*/*.abc") if path.stat().st_size > 1000), key=lambda path: path.stat().st_size)[:3]
    folder, count = TMP / "cut", 0
    folder.mkdir()
    for number, path in enumerate(whole):
        data = path.read_bytes()
        root = int.from_bytes(data[8:16], "little")
        for size in range(len(data)):
            (folder / f"{number}_{size}.abc").write_bytes(data[:size])
        for size in range(16, root):
            (folder / f"{number}_{size}_root.abc").write_bytes(data[:8] + size.to_bytes(8, "little") + data[16:size] + data[root:])
        count += len(data) + root - 16
    harness = Path(os.environ["BW_BUILD"]) / "tests/fuzz/alembic_archive_fuzz"
    done = subprocess.run([harness, folder], capture_output=True, text=True, timeout=600)
    last = done.stdout.strip().splitlines()[-1:]
    report(f"data: {count} truncations of {', '.join(path.stem for path in whole)}",
           [] if done.returncode == 0 and last == [f"{count} inputs replayed"] else [f"status {done.returncode}, {last}, {done.stderr[-300:]}"])


def check_malformed():
    files = sorted((DATA / "models/alembic_malformed").rglob("*.abc"))
    if len(files) < LEAST_MALFORMED:
        report("data: regression files of the reference library are there", [f"{len(files)} files, expected {LEAST_MALFORMED}"])
    check_outcomes("data: regression files of the reference library: every value is read or refused", files, VALUES)
    check_outcomes("data: regression files of the reference library: --verify ends with an answer", files, VERIFY)
    check_outcomes("data: regression files of the reference library: baked or refused", files, BAKE)


def main():
    archive = DATA / "alembic/corrupt.tar.gz" if DATA else None
    if not archive or not archive.is_file():
        print("skip data: damaged archives: no alembic/corrupt.tar.gz in the third-party data")
        return
    with tarfile.open(archive) as packed:
        packed.extractall(TMP, filter="data") if hasattr(tarfile, "data_filter") else packed.extractall(TMP)
    check_corrupt(TMP / "corrupt")
    check_malformed()
    check_truncations()


if __name__ == "__main__":
    main()
