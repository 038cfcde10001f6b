# SPDX-License-Identifier: MIT
"""Many files in one call: the same bytes as one by one, nothing done twice, one bad file stops no other, what would overwrite is refused."""
import json
import os
import shutil
import signal
import subprocess
import time

from bake import BAKEWELL, TMP, make_assets, run, tap

COUNT = 200


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def stamps(folder):
    return {str(p.relative_to(folder)): (p.stat().st_mtime_ns, p.stat().st_ino) for p in folder.rglob("*") if p.is_file()}


def fresh(name):
    folder = TMP / name
    folder.mkdir()
    return folder


def small_files():
    """200 scenes of their own in 10 folders."""
    folder = TMP / "crowd"
    if not folder.exists():
        folder.mkdir()
        names = [f"grid-{20 + k}-{4 + k % 5}-30" for k in range(COUNT)]
        for k, scene in enumerate(make_assets(folder, *names)):
            (folder / f"d{k % 10}").mkdir(exist_ok=True)
            scene.rename(folder / f"d{k % 10}" / f"c{k}.glb")
    return folder


def reference():
    """Each of them baked alone."""
    crowd, out = small_files(), TMP / "one-by-one"
    if not out.exists():
        for scene in sorted(crowd.rglob("*.glb")):
            assert run("vat", scene, "-o", out / scene.parent.name, "--quiet", "--threads=1").returncode == 0
    return tree(out)


def same_bytes():
    crowd, alone = small_files(), reference()
    assert len(alone) == 3 * COUNT
    done = run("vat", crowd, "-o", TMP / "together", "--progress=always")
    assert done.returncode == 0, done.stderr[-500:]
    assert tree(TMP / "together") == alone
    assert f"{COUNT} of {COUNT} files done: {COUNT} baked, 0 up to date, 0 failed" in done.stdout
    told = [line for line in done.stdout.splitlines() if line.endswith(".glb") and " " not in line]
    assert told == sorted(map(str, crowd.rglob("*.glb"))), "told in the order of their names, not in that of their ends"
    # One line for all, drawn over itself.
    shown = subprocess.run([BAKEWELL, "vat", str(crowd), "-o", str(TMP / "shown"), "--mode=vertex", "--progress=always"], capture_output=True).stderr
    drawn = [line for line in shown.split(b"\r") if line.startswith(b"baked ")]
    assert drawn and all(b"of 200 files" in line and b"\n" not in line for line in drawn), drawn[:3]
    for threads in (1, 5):
        out = TMP / f"threads-{threads}"
        assert run("vat", crowd / "d1", crowd / "d2", "-o", out, "--quiet", f"--threads={threads}").returncode == 0
        assert set(tree(out).values()) <= set(alone.values())
    before = stamps(TMP / "together")
    again = run("vat", crowd, "-o", TMP / "together", "--json")
    document = json.loads(again.stdout)
    assert [one["up_to_date"] for one in document["results"]] == [True] * COUNT
    assert stamps(TMP / "together") == before


def killed():
    crowd, alone = small_files(), reference()
    out = TMP / "killed"
    process = subprocess.Popen([BAKEWELL, "vat", str(crowd), "-o", str(out), "--mode=vertex", "--quiet"], stdout=subprocess.DEVNULL)
    while process.poll() is None and len(list(out.glob("d*/[!.]*.json"))) < COUNT // 2:
        time.sleep(0.001)
    process.kill()
    process.wait()
    # A set whose manifest is there is whole.
    whole = {str(p.relative_to(out)) for p in out.rglob("*_vat.json") if not any(part.startswith(".") for part in p.relative_to(out).parts)}
    assert COUNT // 2 <= len(whole) < COUNT, f"the kill came at {len(whole)} of {COUNT}"
    before = {name: stamp for name, stamp in stamps(out).items() if name.rsplit("_vat", 1)[0] + "_vat.json" in whole}
    document = json.loads(run("vat", crowd, "-o", out, "--json").stdout)
    assert document["status"] == 0
    current = {os.path.relpath(one["manifest"], out) for one in document["results"] if one["up_to_date"]}
    assert current == whole, f"{len(current)} were up to date, {len(whole)} were done"
    after = stamps(out)
    assert {name: after[name] for name in before} == before, "what was done is left alone"
    assert tree(out) == alone


