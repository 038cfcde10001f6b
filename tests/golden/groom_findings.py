#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of findings in docs/GROOM.md is the program's own, row by row, and its page of symptoms names only codes that there are."""
import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path(os.environ["BW_BUILD"]) / "tests/tools/groom_verdict"
WORDS = {"E": "error", "W": "warning", "I": "info", "-": "–"}


def row_of(rule):
    """`no-curves` | error in all | what | repair.  Levels: one word where all engines agree, else Unreal 5.0, 5.3, 5.4, 5.8 and Unity."""
    levels = [WORDS[letter] for letter in rule["levels"]]
    level = levels[0] if len(set(levels)) == 1 else f"{levels[0]}, Unity –" if len(set(levels[:4])) == 1 and levels[4] == "–" else " ".join(levels)
    return f"| `{rule['code']}` | {level}{' (doubtful)' if rule['doubtful'] else ''} | {rule['summary']} | {rule['fix']} |"


def main():
    text = (ROOT / "docs/GROOM.md").read_text()
    rules = json.loads(subprocess.run([TOOL, "--rules"], capture_output=True, text=True, check=True, timeout=20).stdout)
    expected = [row_of(rule) for rule in rules]
    section = text.split("\n## Findings\n", 1)[1].split("\n## ", 1)[0]
    found = [line for line in section.splitlines() if line.startswith("| `")]
    why = [f"missing: {row}" for row in expected if row not in found] + [f"not in the program: {row}" for row in found if row not in expected]
    if not why and found != expected:
        why = ["rows are in another order"]
    print(f"not ok the table of findings is the program's: {'; '.join(why)[:1500]}" if why else "ok the table of findings is the program's")
    codes = {rule["code"] for rule in rules}
    page = text.split("\n## My hair does not import\n", 1)[1].split("\n## ", 1)[0]
    named = {name for name in re.findall(r"`([a-z-]+)`", page) if "-" in name or name in codes}
    unknown = sorted(name for name in named if name not in codes)
    print(f"not ok the page of symptoms names findings: {unknown}, {len(named)}" if unknown or len(named & codes) < 40 else "ok the page of symptoms names findings")


main()
