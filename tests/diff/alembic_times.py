#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which sample is taken at a time, against the Alembic reference library: uniform, cyclic and acyclic times."""
import importlib.util
import os
import random
import subprocess
from pathlib import Path

TOOL = Path(os.environ["BW_BUILD"]) / "tests/tools/alembic_times"
NAME = "the reference library takes the same samples at a time"
UNIFORM, CYCLIC, ACYCLIC = range(3)
CASES, LOOKUPS = 400, 60
# Both call times within 1e-5 s equal; at that limit itself the last bit decides.
OFFSETS_S = (0, 0.9e-5, -0.9e-5, 1.1e-5, -1.1e-5)


def sampling(rng, kind):
    """Time of a cycle and the times in it."""
    cycle_s = rng.choice((1 / 24, 1 / 25, 1 / 30, 1 / 60, 1.0, 0.04004, rng.uniform(0.01, 10)))
    start_s = rng.choice((0.0, 1 / 24, -1.0, 41.7083, rng.uniform(-100, 100)))
    if kind == UNIFORM:
        return cycle_s, [start_s]
    if kind == CYCLIC:
        return cycle_s, [start_s + cycle_s * part for part in sorted(rng.sample((0, 0.125, 0.25, 0.3, 0.5, 0.75, 0.9), rng.randint(2, 5)))]
    times_s = [start_s]
    for _ in range(rng.randint(1, 19)):
        times_s.append(times_s[-1] + rng.choice((0.001, 1 / 24, 0.5, rng.uniform(0.001, 5))))
    return 1.0, times_s


def time_of(kind, cycle_s, times_s, index):
    return times_s[0] + cycle_s * index if kind == UNIFORM else times_s[index % len(times_s)] + cycle_s * (index // len(times_s))


def lookups(rng):
    """(kind, time of a cycle, times, number of samples, time): at, around and between samples, before the first and behind the last."""
    for case in range(CASES):
        kind = case % 3
        cycle_s, times_s = sampling(rng, kind)
        count = len(times_s) if kind == ACYCLIC else rng.choice((1, 2, 7, 240))
        first_s, last_s = (time_of(kind, cycle_s, times_s, index) for index in (0, count - 1))
        for _ in range(LOOKUPS):
            at_s = time_of(kind, cycle_s, times_s, rng.randrange(count)) + rng.choice(OFFSETS_S)
            yield kind, cycle_s, times_s, count, rng.choice((at_s, rng.uniform(first_s - 1, last_s + 1)))


def is_before_cycle(kind, cycle_s, times_s, count, time_s):
    """Whether the time is just before the first sample of a cycle: there the library keeps no slack, or takes more than its own."""
    start_s = times_s[0] + cycle_s * round((time_s - times_s[0]) / cycle_s)
    return kind == CYCLIC and 0 < start_s - time_s < 2e-5


def theirs(kind, cycle_s, times_s, count, time_s):
    from alembic3d import AbcCoreAbstract as core
    if kind == UNIFORM:
        of = core.TimeSampling(cycle_s, times_s[0])
    else:
        vector = core.TimeVector()
        vector.extend(times_s)
        form = core.TimeSamplingType(core.AcyclicFlag.kAcyclic) if kind == ACYCLIC else core.TimeSamplingType(len(times_s), cycle_s)
        of = core.TimeSampling(form, vector)
    return of.getFloorIndex(time_s, count), of.getCeilIndex(time_s, count), of.getNearIndex(time_s, count)


def main():
    if importlib.util.find_spec("alembic3d") is None:
        print(f"skip {NAME}: its Python binding, the PyPI package alembic3d, is not installed")
        return
    asked = list(lookups(random.Random(5)))
    lines = [" ".join(map(repr, (kind, cycle_s, len(times_s), *times_s, count, time_s))) for kind, cycle_s, times_s, count, time_s in asked]
    done = subprocess.run([TOOL], input="\n".join(lines), capture_output=True, text=True, check=True, timeout=60)
    ours = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    other = [(case, a, b) for case, a in zip(asked, ours, strict=True) if a != (b := theirs(*case))]
    odd = [difference for difference in other if is_before_cycle(*difference[0])]
    why = [f"{case}: {a}, expected {b}" for case, a, b in other if not is_before_cycle(*case)]
    print(f"# {len(asked)} lookups, {len(odd)} differ just before a cycle")
    print(f"not ok {NAME}: {len(why)} differ: {'; '.join(why)[:700]}" if why else f"ok {NAME}")
    known = odd and all(abs(x - y) <= 1 for _, a, b in odd for x, y in zip(a, b))
    print(f"{'ok' if known else 'not ok'} the reference library is one sample off before cycles, and nowhere else")


if __name__ == "__main__":
    main()