def one_bad():
    work = fresh("bad")
    scenes = make_assets(work, *(f"grid-{n}-5-30" for n in (10, 11, 12)))
    (work / "broken.glb").write_bytes(b"glTF\2\0\0\0")
    (work / "text.gltf").write_text("{")
    done = run("vat", work, "-o", work / "out", "--json")
    document = json.loads(done.stdout)
    statuses = [one["status"] for one in document["results"]]
    assert done.returncode == 1 == document["status"] and statuses == [4, 0, 0, 0, 4], statuses
    assert all((work / "out" / f"{scene.stem}_vat.json").exists() for scene in scenes)
    lines = done.stderr.splitlines()
    assert lines[-3].endswith("2 of 5 files failed:") and "broken.glb: " in lines[-2] and "text.gltf: " in lines[-1], lines
    # A missing one among many is one that failed; alone it keeps its status.
    assert run("vat", scenes[0], work / "none.glb", "-o", work / "out").returncode == 1
    assert run("vat", work / "none.glb", "-o", work / "out").returncode == 3


def folders():
    work = fresh("folders")
    make_assets(work, "grid-10-5-30")
    source = work / "chars"
    for path in ("b.glb", "B2.GLB", "a/a.glb", "a/deep/er/c.glb", ".hidden/h.glb", ".h.glb", "a/old_vat.glb", "a/note.txt", "real.glb.d/x.glb"):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(work / "grid-10-5-30.glb", source / path)
    (source / "a/up").symlink_to(source)  # a loop
    (source / "a/deep/self").symlink_to(".")
    (source / "linked").symlink_to(work / "elsewhere")
    (work / "elsewhere").mkdir()
    shutil.copy(work / "grid-10-5-30.glb", work / "elsewhere/l.glb")
    os.mkfifo(source / "pipe.glb")
    out = work / "out"
    done = run("vat", str(source) + "/", "-o", out, "--json", timeout=60)
    assert done.returncode == 0, done.stderr
    made = sorted(os.path.relpath(one["manifest"], out) for one in json.loads(done.stdout)["results"])
    assert made == ["B2_vat.json", "a/a_vat.json", "a/deep/er/c_vat.json", "b_vat.json", "linked/l_vat.json", "real.glb.d/x_vat.json"], made
    # Baked into itself, its outputs are no inputs of the next run.
    for _ in range(2):
        done = run("vat", source, "-o", source, "--json")
        assert done.returncode == 0 and len(json.loads(done.stdout)["results"]) == 6, done.stderr
    done = run("vat", source / "a", work / "grid-10-5-30.glb", "-o", work / "mixed")
    assert done.returncode == 0 and (work / "mixed/deep/er/c_vat.json").exists() and (work / "mixed/grid-10-5-30_vat.json").exists()
    (source / "a/gone.glb").symlink_to("nowhere.glb")
    done = run("vat", source, "-o", work / "out2")
    assert done.returncode == 1 and "gone.glb: there is no such file" in done.stderr, done.stderr


def levels_and_outputs():
    """Levels are baked with their base; what any layout wrote is no input, wherever it lies below the folder."""
    work = fresh("levels")
    [scene] = make_assets(work, "grid-10-5-30")
    source = work / "chars"
    source.mkdir()
    for name in ("a_LOD0", "a_LOD1", "a_LOD2", "b_LOD1", "LOD3", "c"):
        shutil.copy(scene, source / f"{name}.glb")

    def baked(out, *options):
        done = run("vat", source, "-o", out, "--json", *options)
        assert done.returncode == 0, done.stderr
        return sorted(os.path.basename(one["manifest"]) for one in json.loads(done.stdout)["results"])

    expected = ["LOD3_vat.json", "a_LOD0_vat.json", "b_LOD1_vat.json", "c_vat.json"]
    assert baked(source / "native") == expected
    assert (source / "native/a_LOD0_vat.lod1.glb").exists()
    assert baked(source / "openvat", "--layout=openvat", "--lod=none") == sorted(expected + ["a_LOD1_vat.json", "a_LOD2_vat.json"])
    assert (source / "openvat/c.glb").exists()
    assert baked(work / "again") == expected, "outputs were taken for inputs"
    done = run("vat", source / "c.glb", source / "openvat/c.glb", "-o", source / "openvat", "--layout=openvat", "--name=c")
    assert done.returncode == 2, done.stderr
    job = {"schema": "bakewell/job/1", "bakes": [{"in": "c.glb", "out": "openvat", "layout": "openvat"}, {"in": "openvat/c.glb", "out": "other"}]}
    (source / "job.json").write_text(json.dumps(job))
    done = run("vat", f"--jobs={source}/job.json")
    assert done.returncode == 3 and "which is an input" in done.stderr, done.stderr


