#!/usr/bin/env python3
"""A day of 70 commits on PyTorch 1.13.1's source, with known culprits: edits a git repository in place and commits.

    generate.py REPOSITORY [--seed N] [--faults NAME,...] [--branch NAME] [--base main] > truth.json

The repository is what `prepare` made. The commits go onto a branch of their own (`day-SEED`) that is made again each time; `main` and
what is untracked stay as they are. Most commits are harmless: comments, static_asserts, reordered includes, renamed locals,
some of them in headers that many files include. Some touch no compiled file, two do not compile (the next commit
repairs each), and up to six bring a fault that the TorchBench paper tells of, where it once was (faults.py). Prints the
truth as JSON. Equal seeds give equal commits, down to their hashes.
"""
import argparse
import dataclasses
import datetime
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys

import edits
import faults

COMMITS = 70
FIRST_REQUEST = 91000  # number of the first pull request
BEGIN = datetime.datetime(2022, 12, 16, 0, 5, tzinfo=datetime.timezone.utc)
AUTHORS = ["Ada Moreau", "Ben Okafor", "Chiara Lindqvist", "Dmitri Halloran", "Esther Nakamura"]

# What is compiled in this build and takes seconds, not minutes.
POOL = ["aten/src/ATen/*.cpp", "aten/src/ATen/core/*.cpp", "aten/src/ATen/native/*.cpp", "c10/core/*.cpp", "c10/util/*.cpp"]
LARGEST_BYTES = 60_000
# How many of the 1,033 compiled files include each is in docs/pytorch-source.md. One changes for the compiler as well.
HEADERS = {"aten/src/ATen/TensorUtils.h": edits.comment_in_line, "aten/src/ATen/TensorIterator.h": edits.comment_in_line,
           "aten/src/ATen/native/Resize.h": edits.comment_in_line, "aten/src/ATen/native/Pool.h": edits.assertion}
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "torch/functional.py", "torch/serialization.py",
             "test/test_torch.py"]
BROKEN = 2


@dataclasses.dataclass
class Plan:
    """What the commit at each position (1 to 70) brings; a position without an entry is a harmless edit."""
    faults: dict[int, str]
    broken: dict[int, str]  # position: path; the next position repairs it
    headers: dict[int, str]
    documents: dict[int, str]


