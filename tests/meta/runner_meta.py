# SPDX-License-Identifier: MIT
"""Plants one defect at a time in a small tree and expects the runner and the checks to catch it: a check counts only if it can fail."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ["BW_ROOT"])
PLANTED = ROOT / "tests/meta/planted"
WORK = Path(tempfile.mkdtemp())
ENV = {key: value for key, value in os.environ.items() if key != "BW_TEST_DATA"}


def compile_c(program, *sources):
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-o", program, *sources, "-lcmocka"], check=True)


def plant(name, files, floors="own 1\n"):
    """Makes a tree of its own with the given planted files as its tests, and returns its root."""
    root = WORK / name.replace("/", "_")
    (root / "build").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "tests/FLOORS").write_text(floors)
    assets = root / "build/make_assets"
    assets.write_text("#!/bin/sh\necho asset >\"$1/asset\"\n")
    assets.chmod(0o755)
    for file in files:
        target = root / "tests" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PLANTED / file, target)
        if target.parent.name == "unit":
            compile_c(root / "build/tests/unit" / target.stem, target)
        elif target.parent.name == "fuzz":
            compile_c(root / "build/tests/fuzz" / target.stem, target, ROOT / "tests/fuzz/replay_main.c")
    return root


def run(root, *arguments):
    done = subprocess.run([sys.executable, ROOT / "tests/run.py", f"--root={root}", *arguments], env=ENV, capture_output=True, text=True)
    return done.returncode, done.stdout, (done.stdout.strip().splitlines() or ["nothing was printed"])[-1]


def expect(name, good, why):
    print(f"ok {name}" if good else f"not ok {name}: " + why.strip().replace("\n", " | "))


def expect_closing(name, root, closing, status, *arguments):
    found_status, text, found = run(root, *arguments)
    expect(name, (found_status, found) == (status, closing), f"status {found_status} and '{found}', expected {status} and '{closing}'; {text}")


def expect_caught(file, only, passed=0, failed=1):
    # The assets are one more test that passes.
    expect_closing(f"caught {file}", plant(file, [file]), f"{passed + 1} passed, {failed} failed, 0 skipped", 1, f"--only={only}")


def check_runner():
    good = plant("good", ["unit/good_test.c", "cli/good.test", "diff/good.py"], "own 3\ndata 1\nmore 5\n")
    expect_closing("a good tree passes", good, "5 passed, 0 failed, 0 skipped", 0, "--floor=own")
    expect_closing("a floor that is missed fails", good, "5 passed, 1 failed, 0 skipped", 1, "--floor=more")
    expect_closing("an empty selection fails", good, "0 passed, 1 failed, 0 skipped", 1, "--only=cli/none")
    (good / "build/tests/unit/good_test").unlink()
    expect_closing("a program that is not built fails", good, "1 passed, 1 failed, 0 skipped", 1, "--only=unit/*")
    expect_closing("an empty tree fails", plant("empty", []), "0 passed, 2 failed, 0 skipped", 1)
    for name in ("failing", "silent_skip", "empty", "early_exit"):
        expect_caught(f"unit/{name}_test.c", "unit/*")
    expect_caught("unit/late_exit_test.c", "unit/*", passed=1)
    for name in ("wrong_status", "wrong_stdout", "unexpected_stderr", "no_stderr_block", "failed_preparation"):
        expect_caught(f"cli/{name}.test", "cli/*")
    expect_caught("diff/silent.py", "diff/*")
    for name in ("not_ok", "late_exit", "silent_skip"):
        expect_caught(f"diff/{name}.py", "diff/*", passed=1)
    expect_closing("only skips fail", plant("skips", ["diff/only_skips.py"]), "1 passed, 1 failed, 1 skipped", 1, "--only=diff/*")
    check_fuzz()


def check_fuzz():
    root = plant("fuzz", ["fuzz/crash_fuzz.c"])
    expect_closing("a fuzz harness without seeds fails", root, "0 passed, 1 failed, 0 skipped", 1, "--only=fuzz/*")
    seeds = root / "tests/fuzz/seeds/crash"
    seeds.mkdir(parents=True)
    (seeds / "seed").write_text("quiet")
    expect_closing("a good seed passes", root, "1 passed, 0 failed, 0 skipped", 0, "--only=fuzz/*")
    crashers = root / "tests/fuzz/crashers/crash"
    crashers.mkdir(parents=True)
    (crashers / "crasher").write_text("!")
    expect_closing("a crasher that crashes fails", root, "1 passed, 1 failed, 0 skipped", 1, "--only=fuzz/*")


def check_tool(name, tool, root, finding):
    """finding None: the tool accepts the tree; else the one line that it must end with status 1 on."""
    done = subprocess.run([sys.executable, ROOT / "tools" / tool, root], capture_output=True, text=True)
    bad = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
    good = done.returncode == 0 and not bad if finding is None else done.returncode == 1 and len(bad) == 1 and finding in bad[0]
    expect(name, good, f"status {done.returncode}: {done.stdout}{done.stderr}")


def check_law():
    breaches = {
        "a room it may not see": ("src/base/base_x.c", '#include "read/gltf/gltf.h"', "room 'base' may not include"),
        "another format": ("src/read/gltf/gltf_x.c", '#include "read/fbx/fbx.h"', "formats never meet"),
        "no such header": ("src/base/base_x.c", '#include "base.h"', "no header below src/"),
        "a public header without a line": ("src/base/base_x.c", '#include "bakewell/closed.h"', "no 'public' line"),
        "a program that looks inside": ("cli/cli_x.c", '#include "base/base.h"', "public headers only"),
        "a public header that looks inside": ("include/bakewell/open.h", '#include "base/base.h"', "a public header may not"),
        "a circle": ("src/LAYERS", "base: read\nread: base", "in a circle: base > read > base"),
        "a folder without a line": ("src/extra/extra_x.c", "", "no line in src/LAYERS"),
    }
    tree = WORK / "law"
    shutil.copytree(PLANTED / "law", tree)
    check_tool("law: a good tree passes", "check_layers.py", tree, None)
    for name, (file, text, finding) in breaches.items():
        shutil.rmtree(tree)
        shutil.copytree(PLANTED / "law", tree)
        path = tree / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n" + ("\npublic bakewell/open.h: base\n" if file == "src/LAYERS" else ""))
        check_tool(f"law: caught {name}", "check_layers.py", tree, finding)


def check_headers():
    cases = (("include/bakewell/needy.h", "uint32_t", 2), ("include/bakewell/c_only.h", "c++17", 1), ("src/unguarded.h", "c11", 1))
    for file, finding, count in cases:
        tree = WORK / Path(file).stem
        (tree / file).parent.mkdir(parents=True)
        shutil.copy(PLANTED / "headers" / file, tree / file)
        done = subprocess.run([sys.executable, ROOT / "tools/check_headers.py", tree], capture_output=True, text=True)
        bad = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
        good = done.returncode == 1 and len(bad) == count and all(finding in line for line in bad)
        expect(f"headers: caught {file}", good, f"status {done.returncode}: {done.stdout}{done.stderr}")


try:
    check_runner()
    check_law()
    check_headers()
finally:
    shutil.rmtree(WORK)
