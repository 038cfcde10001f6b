#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of every tier, two programs at a time, and counts what passed, failed and was skipped.

usage: run.py [--root=DIR] [--build=DIR] [--only=GLOB]... [--floor=NAME]... [--jobs=N] [--timeout=SECONDS] [--tap COMMAND ARG...]

What is run, and under which name:
  check/NAME     tools/check_NAME.py
  unit/NAME      build/tests/unit/NAME for each tests/unit/NAME.c: cmocka.  `skip()` follows print_message("skip: reason\\n").
  cli/NAME       tests/cli/NAME.test: one command, its status, its whole stdout and stderr (see CliTest)
  fuzz/NAME      build/tests/fuzz/NAME_fuzz over tests/fuzz/seeds/NAME and tests/fuzz/crashers/NAME
  golden/NAME, diff/NAME, meta/NAME, consume/NAME      tests/KIND/NAME.py, a script that prints a line a test:
                 `ok NAME`, `not ok NAME: why` or `skip NAME: reason`.  Files that begin with _ are modules of the others.
--tap runs one more script of that kind instead, under its own name.

A test whose name begins with `data` (cmocka: data_…, scripts: data:…, cli: a `needs:` line) reads third-party data, is skipped where that
is absent, and counts towards a floor of its own.  tests/FLOORS names how many tests must have run: the lines `own` and `data` for a full run,
others for a run with --floor=NAME.  A run of no test fails.

Scripts and commands see: BAKEWELL the program, ASSETS a folder of generated scenes, DATA the third-party data, BW_ROOT, BW_BUILD,
BW_NODE_MODULES the npm packages, TMPDIR an empty folder of their own (also the working folder of cli tests), PYTHONPATH=tests/lib.
"""
import argparse
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

OK, FAIL, SKIP = "ok", "not ok", "skip"


class Result:
    def __init__(self, status, name, why="", data=False):
        self.status, self.name, self.why, self.data = status, name, why, data


class Context:
    """Folders of a run, and the environment that tests see."""

    def __init__(self, args):
        self.root = Path(args.root).resolve()
        self.build = Path(args.build).resolve() if args.build else self.root / "build"
        self.tests = self.root / "tests"
        self.data = Path(os.environ.get("BW_TEST_DATA") or self.root / "../shared/data").resolve()
        self.timeout = args.timeout
        self.temporary = tempfile.TemporaryDirectory(prefix="bakewell-tests-")
        self.assets = Path(self.temporary.name) / "assets"
        venv = self.root / "build/venv/bin/python3"
        self.python = str(venv) if venv.exists() else sys.executable
        self.env = dict(
            os.environ, LC_ALL="C.UTF-8", BAKEWELL=str(self.build / "bakewell"), ASSETS=str(self.assets),
            DATA=str(self.data) if self.data.is_dir() else "", BW_ROOT=str(self.root), BW_BUILD=str(self.build),
            BW_NODE_MODULES=str(self.root / "build/npm/node_modules"), PYTHONPATH=str(self.tests / "lib"),
            PYTHONDONTWRITEBYTECODE="1")

    def run(self, command, shell=False, extra_env=None, merge=False):
        """Runs a command in a scratch folder of its own; returns status, stdout, stderr as text, and the folder's path."""
        with tempfile.TemporaryDirectory(prefix="t-", dir=self.temporary.name) as scratch:
            env = dict(self.env, TMPDIR=scratch, **(extra_env or {}))
            command = ["bash", "-c", command] if shell else [str(part) for part in command]
            try:
                done = subprocess.run(command, cwd=scratch, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT if merge else subprocess.PIPE, timeout=self.timeout)
            except subprocess.TimeoutExpired as expired:
                text = (expired.stdout or b"").decode(errors="replace")
                return None, text, f"no end after {self.timeout} s", scratch
            except OSError as error:
                return 127, "", str(error), scratch
            return done.returncode, done.stdout.decode(errors="replace"), (done.stderr or b"").decode(errors="replace"), scratch


def tail(text, lines=30):
    return "\n".join(text.rstrip().splitlines()[-lines:])


