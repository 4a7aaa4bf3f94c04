#!/usr/bin/env python3
"""Real slowdowns in real measurements: are those over the threshold confirmed, and those under it left alone?

A repository of `tbci-miniature` with one fault of a given strength between its two nightlies; `tbci compare` compares the two,
on real LibTorch, again and again. For each strength prints what the confirmations measured and what they said. The screen
suspects nothing of a small step, so beside its verdicts stands what a confirmation says that is asked for anyway (`--screen-at`).

    tests/bench/real_steps.py BUILD_FOLDER [--strengths 0.3,1] [--repeats 10] [--load 1] [--keep FOLDER]
                              [--fault addmm-dtype] [--case lennard_jones/cpu-infer] [--metric time] [--screen-at 0.001]

--load: a compiler works on that CPU all the time. TBCI_LIBTORCH names the LibTorch (deploy/deps --print-torch).
"""

import argparse
import collections
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from compile_load import compiling
from miniature_subject import subject

CONFIG = """[measure]
benchmarks = ["{benchmark}"]
configurations = ["{configuration}"]
[thresholds]
relative = 0.07
screen = {screen}
{subject}"""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done


def prepare(arguments, folder, strength):
    """A repository and its configuration; both nightlies built, and the worker."""
    place = folder / f"strength-{strength}"
    place.mkdir(parents=True, exist_ok=True)
    build = pathlib.Path(arguments.build)
    generate = [build / "tbci-miniature", "generate", place / "repository", "--json", "--seed", "7"]
    truth = json.loads(run([*generate, "--fault", f"{arguments.fault}@35*{strength}"]).stdout)
    benchmark, configuration = arguments.case.split("/")
    config = place / "tbci.toml"
    config.write_text(CONFIG.format(benchmark=benchmark, configuration=configuration, screen=arguments.screen_at,
                                    subject=subject(place / "repository", [arguments.family or benchmark])))
    # One worker serves all: it does not depend on the repository.
    workers, shared = place / "state" / "workers", folder / "workers"
    shared.mkdir(exist_ok=True)
    (place / "state").mkdir(exist_ok=True)
    if not workers.exists():
        workers.symlink_to(shared)
    tbci = [build / "tbci", "--config", config, "--state", place / "state"]
    names = [nightly["day"] for nightly in truth["nightlies"]][-2:]
    for name in names:
        run([*tbci, "nightly", "install", name])
    return tbci, names


def measure(arguments, folder, strength):
    tbci, names = prepare(arguments, folder, strength)
    changes, pairs, verdicts = [], [], collections.Counter()
    for _ in range(arguments.repeats):
        findings = json.loads(run([*tbci, "compare", *names, "--json"]).stdout)["findings"]
        found = next(finding for finding in findings if finding["series"].endswith("/" + arguments.metric))
        verdicts[found["verdict"]] += 1
        changes.append(found["change"])
        pairs.append(found["pairs"])
    told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    print(f"| {arguments.fault}*{strength} | {arguments.repeats} | {statistics.median(changes):+.1%} | {min(changes):+.1%} to "
          f"{max(changes):+.1%} | {told} | {statistics.mean(pairs):.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--strengths", default="0.3,1")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--load", default="")
    parser.add_argument("--keep")
    parser.add_argument("--fault", default="addmm-dtype")
    parser.add_argument("--case", default="lennard_jones/cpu-infer")
    parser.add_argument("--family", default="")
    parser.add_argument("--metric", default="time")
    parser.add_argument("--screen-at", type=float, default=0.001)
    arguments = parser.parse_args()
    load = compiling(arguments.load.split(",")) if arguments.load else contextlib.nullcontext()
    with tempfile.TemporaryDirectory() as temporary, load:
        folder = pathlib.Path(arguments.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{arguments.case}/{arguments.metric}, {'beside a compiler' if arguments.load else 'nothing beside'}\n")
        print("| fault | comparisons | change, median | least to largest | verdicts | pairs |\n|---|---|---|---|---|---|")
        for strength in arguments.strengths.split(","):
            measure(arguments, folder, strength)


if __name__ == "__main__":
    main()
