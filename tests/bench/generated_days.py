#!/usr/bin/env python3
"""Generated days: does `tbci bisect` name every culprit exactly, or the set that cannot be told apart, and with how many builds?

Each day is a repository of `tbci-miniature`: 70 commits, of them 1 to 3 culprits of different kinds, some in stretches that do not
build, documents between them, all drawn from the day's number. `tbci bisect --from A --to B` runs on real LibTorch, real git and real
rebuilds, once with each kind of priors (the later ones find the builds of the first, the count of builds is of those asked for).
Beside it stands what `git bisect run` needs on the same days, one culprit after the other, with a test that is never wrong.
Prints a Markdown table, a line as each day ends.

    tests/bench/generated_days.py BUILD_FOLDER [--days FIRST-LAST] [--priors operators,paths,none] [--load CPU] [--keep FOLDER]

TBCI_LIBTORCH names the LibTorch (deploy/deps --print-torch). --load: a compiler works on that CPU all the time.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from compile_load import compiling
from miniature_subject import subject

# What each kind of fault slows most, and its family.
KINDS = {
    "embedding-bag-bounds": "dlrm",
    "activation-validity": "nvidia_deeprecommender",
    "addmm-dtype": "lennard_jones",
    "error-handling": "soft_actor_critic",
    "memory-kept": "dlrm",
    "memory-peak": "resnet18",
}

FAMILIES = ["dlrm", "lennard_jones", "deeprecommender", "resnet", "soft_actor_critic"]

CONFIG = """[measure]
benchmarks = {benchmarks}
configurations = ["cpu-infer"]
[bisect]
priors = "{priors}"
{subject}[[subject.source.likely]]
path = "kernels/"
factor = 5
"""


def drawn(number):
    """Faults (kind, position, strength) and the positions that do not build."""
    draw = random.Random(number)
    kinds = draw.sample(sorted(KINDS), draw.choice([1, 1, 2, 3]))
    faults = [(kind, place, draw.choice([0.8, 1, 1.3])) for kind, place in zip(kinds, sorted(draw.sample(range(2, 70), len(kinds))))]
    broken = set()
    for _ in range(draw.choice([0, 1, 2])):
        begin = draw.randrange(2, 68)
        broken.update(range(begin, min(69, begin + draw.choice([1, 2, 3]))))
    taken = {place for _, place, _ in faults}
    # The commit after a stretch repairs it and brings no fault.
    broken = {place for place in broken if place not in taken and place + 1 not in taken}
    beside = draw.random() < 0.2
    return faults, sorted(broken), beside


def generate(build, folder, number):
    faults, broken, beside = drawn(number)
    command = [build / "tbci-miniature", "generate", folder / "repository", "--json", "--seed", str(number)]
    for kind, place, strength in faults:
        command += ["--fault", f"{kind}@{place}*{strength}"]
    if beside:
        command += ["--unbuildable-beside-culprit"]
    elif broken:
        for place in broken:
            command += ["--unbuildable", str(place)]
    else:
        command += ["--all-build"]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        sys.exit(f"day {number}: {outcome.stderr}")
    return json.loads(outcome.stdout), faults


def bisect(arguments, folder, truth, faults, priors):
    benchmarks = sorted({KINDS[kind] for kind, _, _ in faults})
    config = folder / f"{priors}.toml"
    config.write_text(CONFIG.format(benchmarks=json.dumps(benchmarks), priors=priors,
                                    subject=subject(folder / "repository", FAMILIES)))
    ends = [nightly["commit"] for nightly in truth["nightlies"]][-2:]
    command = [arguments.build.resolve() / "tbci", "--config", config, "--state", folder / "state", "bisect", "--json",
               "--from", ends[0], "--to", ends[1]]
    begin = time.monotonic()
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode not in (0, 1) or not outcome.stdout:
        sys.exit(f"tbci bisect ended with {outcome.returncode}: {outcome.stderr}")
    return json.loads(outcome.stdout), time.monotonic() - begin


def verdict(answer, truth):
    """Of all series together: exactly the culprits, each by itself or with those that cannot be told from it?"""
    found = {tuple(sorted(step["suspects"])) for one in answer["answers"] for step in one["steps"] if not step["repair"]}
    wanted = {tuple(sorted(culprit["indistinguishable"])) for culprit in truth["culprits"]}
    if found == wanted:
        return "right"
    missing, more = wanted - found, found - wanted
    said = [f"missed {len(missing)}"] if missing else []
    said += ["WRONG " + " ".join(",".join(commit[:8] for commit in group) for group in sorted(more))] if more else []
    return "; ".join(said)


def unbuildable(truth):
    return [commit["commit"] for commit in truth["commits"] if not commit["builds"]]


def builds_of_git(folder, truth):
    """What `git bisect run` tests for all culprits, one after the other; the two ends are taken for known."""
    clone = folder / "bisected"
    subprocess.run(["git", "clone", "--quiet", folder / "repository", clone], check=True)
    good, bad = [nightly["commit"] for nightly in truth["nightlies"]][-2:]
    tests = 0
    for culprit in truth["culprits"]:
        script = folder / "test.sh"
        script.write_text(f"""#!/bin/sh
