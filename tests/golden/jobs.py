# SPDX-License-Identifier: MIT
"""Job files say the same as a command line; --watch bakes again as sources change."""
import json
import os
import shutil
import signal
import subprocess
import time

from bake import BAKEWELL, TMP, make_assets, run, tap

SCHEMA = "bakewell/job/1"


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def fresh(name):
    folder = TMP / name
    folder.mkdir()
    return folder


def round_trip():
    """A printed job, run from another folder, is the bake that the command line asks for, to the byte."""
    work = fresh("round-trip")
    make_assets(work, "grid-40-12-30")
    lines = ([], ["--fps=24", "--normals=separate", "--max-error=5mm", "--max-between=5%"], ["--max-size=4096", "--engine=generic", "--loop=auto"],
             ["--engine=unreal", "--clip=Walk", "--pow2", "--name=other", "--max-bytes=1MiB"])
    clip = json.loads(run("info", work / "grid-40-12-30.glb", "--json").stdout)["clips"][0]["name"]
    for k, line in enumerate(lines):
        line = [word.replace("Walk", clip) for word in line]
        assert run("vat", "grid-40-12-30.glb", "-o", f"line{k}", *line, cwd=work).returncode == 0
        printed = run("vat", "grid-40-12-30.glb", "-o", f"job{k}", *line, "--print-job", cwd=work)
        assert printed.returncode == 0 and not printed.stderr and not (work / f"job{k}").exists()
        (work / "job.json").write_text(printed.stdout)
        elsewhere = fresh(f"elsewhere{k}")
        done = run("vat", f"--jobs={os.path.relpath(work / 'job.json', elsewhere)}", "--json", cwd=elsewhere)
        assert done.returncode == 0, done.stderr
        assert tree(work / f"line{k}") == tree(work / f"job{k}"), f"{line}: other bytes"
        # The same options by either way are the same to what asks whether a bake is up to date.
        document = json.loads(run("vat", "grid-40-12-30.glb", "-o", f"job{k}", *line, "--json", cwd=work).stdout)
        assert document["up_to_date"], line
        again = run("vat", "--jobs=job.json", "--print-job", cwd=work)
        assert again.stdout == printed.stdout


def overriding():
    work = fresh("overriding")
    make_assets(work, "grid-40-12-30", "grid-41-12-30")
    job = {"schema": SCHEMA, "defaults": {"fps": 10, "pow2": True, "include": ["nothing*"]},
           "bakes": [{"in": "grid-40-12-30.glb", "out": "a", "include": []}, {"in": ["grid-41-12-30.glb"], "out": "b", "fps": 15, "include": None}]}
    (work / "job.json").write_text(json.dumps(job))

    def rates(*words):
        done = run("vat", "--jobs=job.json", "--json", *words, cwd=work)
        assert done.returncode == 0, done.stderr
        return [(5 * round(one["clips"][0]["rate"] / 5), one["texture"]["width"]) for one in json.loads(done.stdout)["results"]]

    first = rates()
    assert [rate for rate, _ in first] == [10, 15] and all(width & width - 1 == 0 for _, width in first), first
    assert [rate for rate, _ in rates("--fps=20")] == [20, 20]
    assert all(width & width - 1 for _, width in rates("--no-pow2")), "a negated option overrides too"
    printed = json.loads(run("vat", "--jobs=job.json", "--fps=20", "--print-job", cwd=work).stdout)
    assert [bake["fps"] for bake in printed["bakes"]] == [20, 20]
    for words in (["grid-40-12-30.glb", "--jobs=job.json"], ["--jobs=job.json", "-o", "c"]):
        assert run("vat", *words, cwd=work).returncode == 2
    job["bakes"][1]["fsp"] = 3
    (work / "job.json").write_text(json.dumps(job))
    shutil.rmtree(work / "a")
    done = run("vat", "--jobs=job.json", cwd=work)
    assert done.returncode == 2 and "bakes[1].fsp" in done.stderr and "fps" in done.stderr, done.stderr
    assert not (work / "a").exists(), "work was done before the job was checked"


def events():
    work = fresh("events")
    [scene] = make_assets(work, "grid-40-12-30")
    clip = json.loads(run("info", scene, "--json").stdout)["clips"][0]["name"]
    bake = {"in": scene.name, "out": "out", "events": [{"clip": clip, "name": "step", "time_s": 0.1}, {"clip": clip, "name": "hit", "time_s": 0.05}]}

    def vat():
        (work / "job.json").write_text(json.dumps({"schema": SCHEMA, "bakes": [bake]}))
        return json.loads(run("vat", f"--jobs={work}/job.json", "--json").stdout)

    assert not vat()["up_to_date"] and vat()["up_to_date"]
    [baked] = json.loads((work / "out/grid-40-12-30_vat.json").read_text())["clips"]
    assert baked["events"] == [{"name": "hit", "time_s": 0.05}, {"name": "step", "time_s": 0.1}], baked["events"]
    bake["events"][0]["time_s"] = 0.15
    assert not vat()["up_to_date"]
    bake["events"].pop()
    assert not vat()["up_to_date"]
    bake["events"][0]["clip"] = "nobody"
    assert vat()["status"] == 2


