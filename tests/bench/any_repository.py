#!/usr/bin/env python3
"""A repository that is not PyTorch: which commit made a noisy loop 8% slower?

Each round makes a git repository of a small C program whose one commit, at a place drawn by chance, adds 8% to the
rounds of its loop (`--change 0`: none does, and right is who names none). The loop is noisy: its rounds vary by `--noise` (standard deviation, of a run) and a share of the
runs is 1.5 times as slow. The same history is bisected by

  * `tbci bisect --repository` with `--build` and `--measure` alone,
  * `git bisect run` with a script that builds, runs once and compares with a threshold halfway between the ends,
  * the same with the median of five runs, and of as many that it is about as many runs as the first takes.

The scripts' threshold is from 11 runs of each end, which are counted, as are the builds of the ends. Prints a Markdown
table: how often each named the right commit, builds and runs on average.

    tests/bench/any_repository.py TBCI [--rounds 20] [--commits 32] [--noise 0.03] [--slow 0.02]
                                  [--change 0.08] [--many 15] [--seed 1]

TBCI is the program. A round takes about 10 to 20 seconds on one core.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

BENCH = r"""#include <math.h>
#include <stdio.h>
#include <time.h>
#include "work.h"
static double uniform(FILE *source) {
  unsigned number = 0;
  if (fread(&number, sizeof number, 1, source) != 1) return 0.5;
  return (number + 0.5) / 4294967296.0;
}
int main(void) {
  FILE *source = fopen("/dev/urandom", "rb");
  if (source == NULL) return 1;
  double normal = sqrt(-2 * log(uniform(source))) * cos(6.283185307179586 * uniform(source));
  double factor = exp(NOISE * normal) * (uniform(source) < SLOW ? 1.5 : 1.0);
  long rounds = (long)(ROUNDS * factor);
  struct timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  volatile double sum = 0;
  for (long i = 0; i < rounds; ++i) sum += i * 0.5;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  printf("%.6f\n", 1e3 * (end.tv_sec - begin.tv_sec) + 1e-6 * (end.tv_nsec - begin.tv_nsec));
  return 0;
}
"""
MAKEFILE = "bench: bench.c work.h\n\tcc -O1 -o bench bench.c -lm\n"
ROUNDS = 4_000_000

# A count file takes a line for each build and each run.
SCRIPT = """#!/bin/sh
echo build >> {count}
make -s || exit 125
i=0
while [ $i -lt {runs} ]; do
  echo run >> {count}
  ./bench
  i=$((i + 1))
done | sort -g | awk '{{ all[NR] = $1 }} END {{ exit all[int((NR + 1) / 2)] > {threshold} }}'
"""


@dataclasses.dataclass
class Outcome:
    right: bool
    builds: int
    runs: int
    named: str


def git(folder: pathlib.Path, *arguments: str) -> str:
    who = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
           "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, text=True, capture_output=True,
                          env={**os.environ, **who})
    return done.stdout.strip()


def make_history(folder: pathlib.Path, options: argparse.Namespace, culprit: int) -> list[str]:
    """Ids of the commits, the good end first; `culprit` is the index of the slower one."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "bench.c").write_text(BENCH)
    (folder / "Makefile").write_text(MAKEFILE)
    ids = []
    for number in range(options.commits + 1):
        rounds = int(ROUNDS * (1 + options.change if number >= culprit else 1))
        (folder / "work.h").write_text(f"/* edit {number} */\n#define ROUNDS {rounds}\n"
                                       f"#define NOISE {options.noise}\n#define SLOW {options.slow}\n")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", f"edit {number}")
        ids.append(git(folder, "rev-parse", "HEAD"))
    return ids