def ended(status):
    return "did not end in time" if status is None else f"ended by signal {-status}" if status < 0 else f"status {status}"


# ---- cmocka programs --------------------------------------------------------------------------------------------------------------------

def read_cmocka(output, status):
    """Reads cmocka's TAP output into results.  What does not add up is a failure."""
    results, planned, reason = [], 0, None
    for line in output.splitlines():
        if match := re.fullmatch(r"1\.\.(\d+)", line):
            planned += int(match[1])
        elif match := re.fullmatch(r"ok \d+ - (.+)", line):
            results.append(Result(OK, match[1]))
        elif match := re.fullmatch(r"not ok \d+ # SKIP (.+)", line):
            results.append(Result(SKIP, match[1], reason) if reason else Result(FAIL, match[1], "skipped without a 'skip: reason' line"))
        elif match := re.fullmatch(r"not ok \d+ - (.+)", line):
            results.append(Result(FAIL, match[1]))
        elif line.startswith("# ") and not line.startswith("# not ok") and not line.startswith("# ok") and results:
            if results[-1].status == FAIL:
                results[-1].why = (results[-1].why + "\n" + line[2:]).strip()
        if match := re.match(r"skip: (.+)", line):
            reason = match[1]
        elif re.match(r"(not )?ok \d+ ", line):
            reason = None
    for result in results:
        result.data = result.name.startswith("data")
    if not results:
        results.append(Result(FAIL, "(program)", f"ran no test, {ended(status)}\n{tail(output)}"))
    elif planned != len(results):
        results.append(Result(FAIL, "(program)", f"planned {planned} tests and reported {len(results)}, {ended(status)}\n{tail(output)}"))
    elif status != 0 and not any(result.status == FAIL for result in results):
        results.append(Result(FAIL, "(program)", f"every test passed, then {ended(status)}\n{tail(output)}"))
    return results


def run_unit(context, source):
    program = context.build / "tests/unit" / source.stem
    if not program.exists():
        return [Result(FAIL, "(program)", f"{program} is not built")]
    status, output, _, _ = context.run([program], extra_env={"CMOCKA_MESSAGE_OUTPUT": "TAP"}, merge=True)
    return read_cmocka(output, status)


# ---- scripts that print a line a test ------------------------------------------------------------------------------------------------------

def read_lines(output, errors, status):
    results = []
    for line in output.splitlines():
        if match := re.match(r"not ok (.+?)(?:: +(.*))?$", line):
            results.append(Result(FAIL, match[1], match[2] or ""))
        elif match := re.match(r"ok (.+)$", line):
            results.append(Result(OK, match[1]))
        elif match := re.match(r"skip (.+?): +(.+)$", line):
            results.append(Result(SKIP, match[1], match[2]))
        elif line.startswith("skip"):
            results.append(Result(FAIL, line[5:], "skipped without a reason"))
    for result in results:
        result.data = result.name.startswith("data")
    failed = any(result.status == FAIL for result in results)
    if not results:
        results.append(Result(FAIL, "(script)", f"reported no test, {ended(status)}\n{tail(output + errors)}"))
    elif status != 0 and not failed:
        results.append(Result(FAIL, "(script)", f"every test passed, then {ended(status)}\n{tail(errors or output)}"))
    elif failed and errors.strip():
        results[-1].why += "\n" + tail(errors)
    return results


def run_script(context, command):
    status, output, errors, _ = context.run(command)
    return read_lines(output, errors, status)


# ---- command-line tests --------------------------------------------------------------------------------------------------------------------

