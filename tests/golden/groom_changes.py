# SPDX-License-Identifier: MIT
"""docs/GROOM.md lists every change that repairing, completing and writing a groom can tell of, and no other."""
import os
import re
from pathlib import Path

from bake import tap

ROOT = Path(os.environ["BW_ROOT"])


def told():
    """Codes that are passed to bwi_warn, or stand in a table of codes and sentences."""
    codes = {}
    for file in [f for pattern in ("src/groom/*.c", "src/write/write_groom*.c", "src/api/api_groom*.c") for f in sorted(ROOT.glob(pattern))]:
        text = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.S)
        if file.name.startswith(("groom_judge", "groom_rules")):
            continue
        for code in re.findall(r'bwi_warn\(\s*[^,"]+,\s*"([a-z0-9-]+)"', text) + re.findall(r'\{\s*"([a-z]+(?:-[a-z]+)+)",\s*"', text):
            codes[code] = file.name
    return codes


def listed():
    section = (ROOT / "docs/GROOM.md").read_text().split("\n## Changes\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([a-z0-9-]+)` \|", section, flags=re.M)


def all_are_listed():
    codes, rows = told(), listed()
    assert len(codes) > 60, f"only {len(codes)} changes were found"
    missing = sorted(f"{code} ({file})" for code, file in codes.items() if code not in rows)
    assert not missing, f"docs/GROOM.md lacks {', '.join(missing)}"
    assert len(rows) == len(set(rows)), "a change is listed twice"
    unknown = sorted(set(rows) - set(codes))
    assert not unknown, f"docs/GROOM.md lists {', '.join(unknown)}, which nothing tells of"


tap("every change is listed", all_are_listed)
