#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every header alone: public ones as C11 and C++17 seeing only include/, those of src/ as C11.

usage: check_headers.py [ROOT]      Prints `ok …` or `not ok …: why`, one line each; status 1 if any is not ok.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wvla", "-Werror"]


def compile_alone(root, header, language):
    """Compiles a file that includes the header twice, so that a missing guard shows too."""
    public = header.is_relative_to(root / "include")
    folder = root / ("include" if public else "src")
    name = header.relative_to(folder)
    command = {
        "c11": [os.environ.get("CC", "gcc"), "-std=c11", "-x", "c"],
        "c++17": [os.environ.get("CXX", "g++"), "-std=c++17", "-x", "c++"],
    }[language]
    search = ["-I" + str(root / "include")] + ([] if public else ["-I" + str(root / "src")])
    text = f'#include "{name}"\n#include "{name}"\nextern int bw_header_compiles;\n'
    done = subprocess.run(command + WARNINGS + search + ["-fsyntax-only", "-"], input=text, text=True, capture_output=True)
    label = f"{language} {header.relative_to(root)}"
    if done.returncode == 0:
        return True, f"ok {label}"
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
    return False, f"not ok {label}: {first}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent).resolve()
    jobs = []
    for header in sorted((root / "include").rglob("*.h")):
        jobs += [(header, "c11"), (header, "c++17")]
    jobs += [(header, "c11") for header in sorted((root / "src").rglob("*.h"))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: compile_alone(root, *job), jobs))
    for _, line in results:
        print(line)
    if not results:
        print("not ok all: there is no header")
    return 0 if results and all(ok for ok, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