def git(root: pathlib.Path, *arguments: str, environment: dict[str, str] | None = None) -> str:
    command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false", "-c", "gc.auto=0", *arguments]
    outcome = subprocess.run(command, cwd=root, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if outcome.returncode != 0:
        sys.exit(f"{' '.join(command)}: {outcome.stderr.strip()}")
    return outcome.stdout.strip()


def pool_of(root: pathlib.Path) -> list[str]:
    touched_by_faults = {path for fault in faults.FAULTS.values() for path in fault.paths}
    found = sorted({str(path.relative_to(root)) for pattern in POOL for path in root.glob(pattern)
                    if path.stat().st_size < LARGEST_BYTES})
    pool = [path for path in found if path not in touched_by_faults and "_test" not in path]
    if len(pool) < 2 * COMMITS:
        sys.exit(f"only {len(pool)} source files in {root}: is this PyTorch 1.13.1?")
    return pool


def plan_day(chance: random.Random, names: list[str], pool: list[str]) -> Plan:
    free = set(range(3, COMMITS - 1))

    def draw(width: int) -> int:
        places = [p for p in sorted(free) if all(q in free for q in range(p, p + width))]
        place = chance.choice(places)
        free.difference_update(range(place, place + width))
        return place

    # A repaired commit lies between what does not build and whatever comes next: every culprit can be told exactly.
    broken = {draw(3): chance.choice(pool) for _ in range(BROKEN)}
    plan = Plan({draw(2): name for name in names}, broken, {}, {})
    plan.headers = {draw(1): path for path in HEADERS}
    plan.documents = {draw(1): path for path in DOCUMENTS}
    return plan


def harmless(tree: edits.Tree, chance: random.Random, pool: list[str], number: int) -> str:
    """Takes a file from the pool that the drawn kind of edit fits, else another kind, and says what was done."""
    kinds = sorted(edits.HARMLESS)
    chance.shuffle(kinds)
    chance.shuffle(pool)
    for kind, path in itertools.product(kinds, pool):
        text = edits.HARMLESS[kind](tree.read(path), number)
        if text is None:
            continue
        tree.write(path, text)
        pool.remove(path)
        return f"{pathlib.Path(path).stem}: {kind}"
    sys.exit("no file for a harmless edit")


class Day:
    def __init__(self, root: pathlib.Path, seed: int, names: list[str]):
        self.tree = edits.Tree(root)
        self.chance = random.Random(seed)
        self.pool = pool_of(root)
        self.plan = plan_day(self.chance, names, self.pool)
        for path in self.plan.broken.values():
            if path in self.pool:
                self.pool.remove(path)
        self.repair: tuple[str, str] | None = None

    def edit(self, position: int) -> tuple[str, str]:
        """Edits what the commit at this position changes: its kind and its subject."""
        number = FIRST_REQUEST + position
        if self.repair is not None:
            (path, text), self.repair = self.repair, None
            self.tree.write(path, text)
            return "repair", f"Fix the build of {pathlib.Path(path).stem}"
        if position in self.plan.faults:
            fault = faults.FAULTS[self.plan.faults[position]]
            fault.apply(self.tree)
            return fault.name, fault.subject
        if position in self.plan.broken:
            path = self.plan.broken[position]
            self.repair = (path, self.tree.read(path))
            self.tree.write(path, self.tree.read(path) + f"\nstatic_assert(commit_{number}_lacks_a_header, \"\");\n")
            return "broken", f"{pathlib.Path(path).stem}: check a constant at compile time"
        path = self.plan.headers.get(position)
        if path is not None:
            text = HEADERS[path](self.tree.read(path), number)
            if text is None:
                sys.exit(f"{path}: no place for an edit; is this PyTorch 1.13.1?")
            self.tree.write(path, text)
            return "header", f"{pathlib.Path(path).name}: review"
        path = self.plan.documents.get(position)
        if path is not None:
            self.tree.write(path, self.tree.read(path) + "\n")
            return "document", f"{pathlib.Path(path).name}: an empty line at the end"
        return "harmless", harmless(self.tree, self.chance, self.pool, number)

    def commit(self, position: int, subject: str) -> str:
        author = self.chance.choice(AUTHORS)
        when = (BEGIN + datetime.timedelta(minutes=20 * position)).isoformat()
        address = author.lower().replace(" ", ".") + "@example.org"
        environment = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER")
                       for key, value in (("NAME", author), ("EMAIL", address), ("DATE", when))}
        root = self.tree.root
        git(root, "add", "--", *self.tree.take_edited())
        git(root, "commit", "--quiet", "--message", f"{subject} (#{FIRST_REQUEST + position})", environment=environment)
        return git(root, "rev-parse", "HEAD")


def generate(root: pathlib.Path, base: str, branch: str, seed: int, names: list[str]) -> dict:
    if git(root, "status", "--porcelain", "--untracked-files=no"):
        sys.exit(f"{root} has changes that are not committed: a day is generated on a clean checkout")
    git(root, "checkout", "--quiet", "-B", branch, base)
    truth: dict = {"seed": seed, "branch": branch, "base": git(root, "rev-parse", base), "commits": [], "culprits": [],
                   "broken": []}
    try:
        make_commits(Day(root, seed, names), truth)
    finally:  # also where an edit found another source than it expects
        git(root, "checkout", "--quiet", "--force", base)
    truth["head"] = truth["commits"][-1]["commit"]
    return truth


def make_commits(day: Day, truth: dict) -> None:
    for position in range(1, COMMITS + 1):
        kind, subject = day.edit(position)
        paths = sorted(set(day.tree.edited))
        made = {"commit": day.commit(position, subject), "position": position, "kind": kind, "paths": paths}
        truth["commits"].append(made)
        if kind in faults.FAULTS:
            fault = faults.FAULTS[kind]
            truth["culprits"].append({**made, "fault": kind, "pull_request": fault.pull_request, "series": fault.series})
        elif kind == "broken":
            truth["broken"].append(made["commit"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", default=",".join(faults.FAULTS), help=f"of {', '.join(faults.FAULTS)}; '': none")
    parser.add_argument("--base", default="main")
    parser.add_argument("--branch")
    arguments = parser.parse_args()
    names = [name for name in arguments.faults.split(",") if name]
    for name in names:
        if name not in faults.FAULTS:
            sys.exit(f"no fault '{name}': there are {', '.join(faults.FAULTS)}")
    branch = arguments.branch or f"day-{arguments.seed}"
    truth = generate(arguments.repository.resolve(), arguments.base, branch, arguments.seed, names)
    print(json.dumps(truth, indent=1))


if __name__ == "__main__":
    main()
