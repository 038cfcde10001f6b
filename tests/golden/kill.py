# SPDX-License-Identifier: MIT
"""A bake killed at a hundred moments: each file is old or new, never half; verify sees a mixed set; the next run cleans up."""
import hashlib
import random
import shutil
import subprocess
import time

from bake import BAKEWELL, TMP, make_assets, run, tap

NAME = "grid-3000-60-30"
FILES = (f"{NAME}_vat.glb", f"{NAME}_vat_pos.png", f"{NAME}_vat_nrm.png", f"{NAME}_vat.json")


def digests(folder):
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() if (folder / name).exists() else None for name in FILES}


def leftovers(folder):
    return [p.name for p in folder.iterdir() if p.name not in FILES]


def killed():
    [scene] = make_assets(TMP, NAME)
    old_options, new_options = ["--normals=separate", "--fps=20"], ["--normals=separate", "--fps=30"]
    for name, options in (("old", old_options), ("new", new_options)):
        assert run("vat", scene, "-o", TMP / name, *options).returncode == 0
    old, new = digests(TMP / "old"), digests(TMP / "new")
    assert all(old[name] != new[name] for name in FILES if name.endswith(("png", "json")))
    work = TMP / "work"
    command = [BAKEWELL, "vat", str(scene), "-o", str(work), "--quiet", "--mode=vertex", *new_options]
    shutil.copytree(TMP / "old", work)
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    whole = time.monotonic() - start
    generator = random.Random(1)
    seen = {"old": 0, "new": 0, "mixed": 0, "left over": 0}
    for k in range(100):
        shutil.rmtree(work)
        shutil.copytree(TMP / "old", work)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        # Most of the moments near the end, where files change their names.
        time.sleep(whole * (generator.random() if k % 2 else 0.9 + 0.2 * generator.random()))
        process.kill()
        process.wait()
        found = digests(work)
        for name in FILES:
            assert found[name] in (old[name], new[name]), f"moment {k}: {name} is neither old nor new"
        kind = "old" if found == old else "new" if found == new else "mixed"
        seen[kind] += 1
        seen["left over"] += bool(leftovers(work))
        verified = run("verify", work / f"{NAME}_vat.json")
        assert (verified.returncode == 0) == (kind != "mixed"), f"moment {k}: {kind} set, verify ends with {verified.returncode}"
    assert seen["old"] and seen["left over"], f"no kill came early enough: {seen}"
    # The next run takes away what killed ones left, and makes the set whole.
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    time.sleep(whole * 0.5)
    process.kill()
    process.wait()
    assert run("vat", scene, "-o", work, *new_options).returncode == 0
    assert digests(work) == new and not leftovers(work), leftovers(work)


def mixed_sets_are_seen():
    """Every way in which a rename can be the last: new files beside the old manifest."""
    work = TMP / "mixed"
    for name in FILES[:-1]:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(TMP / "old", work)
        shutil.copy(TMP / "new" / name, work / name)
        verified = run("verify", work / f"{NAME}_vat.json")
        same = (TMP / "new" / name).read_bytes() == (TMP / "old" / name).read_bytes()
        assert verified.returncode == (0 if same else 1), f"{name}: status {verified.returncode}"
        assert same or name in verified.stdout + verified.stderr, f"{name} is not named: {verified.stderr}"


def unchanged_files_are_left_alone():
    [scene] = make_assets(TMP, NAME)
    assert run("vat", scene, "-o", TMP / "again").returncode == 0
    before = {p.name: (p.stat().st_mtime_ns, p.stat().st_ino) for p in (TMP / "again").iterdir()}
    time.sleep(0.01)
    assert run("vat", scene, "-o", TMP / "again").returncode == 0
    assert {p.name: (p.stat().st_mtime_ns, p.stat().st_ino) for p in (TMP / "again").iterdir()} == before


tap("killed at a hundred moments", killed)
tap("a mixed set is seen", mixed_sets_are_seen)
tap("unchanged files keep their time stamp", unchanged_files_are_left_alone)
