# SPDX-License-Identifier: MIT
"""Installs the build into an empty folder and uses it as a user would: by find_package, by pkg-config, and as a program."""
import os
import re
import shutil
import subprocess
from pathlib import Path

BUILD, SOURCE = Path(os.environ["BW_BUILD"]), Path(os.environ["BW_ROOT"]) / "tests/consume"
SCRATCH = Path(os.environ["TMPDIR"])
PREFIX = SCRATCH / "prefix"
COMPILER = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)[1]


def run(*command, **more):
    """Runs a command and returns what it printed; a failure is an exception with its output."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stdout}")
    return done.stdout


def library_folder():
    return next(PREFIX.rglob("libbakewell.*")).parent


def install():
    run("cmake", "--install", BUILD, "--prefix", PREFIX)
    # What is installed must stand on its own, wherever it is moved to.
    moved = PREFIX.with_name("moved")
    shutil.move(PREFIX, moved)
    shutil.move(moved, PREFIX)
    names = {path.name for path in PREFIX.rglob("*") if path.is_file()}
    missing = {"bakewell", "bakewell.h", "results.def", "bakewell.pc", "bakewellConfig.cmake", "LICENSE"} - names
    if missing:
        raise RuntimeError(f"not installed: {', '.join(sorted(missing))}")


def by_cmake():
    run("cmake", "-G", "Ninja", "-S", SOURCE, "-B", SCRATCH / "by_cmake", f"-DCMAKE_PREFIX_PATH={PREFIX}", f"-DCMAKE_C_COMPILER={COMPILER}",
        "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", SCRATCH / "by_cmake")
    run(SCRATCH / "by_cmake/consume", cwd=SCRATCH)


def by_pkg_config():
    env = dict(os.environ, PKG_CONFIG_PATH=str(library_folder() / "pkgconfig"))
    flags = run("pkg-config", "--define-variable=prefix=" + str(PREFIX), "--cflags", "--libs", "bakewell", env=env).split()
    run(COMPILER, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", SCRATCH / "by_pkg", SOURCE / "consume.c", *flags)
    run(SCRATCH / "by_pkg", cwd=SCRATCH, env=dict(os.environ, LD_LIBRARY_PATH=str(library_folder())))


def program():
    env = dict(os.environ, LD_LIBRARY_PATH=str(library_folder()))
    version = run(PREFIX / "bin/bakewell", "--version", env=env)
    if not re.search(r"\b\d+\.\d+\.\d+\b", version):
        raise RuntimeError(f"--version printed '{version}'")


def symbols():
    """A shared library shows its public functions and no other; a static one has no such list."""
    shared = PREFIX / library_folder() / "libbakewell.so"
    if not shared.exists():
        return "the library is static"
    lines = run("nm", "-D", "--defined-only", shared).splitlines()
    other = [line.split()[-1] for line in lines if not re.match(r"bw_(?!i_)", line.split()[-1])]
    if other or not lines:
        raise RuntimeError(f"exports {', '.join(other) or 'nothing'}")
    return None


for name, step in (("install", install), ("find_package", by_cmake), ("pkg-config", by_pkg_config), ("program", program), ("symbols", symbols)):
    try:
        skipped = step()
        print(f"skip {name}: {skipped}" if skipped else f"ok {name}")
    except (RuntimeError, OSError, StopIteration) as error:
        print(f"not ok {name}: " + str(error).strip().replace("\n", " | "))
        if name == "install":
            break
