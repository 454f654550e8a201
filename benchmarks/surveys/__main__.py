"""`python -m benchmarks.surveys NAME MANIFEST...`: measure what a survey promises, on the repositories of a manifest.

`same` compares a survey with `looplint check` on each repository. `kills` kills workers, and the whole survey, at random moments, and compares what is
stored in the end with an undisturbed survey. `cores` takes the time with one processor and with two, in turns. `nodes` runs on a cluster of several local nodes, one of
which is taken away on the way. `--store` keeps the figures of `same`.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import add_option, store
from benchmarks.surveys import disturbing, same
from looplint.survey.repositories import read


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.surveys", description=__doc__)
    parser.add_argument("name", choices=["same", "kills", "cores", "nodes"])
    parser.add_argument("sources", nargs="+", help="as `looplint survey` takes them")
    parser.add_argument("--kills", type=int, default=30, help="how often a worker is killed; the survey itself a third as often")
    parser.add_argument("--cut", type=int, default=100, metavar="KB", help="as `looplint survey` takes it")
    parser.add_argument("--turns", type=int, default=2, help="how often the time is taken with one processor and with two")
    parser.add_argument("--seed", type=int, default=0)
    add_option(parser)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        survey = disturbing.Survey(options.sources, out / "calm", options.cut)
        began = time.monotonic()
        survey.run(cpus=1)
        calm = disturbing.content(out / "calm")
        print(f"undisturbed: {disturbing.summary(out / 'calm')}, {time.monotonic() - began:.0f} s", flush=True)
        if options.name == "same":
            repositories = read(options.sources)
            different = same.differing(repositories, out / "calm")
            if options.store:
                store("survey_same", same.facts(repositories, out / "calm", options.cut, different))
            print(f"different from `looplint check`: {len(different)} {' '.join(different)}")
            return 1 if different else 0
        if options.name == "cores":
            # In turns: whatever else the machine does is done to both.
            for turn in range(options.turns):
                for cpus in (1, 2):
                    began, place = time.monotonic(), out / f"{turn}-{cpus}"
                    disturbing.Survey(options.sources, place, options.cut).run(cpus)
                    print(
                        f"{cpus} of {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}: {time.monotonic() - began:.0f} s",
                        flush=True,
                    )
            return _compared(calm, place)
        if options.name == "nodes":
            print(disturbing.on_nodes(options.sources, out / "nodes", options.cut))
            return _compared(calm, out / "nodes")
        print(disturbing.killing(options.sources, out / "kills", options.cut, options.kills, random.Random(options.seed)))
        return _compared(calm, out / "kills")


def _compared(calm: disturbing.Content, out: Path) -> int:
    found = disturbing.content(out)
    lost = sorted(calm.keys() - found.keys())
    different = sorted(name for name in calm.keys() & found.keys() if calm[name] != found[name])
    rows = sum(found[name].rows for name in found)
    print(f"{len(found)} repositories, {rows} rows; lost: {lost}; different: {different}; stored twice: {disturbing.twice(out)}")
    return 1 if lost or different or disturbing.twice(out) else 0


if __name__ == "__main__":
    sys.exit(main())