class CliTest:
    """A file of tests/cli:

        # what is tested, and why
        needs: models/gltf/Fox        a path below the third-party data, without which the test is skipped; may be left out
        % command                     preparation that must succeed, run by bash in an empty folder; any number of them
        $ command                     the command under test, in the same folder; once
        status: 2
        stdout:
        the lines expected, to the last; nothing here means that nothing may be printed
        stderr:
        likewise

    The lines may use $ASSETS, $DATA, $BAKEWELL and $TMPDIR for those paths, and $SECONDS for the value of a "seconds" key.
    """

    def __init__(self, path):
        self.needs, self.preparation, self.command, self.status = None, [], None, None
        self.expected = {}
        block = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line in ("stdout:", "stderr:") and line[:-1] not in self.expected:
                block = self.expected[line[:-1]] = []
            elif block is not None:
                block.append(line)
            elif line.startswith("needs: "):
                self.needs = line[7:].strip()
            elif line.startswith("% "):
                self.preparation.append(line[2:])
            elif line.startswith("$ ") and self.command is None:
                self.command = line[2:]
            elif match := re.fullmatch(r"status: (\d+)", line):
                self.status = int(match[1])
            elif line.strip() and not line.startswith("#"):
                raise ValueError(f"line {number} is none of: # needs: % $ status: stdout: stderr:")
        if self.command is None or self.status is None or set(self.expected) != {"stdout", "stderr"}:
            raise ValueError("a test has one '$ command' line, a 'status:', a 'stdout:' and a 'stderr:'")

    def text(self, stream):
        return "".join(line + "\n" for line in self.expected[stream])


def normalise(text, context, scratch):
    for name, value in (("$ASSETS", context.assets), ("$DATA", context.data), ("$BAKEWELL", context.build / "bakewell"), ("$TMPDIR", scratch)):
        text = text.replace(str(value), name)
    return re.sub(r'("seconds": ?)[0-9.e+-]+', r"\1$SECONDS", text)


def difference(name, expected, found):
    marked = ["  expected " + name + ":"] + ["    |" + line for line in expected.splitlines()]
    return "\n".join(marked + ["  found:"] + ["    |" + line for line in found.splitlines()])


def run_cli(context, path):
    try:
        test = CliTest(path)
    except ValueError as error:
        return [Result(FAIL, "", str(error))]
    data = test.needs is not None
    if data and not (context.env["DATA"] and (context.data / test.needs).exists()):
        return [Result(SKIP, "", f"no {test.needs} below the third-party data", data)]
    # Preparation and command share a folder; the command's streams are told apart from the preparation's by files.
    script = "".join(f"( {line} ) >prepared.log 2>&1 || {{ cat prepared.log; exit 199; }}\n" for line in test.preparation)
    script += "rm -f prepared.log\n" if test.preparation else ""
    status, output, errors, scratch = context.run(script + test.command, shell=True)
    if status == 199 and test.preparation:
        return [Result(FAIL, "", f"the preparation failed\n{tail(output + errors)}", data)]
    why = [] if status == test.status else [f"{ended(status)}, expected {test.status}"]
    for stream, found in (("stdout", output), ("stderr", errors)):
        found = normalise(found, context, scratch)
        if found != test.text(stream):
            why.append(difference(stream, test.text(stream), found))
    return [Result(FAIL if why else OK, "", "\n".join(why), data)]


# ---- fuzz harnesses ------------------------------------------------------------------------------------------------------------------------

def run_fuzz(context, source):
    """One test a folder of inputs; a harness without seeds is a failure."""
    name = source.stem.removesuffix("_fuzz")
    results = []
    for kind in ("seeds", "crashers"):
        folder = context.tests / "fuzz" / kind / name
        count = sum(1 for file in folder.iterdir() if not file.name.startswith(".")) if folder.is_dir() else 0
        if count:
            status, output, errors, _ = context.run([context.build / "tests/fuzz" / source.stem, folder])
            good = status == 0 and output.endswith(f"{count} inputs replayed\n")
            results.append(Result(OK if good else FAIL, kind, "" if good else f"{ended(status)}\n{tail(output, 3)}\n{tail(errors)}"))
        elif kind == "seeds":
            results.append(Result(FAIL, kind, f"{folder} holds no input"))
    return results


# ---- the run -------------------------------------------------------------------------------------------------------------------------------

READS_ASSETS = ("unit", "cli", "diff", "golden")