echo >> {folder}/tests
for broken in {" ".join(unbuildable(truth))}; do [ "$(git rev-parse HEAD)" = "$broken" ] && exit 125; done
git merge-base --is-ancestor {culprit["commit"]} HEAD && exit 1
exit 0
""")
        script.chmod(0o755)
        (folder / "tests").write_text("")
        for command in (["start", bad, good], ["run", str(script)], ["reset"]):
            subprocess.run(["git", "-C", clone, "bisect", *command], capture_output=True, check=False)
        tests += len((folder / "tests").read_text())
    shutil.rmtree(clone)
    return tests


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder with tbci and tbci-miniature")
    parser.add_argument("--days", default="1-40", help="which of them, as 3-7")
    parser.add_argument("--priors", default="operators,paths,none")
    parser.add_argument("--load", type=int, help="CPU on which a compiler works meanwhile")
    parser.add_argument("--keep", type=pathlib.Path, help="keep repositories and states here")
    arguments = parser.parse_args()
    if "TBCI_LIBTORCH" not in os.environ:
        sys.exit("TBCI_LIBTORCH is not set: deploy/deps --print-torch says what to set it to")
    return arguments


def play(arguments, base, number, builds, said):
    folder = base / f"day-{number}"
    folder.mkdir()
    (folder / "state").mkdir()
    (folder / "state" / "workers").symlink_to(base / "workers")
    truth, faults = generate(arguments.build.resolve(), folder, number)
    cells = []
    for priors in arguments.priors.split(","):
        answer, seconds = bisect(arguments, folder, truth, faults, priors)
        answered = verdict(answer, truth)
        said[priors][answered == "right"] += 1
        builds[priors].append(max(0, answer["builds"] - 2))
        cells += [answered, str(builds[priors][-1]), str(answer["measurements"]), f"{seconds:.0f}"]
    builds["git bisect run"].append(builds_of_git(folder, truth))
    what = ", ".join(f"{kind}@{place}*{strength}" for kind, place, strength in faults)
    print(f"| {number} | {what} | {len(unbuildable(truth))} | {' | '.join(cells)} | {builds['git bisect run'][-1]} |", flush=True)
    if not arguments.keep:
        shutil.rmtree(folder)


def main():
    arguments = parse()
    first, _, last = arguments.days.partition("-")
    builds, said = collections.defaultdict(list), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as temporary:
        base = arguments.keep.resolve() if arguments.keep else pathlib.Path(temporary)
        (base / "workers").mkdir(parents=True, exist_ok=True)
        heads = [f"{priors} | builds | processes | s" for priors in arguments.priors.split(",")]
        print(f"Builds are without the two ends.\n\n| day | faults | do not build | {' | '.join(heads)} | builds of git bisect run |")
        print("|---" * (4 + 4 * len(heads)) + "|", flush=True)
        with compiling([arguments.load]) if arguments.load is not None else contextlib.nullcontext():
            for number in range(int(first), int(last or first) + 1):
                play(arguments, base, number, builds, said)
    print()
    for name, counts in builds.items():
        right = f"{said[name][True]} of {sum(said[name].values())} days right, " if name in said else ""
        print(f"{name}: {right}{statistics.mean(counts):.2f} builds on average, {max(counts)} at worst")
    sys.exit(1 if any(counter[False] for counter in said.values()) else 0)


if __name__ == "__main__":
    main()