class Watch:
    """A watching program, and the documents it prints: one a round."""

    def __init__(self, *words):
        self.log = open(TMP / f"watch-{time.monotonic_ns()}", "w+")
        self.process = subprocess.Popen([BAKEWELL, "vat", *map(str, words), "--watch", "--settle=0.1", "--mode=vertex", "--json"], stdout=self.log,
                                        stderr=subprocess.PIPE, text=True)
        self.seen = 0

    def rounds(self, least):
        """Waits for that many further rounds; returns their documents."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            lines = open(self.log.name).read().splitlines()
            if len(lines) >= self.seen + least:
                new, self.seen = lines[self.seen:], len(lines)
                return [json.loads(line) for line in new]
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.process.stderr.read()}"
            time.sleep(0.02)
        raise AssertionError(f"no round {self.seen + least} within 30 s")

    def settled(self):
        """Returns the documents of further rounds until none comes for longer than the settling time and two looks."""
        found = self.rounds(1)
        while True:
            time.sleep(0.9)
            lines = open(self.log.name).read().splitlines()
            if len(lines) == self.seen:
                return found
            found += self.rounds(1)

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


def watching():
    work = fresh("watching")
    make_assets(work, "grid-40-12-30", "grid-41-12-30", "bad-json")
    source = work / "source"
    source.mkdir()
    shutil.copy(work / "grid-40-12-30.glb", source / "a.glb")
    watch = Watch(source, "-o", work / "out")
    first = watch.settled()
    assert first[0]["status"] == 0 and not first[0]["up_to_date"]
    assert all(one["up_to_date"] for one in first[1:]), "nothing has changed, and it was baked again"
    before = (work / "out/a_vat.json").read_bytes()
    shutil.copy(work / "grid-41-12-30.glb", source / "a.glb")
    changed = watch.settled()
    assert changed[-1]["status"] == 0 and changed[-1]["vertices"] != first[0]["vertices"]
    assert (work / "out/a_vat.json").read_bytes() != before
    shutil.copy(work / "bad-json.glb", source / "a.glb")
    assert watch.settled()[-1]["status"] == 4, "an error is told, and watching goes on"
    shutil.copy(work / "grid-40-12-30.glb", source / "a.glb")
    assert watch.settled()[-1]["status"] == 0
    assert (work / "out/a_vat.json").read_bytes() == before
    (source / "deep").mkdir()
    watch.settled()
    shutil.copy(work / "grid-41-12-30.glb", source / "deep/b.glb")
    assert len(watch.settled()[-1]["results"]) == 2, "a new file of a watched folder"
    status, errors = watch.end()
    assert status == 0, f"status {status}: {errors}"
    assert "watching" in errors and "JSON error" in errors
    assert not [p for p in work.rglob(".*")]


def watching_parts():
    """The job file, and a buffer that only the scene names."""
    work = fresh("parts")
    [glb] = make_assets(work, "grid-40-12-30")
    data = glb.read_bytes()
    size = int.from_bytes(data[12:16], "little")
    gltf = json.loads(data[20:20 + size])
    buffer = bytearray(data[28 + size:])
    gltf["buffers"][0]["uri"] = "part.bin"
    (work / "part.bin").write_bytes(buffer)
    (work / "s.gltf").write_text(json.dumps(gltf))
    job = {"schema": SCHEMA, "bakes": [{"in": "s.gltf", "out": "out"}]}
    (work / "job.json").write_text(json.dumps(job))
    watch = Watch(f"--jobs={work}/job.json")
    assert watch.settled()[0]["status"] == 0
    accessor = gltf["accessors"][gltf["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    buffer[gltf["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + 1] ^= 1  # a low bit of the first position
    (work / "part.bin").write_bytes(buffer)
    assert not watch.settled()[0]["up_to_date"]
    job["bakes"][0]["fps"] = 10
    (work / "job.json").write_text(json.dumps(job))
    document = watch.settled()[0]
    assert not document["up_to_date"] and document["clips"][0]["rate"] < 15
    job["bakes"][0]["fsp"] = 10
    (work / "job.json").write_text(json.dumps(job))
    assert watch.settled()[-1]["status"] == 2
    del job["bakes"][0]["fsp"]
    (work / "job.json").write_text(json.dumps(job))
    assert watch.settled()[-1]["status"] == 0
    assert watch.end(signal.SIGTERM)[0] == 0
    assert run("vat", f"--jobs={work}/none.json", "--watch").returncode == 3, "a job that cannot be read at first"


for name, test in (("a printed job says the same", round_trip), ("the command line overrides", overriding), ("events", events),
                   ("watching a folder", watching), ("watching a job and a buffer", watching_parts)):
    tap(name, test)