def make_assets(context, _):
    context.assets.mkdir()
    status, output, errors, _ = context.run([context.build / "make_assets", context.assets])
    good = status == 0 and any(context.assets.iterdir())
    return [Result(OK if good else FAIL, "", "" if good else f"{ended(status)}\n{tail(output + errors)}")]


def discover(context):
    """Yields (name, function, argument); scripts, the longest tests, first."""
    def scripts(kind):
        return (p for p in sorted((context.tests / kind).glob("*.py")) if not p.name.startswith("_"))

    for kind in ("diff", "golden", "consume", "meta"):
        for path in scripts(kind):
            yield f"{kind}/{path.stem}", run_script, [context.python, path]
    for path in sorted((context.tests / "fuzz").glob("*_fuzz.c")):
        yield f"fuzz/{path.stem.removesuffix('_fuzz')}", run_fuzz, path
    for path in sorted((context.root / "tools").glob("check_*.py")):
        yield f"check/{path.stem.removeprefix('check_')}", run_script, [context.python, path, context.root]
    for path in sorted((context.tests / "unit").glob("*_test.c")):
        yield f"unit/{path.stem}", run_unit, path
    for path in sorted((context.tests / "cli").glob("*.test")):
        yield f"cli/{path.stem}", run_cli, path


def report(name, results, seconds):
    counts = {status: sum(1 for r in results if r.status == status) for status in (OK, FAIL, SKIP)}
    words = [f"{counts[status]} {word}" for status, word in ((OK, "passed"), (FAIL, "failed"), (SKIP, "skipped")) if counts[status]]
    lines = [f"{'FAIL' if counts[FAIL] else 'ok' if counts[OK] else 'skip':5}{name:44}{', '.join(words):28}{seconds:6.1f} s"]
    for result in results:
        if result.status != OK:
            label = "/".join(part for part in (name, result.name) if part)
            lines.append(f"  {result.status} {label}: " + result.why.strip().replace("\n", "\n      "))
    print("\n".join(lines), flush=True)


def read_floors(path):
    floors = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, count = line.split()
            floors[name] = int(count)
    return floors


def check_floors(context, results, names):
    """Returns sentences about floors that were missed.  Skipped tests do not count as run."""
    ran = [r for r in results if r.status != SKIP]
    missed = [] if ran else ["no test was run"]
    floors = read_floors(context.tests / "FLOORS") if names else {}
    for name in names:
        count = sum(1 for r in ran if name not in ("own", "data") or r.data == (name == "data"))
        if name == "data" and not context.env["DATA"]:
            print(f"skip floor of tests with third-party data: no folder {context.data}")
            continue
        print(f"floor '{name}': {count} tests ran, {floors[name]} must")
        if count < floors[name]:
            missed.append(f"{count} tests ran where tests/FLOORS asks for {floors[name]} ('{name}')")
    return missed


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--build")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--floor", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--tap", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    context = Context(args)
    if args.tap:
        items = [(Path(args.tap[0]).stem, run_script, [Path(args.tap[0]).resolve()] + args.tap[1:])]
    else:
        items = [item for item in discover(context) if not args.only or any(fnmatch.fnmatch(item[0], glob) for glob in args.only)]

    def run_item(item):
        name, function, argument = item
        start = time.monotonic()
        found = function(context, argument)
        report(name, found, time.monotonic() - start)
        return found

    # The generator runs first and is a test too, but on its own it makes no test run: floors do not count it.
    assets = run_item(("assets", make_assets, None)) if any(item[0].split("/")[0] in READS_ASSETS for item in items) else []
    with ThreadPoolExecutor(args.jobs) as pool:
        results = [result for found in pool.map(run_item, items) for result in found]
    full = not args.only and not args.tap
    missed = check_floors(context, results, args.floor or (["own", "data"] if full else []))
    for sentence in missed:
        print(f"FAIL {sentence}")
    results += assets
    counts = [sum(1 for r in results if r.status == status) for status in (OK, FAIL, SKIP)]
    print(f"{counts[0]} passed, {counts[1] + len(missed)} failed, {counts[2]} skipped", flush=True)
    return 1 if counts[1] or missed else 0


if __name__ == "__main__":
    sys.exit(main())