def by_tbci(program: str, folder: pathlib.Path, ids: list[str], wanted: list[int]) -> Outcome:
    state = folder.with_name(folder.name + "-state")
    done = subprocess.run([program, "--json", "--state", str(state), "bisect", "--repository", str(folder), "--from",
                           ids[0], "--to", ids[-1], "--build", "make", "--measure", "./bench", "--unit", "ms"],
                          text=True, capture_output=True)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"tbci failed: {done.stderr}")
    answer = json.loads(done.stdout)
    named = [ids.index(one["commit"]) for one in answer["culprits"]]
    shown = ", ".join(map(str, named)) if named else f"none: {answer['answers'][0]['reason']}"
    return Outcome(named == wanted, answer["builds"], answer["measurements"], shown)


def median_at(folder: pathlib.Path, commit: str, runs: int) -> float:
    git(folder, "checkout", "--quiet", commit)
    subprocess.run(["make", "-s", "-B"], cwd=folder, check=True)
    return statistics.median(float(subprocess.run(["./bench"], cwd=folder, check=True, text=True,
                                                  capture_output=True).stdout) for _ in range(runs))


def by_git(folder: pathlib.Path, ids: list[str], wanted: list[int], runs: int) -> Outcome:
    end_runs = 11
    threshold = (median_at(folder, ids[0], end_runs) + median_at(folder, ids[-1], end_runs)) / 2
    count = folder.with_name(folder.name + "-count")
    count.write_text("")
    script = folder.with_name(folder.name + "-script")
    script.write_text(SCRIPT.format(count=count, runs=runs, threshold=threshold))
    script.chmod(0o755)
    git(folder, "bisect", "start", "--first-parent", ids[-1], ids[0])
    said = git(folder, "bisect", "run", str(script))
    git(folder, "bisect", "reset")
    named = [ids.index(line.split()[0]) for line in said.splitlines() if line.endswith("is the first bad commit")]
    lines = count.read_text().split()
    shown = ", ".join(map(str, named)) if named else "none"
    return Outcome(named == wanted, 2 + lines.count("build"), 2 * end_runs + lines.count("run"), shown)


def table(outcomes: dict[str, list[Outcome]]) -> str:
    rows = ["| | right | builds | runs |", "| --- | ---: | ---: | ---: |"]
    for name, all_of in outcomes.items():
        right = sum(one.right for one in all_of)
        rows.append(f"| {name} | {right} of {len(all_of)} | {statistics.mean(one.builds for one in all_of):.1f} | "
                    f"{statistics.mean(one.runs for one in all_of):.1f} |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tbci")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--commits", type=int, default=32)
    parser.add_argument("--noise", type=float, default=0.03)
    parser.add_argument("--slow", type=float, default=0.02)
    parser.add_argument("--change", type=float, default=0.08)
    parser.add_argument("--many", type=int, default=15, help="runs a commit of the last row")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = str(pathlib.Path(options.tbci).resolve())
    chance = random.Random(options.seed)
    outcomes: dict[str, list[Outcome]] = {}
    for number in range(options.rounds):
        culprit = chance.randint(1, options.commits)
        wanted = [] if options.change == 0 else [culprit]
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place) / "repository"
            ids = make_history(folder, options, culprit)
            here = {"`tbci bisect --repository`": by_tbci(program, folder, ids, wanted),
                    "`git bisect run`, one run": by_git(folder, ids, wanted, 1),
                    "`git bisect run`, median of 5": by_git(folder, ids, wanted, 5),
                    f"`git bisect run`, median of {options.many}": by_git(folder, ids, wanted, options.many)}
        for name, outcome in here.items():
            outcomes.setdefault(name, []).append(outcome)
        told = ", ".join(f"{one.named} ({one.builds} builds, {one.runs} runs)" for one in here.values())
        print(f"round {number + 1}: the culprit is {culprit if wanted else 'none'}; named {told}", file=sys.stderr, flush=True)
    print(f"{options.commits} commits, {options.change:+.0%}, noise {options.noise:.0%}, {options.slow:.0%} of the runs slow, "
          f"seed {options.seed}, {options.rounds} rounds\n")
    print(table(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