def clashes():
    work = fresh("clashes")
    [scene] = make_assets(work, "grid-10-5-30")
    for path in ("a/hero.glb", "b/hero.gltf", "c/HERO.glb", "d/hero_vat.glb"):
        (work / path).parent.mkdir(exist_ok=True)
        shutil.copy(scene, work / path)
    (work / "outlink").symlink_to("out")
    (work / "out").mkdir()

    def refused(status, first, second, *words):
        done = run("vat", *words, cwd=work)
        assert done.returncode == status, f"{words}: status {done.returncode}, {done.stderr}"
        assert first in done.stderr and second in done.stderr, done.stderr
        assert not tree(work / "out"), "work was done before it was refused"

    refused(2, "a/hero.glb", "b/hero.gltf", "a/hero.glb", "b/hero.gltf", "-o", "out")
    refused(2, "a/hero.glb", "c/HERO.glb", "a", "c", "-o", "out")
    refused(2, "a/hero.glb", "a/hero.glb", "a", "a/hero.glb", "-o", "out")
    refused(2, "grid-10-5-30.glb", "grid-10-5-30.glb", "./grid-10-5-30.glb", "grid-10-5-30.glb", "-o", "out")
    refused(3, "a/hero.glb", "d/hero_vat.glb", "a/hero.glb", "d/hero_vat.glb", "-o", "d")
    refused(2, "--name=x", "2 scenes", "a/hero.glb", "grid-10-5-30.glb", "-o", "out", "--name=x")
    job = {"schema": "bakewell/job/1", "bakes": [{"in": "a/hero.glb", "out": "out"}, {"in": "c", "out": "outlink/../outlink", "fps": 10}]}
    (work / "job.json").write_text(json.dumps(job))
    refused(2, "a/hero.glb", "c/HERO.glb", "--jobs=job.json")
    assert run("vat", "a", "c", "-o", "out", "--name=x", cwd=work).returncode == 2
    job["bakes"][1]["name"] = "other"
    (work / "job.json").write_text(json.dumps(job))
    assert run("vat", "--jobs=job.json", cwd=work).returncode == 0


def memory():
    """What does not fit into a share of the limit is baked alone with all of it."""
    work = fresh("memory")
    scenes = make_assets(work, *(f"grid-{n}-30-30" for n in (2000, 2001, 2002, 2003)))
    need = next(mib for mib in range(1, 200) if run("vat", scenes[3], "-o", work / "probe", f"--memory-limit={mib}MiB", "--force").returncode == 0)
    done = run("vat", *scenes, "-o", work / "out", f"--memory-limit={need}MiB", "--threads=4", "--json")
    assert done.returncode == 0, done.stderr
    assert [one["vertices"] for one in json.loads(done.stdout)["results"]] == sorted(one["vertices"] for one in json.loads(done.stdout)["results"])
    assert run("vat", *scenes, "-o", work / "out2", f"--memory-limit={need}MiB", "--threads=1", "--quiet").returncode == 0
    assert tree(work / "out") == tree(work / "out2")
    assert run("vat", *scenes, "-o", work / "out3", "--memory-limit=1MiB").returncode == 1


def cancelled():
    crowd = small_files()
    out = TMP / "cancelled"
    process = subprocess.Popen([BAKEWELL, "vat", str(crowd), "-o", str(out), "--mode=vertex", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(list(out.glob("d*/[!.]*.json"))) < COUNT // 4:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=60)
    document = json.loads(text)
    assert process.returncode == 7 == document["status"], errors
    assert "cancelled" in errors
    assert len([one for one in document["results"] if one["status"] == 0]) < COUNT
    assert not [p for p in out.rglob(".*")], "something was left behind"
    for one in document["results"]:
        assert one["status"] in (0, 7)
        assert one["status"] == 7 or run("verify", one["manifest"]).returncode == 0


for name, test in (("200 files, the same bytes as one by one", same_bytes), ("killed half-way", killed), ("one bad among many", one_bad),
                   ("folders are walked and mirrored", folders), ("levels and outputs", levels_and_outputs), ("clashes are refused", clashes), ("memory is shared", memory), ("cancelled", cancelled)):
    tap(name, test)
