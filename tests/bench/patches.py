#!/usr/bin/env python3
"""The patches of section 4.1 of the TorchBench paper, before and after: Figure 6, and its counts of models that gain.

usage: patches.py WORKER [--benchmarks NAME ...] [--patches NAME ...] [--configurations cpu-train cpu-infer]
                  [--size ci] [--batch N] [--runs 20] [--iterations 5] [--warmup 2] [--cpu N] [--seed 20]
                  [--keep FILE] [--minutes N] [--hints BENCH_TIMELINE]

WORKER is a tbci-worker; `WORKER list --variants` says what a patch is (docs/patches.md). In each run every model is
measured in a process for each side of each of its patches, in a random order, so that both sides see the same machine. A
process's time is the median of its iterations; a run's speed-up is the time before a patch over the time after it, and a
patch's speed-up is the arithmetic mean over the runs, as in the paper. `all` is the product of a run's speed-ups: what the
patches gain together. A number behind ± is the standard error. Not measured are models on which none of the patches acts;
they count as without gain. With --keep each run is added to a file, and runs that stand there are not made again, so
that a table may take several days; it is refused where the file was made with other options. --minutes: after these no
case is begun, and the table has those that are whole.

--hints: no times; the timelines of both sides are recorded in each run and looked into by BENCH_TIMELINE (built as
bench-timeline), and the largest gains over the runs are printed. Exit code 1 where a patch's hint promises less than 0.1%
before it (missing), or a third of that or more after it (stays).
"""

import argparse
import collections
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

PAPER = {"train": "41 of 84, 1.34x on average, up to 10.1x", "infer": "15 of 84, up to 10.3x"}
GAINS = 1.03
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}
ROW, ONE = "small calls in a row", "tensor of one element"
# A patch's hint: its kind, and the operators that may name it; none: any.
HINTS = {"zeros-one-by-one": (ROW, ["aten.zero_.default"]), "fused-steps": (ROW, []),
         "rsqrt-tensor": (ONE, ["aten.rsqrt.default"])}
PLAIN = "plain"


class Refused(Exception):
    """The worker does not run this; the message is its reason."""


def lines_of(arguments, *words):
    pin = (lambda: os.sched_setaffinity(0, {arguments.cpu})) if arguments.cpu is not None else None
    done = subprocess.run([arguments.worker, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=pin,
                          env={**os.environ, **ONE_THREAD})
    if words[0] == "timeline" and done.returncode == 0:
        return done.stdout
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    last = lines[-1] if lines else {}
    if last.get("type") != "done":
        raise Refused(last.get("message", f"exit code {done.returncode}"))
    return lines


def words_of(arguments, command, case, side):
    words = [command, "--benchmark", case[0], "--configuration", case[1], "--size", arguments.size,
             "--iterations", str(arguments.iterations), "--warmup", str(arguments.warmup)]
    words += ["--batch", str(arguments.batch)] if arguments.batch else []
    return words + ([] if side == PLAIN else ["--variant", side])


def time_of(arguments, case, side):
    lines = lines_of(arguments, *words_of(arguments, "run", case, side))
    return statistics.median(line["nanoseconds"] for line in lines if line["type"] == "sample")


def look_at(arguments, case, side):
    timeline = lines_of(arguments, *words_of(arguments, "timeline", case, side))
    seen = subprocess.run([arguments.hints], input=timeline, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(seen)["hints"]


def promise(hints, patch):
    kind, operators = HINTS[patch]
    return sum(hint["gain"] for hint in hints
               if hint["kind"] == kind and (not operators or hint["operator"] in operators))


def cases_of(arguments, patches):
    """The cases, each with the patches that may act on it: whether they do, the worker says."""
    cases = {}
    for benchmark in (line for line in lines_of(arguments, "list") if line["type"] == "benchmark"):
        name = benchmark["name"]
        if arguments.benchmarks and name not in arguments.benchmarks:
            continue
        for configuration in arguments.configurations:
            if configuration not in benchmark["configurations"]:
                continue
            mine = [patch["name"] for patch in patches
                    if (patch["benchmark"] == name if patch["benchmark"] else configuration.endswith("-train"))]
            cases[name, configuration] = mine
    return cases


def measure(arguments, case, patches, of_side):
    """What `of_side` returns of each side, for the plain model and the patches that act on it; and who is refused."""
    found, refused = {}, {}
    for side in random.sample([PLAIN, *patches], len(patches) + 1):
        try:
            found[side] = of_side(arguments, case, side)
        except Refused as reason:
            refused[side] = str(reason)
    return found, refused


def mean(values):
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0
    return statistics.mean(values), error


def speedups_of(times, sides):
    """Of one run, by patch: the time before over the time after."""
    return {patch: (time / times[PLAIN] if sides[patch] == "before" else times[PLAIN] / time)
            for patch, time in times.items() if patch != PLAIN}


def patch_summary(patch, mode, speedups):
    """`speedups`: the means with their errors of the models on which the patch acts."""
    sure = sum(gain - 2 * error > GAINS for gain, error in speedups)
    slower = sum(gain + 2 * error < 1 for gain, error in speedups)
    return (f"{patch}, {mode}: {len(speedups)} models, {statistics.mean(gain for gain, _ in speedups):.3f}x on average, "
            f"{sure} gain over 3% and {slower} lose, by more than two errors each")


def summary(mode, measured, others):
    """`measured`: the means over all patches with their errors, by model; `others`: the models on which none acts."""
    gaining = {name: gain for name, (gain, _) in measured.items() if gain > GAINS}
    sure = sum(gain - 2 * error > GAINS for gain, error in measured.values())
    best = max(gaining, key=gaining.get, default=None)
    text = f"{mode}: {len(gaining)} of {len(measured) + others} models gain over 3% ({sure} by more than two errors)"
    if best:
        text += f", {statistics.mean(gaining.values()):.2f}x on average, up to {gaining[best]:.2f}x ({best})"
    return f"{text}; the paper, on a GPU: {PAPER[mode]}"


class Kept:
    """The runs of a file, and a file for those that are made."""

    def __init__(self, arguments):
        self.runs, self.file = {}, pathlib.Path(arguments.keep) if arguments.keep else None
        options = {name: getattr(arguments, name) for name in ("size", "batch", "iterations", "warmup", "patches")}
        lines = self.file.read_text().splitlines() if self.file and self.file.exists() else []
        if self.file and not lines:
            self.add(options)
        for line in lines[1:]:
            seen = json.loads(line)
            self.runs[seen["benchmark"], seen["configuration"], seen["run"]] = seen["times"], seen["refused"]
        if lines and json.loads(lines[0]) != options:
            sys.exit(f"{self.file} has runs of {lines[0]}: give another file")

    def add(self, line):
        if self.file:
            with self.file.open("a") as out:
                out.write(json.dumps(line) + "\n")

    def has_all(self, case, runs):
        """Also where the worker refused the model, so that a first run was the last."""
        made = [times for (*of, _), (times, _) in self.runs.items() if tuple(of) == case]
        return len(made) >= runs or any(PLAIN not in times or len(times) < 2 for times in made)

    def run(self, arguments, case, number, patches):
        """Times and refusals, by side."""
        if (*case, number) not in self.runs:
            self.runs[*case, number] = times, refused = measure(arguments, case, patches, time_of)
            self.add({"benchmark": case[0], "configuration": case[1], "run": number, "times": times, "refused": refused})
        return self.runs[*case, number]


def print_speedups(arguments, patches, cases):
    sides = {patch["name"]: patch["side"] for patch in patches}
    print("| model | configuration | " + " | ".join(sides) + " | all |\n|---|---" + "|--:" * (len(sides) + 1) + "|")
    reasons = collections.defaultdict(list)
    measured, others = collections.defaultdict(dict), collections.Counter()
    of_patch = collections.defaultdict(list)
    kept, end, left = Kept(arguments), time.monotonic() + 60 * arguments.minutes, 0
    for case, mine in cases.items():
        if mine and not kept.has_all(case, arguments.runs) and time.monotonic() > end:
            left += 1
            continue
        mode = case[1].split("-")[1]
        runs, skipped = [], {}
        for number in range(arguments.runs if mine else 0):
            times, refused = kept.run(arguments, case, number, [patch for patch in mine if patch not in skipped])
            skipped.update(refused)
            if PLAIN not in times or not set(times) - {PLAIN}:
                break
            runs.append(speedups_of(times, sides))
        for reason in skipped.values():
            reasons[reason].append("/".join(case))
        acting = [patch for patch in mine if patch not in skipped] if runs else []
        if not acting:
            others[mode] += 1
            continue
        by_patch = {patch: mean([run[patch] for run in runs]) for patch in acting}
        for patch, speedup in by_patch.items():
            of_patch[patch, mode].append(speedup)
        together = []
        for run in runs:
            product = 1.0
            for patch in acting:
                product *= run[patch]
            together.append(product)
        measured[mode][case[0]] = mean(together)
        cells = [f"{by_patch[patch][0]:.3f} ± {by_patch[patch][1]:.3f}" if patch in by_patch else "" for patch in sides]
        print(f"| {case[0]} | {case[1]} | " + " | ".join([*cells, "{:.3f} ± {:.3f}".format(*mean(together))]) + " |",
              flush=True)
    print()
    for mode in PAPER:
        if measured[mode] or others[mode]:
            print(summary(mode, measured[mode], others[mode]))
    for (patch, mode), speedups in sorted(of_patch.items()):
        print(patch_summary(patch, mode, speedups))
    if left:
        print(f"{left} cases are still to be measured")
    for reason, names in sorted(reasons.items()):
        print(f"- {reason} ({len(names)}: {', '.join(names[:3])}{', ...' if len(names) > 3 else ''})")
    return True


def print_hints(arguments, patches, cases):
    counts = collections.defaultdict(collections.Counter)
    print("| model | configuration | patch | its hint, before | after |\n|---|---|---|--:|--:|")
    for case, mine in cases.items():
        mine = [patch for patch in mine if patch in HINTS]
        largest, skipped = collections.defaultdict(float), {}
        for _ in range(arguments.runs if mine else 0):
            hints, refused = measure(arguments, case, [patch for patch in mine if patch not in skipped], look_at)
            skipped.update(refused)
            for patch in mine:
                for side in (PLAIN, patch):
                    if side in hints:
                        largest[patch, side] = max(largest[patch, side], promise(hints[side], patch))
        for patch in patches:
            name = patch["name"]
            if name not in mine or name in skipped or PLAIN in skipped:
                continue
            before, after = [largest[name, side] for side in ((name, PLAIN) if patch["side"] == "before" else (PLAIN, name))]
            there, gone = before >= 0.001, after <= before / 3
            counts[name].update(cases=1, missing=not there, stays=not gone)
            print(f"| {case[0]} | {case[1]} | {name} | {before:.2%}{'' if there else ' (missing)'} | "
                  f"{after:.2%}{'' if gone else ' (stays)'} |", flush=True)
    print()
    for name, count in counts.items():
        print(f"{name}: {count['cases']} cases, missing before in {count['missing']}, stays after in {count['stays']}")
    return not any(count["missing"] or count["stays"] for count in counts.values())


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("worker")
    parser.add_argument("--benchmarks", nargs="+", default=[])
    parser.add_argument("--patches", nargs="+", default=[])
    parser.add_argument("--configurations", nargs="+", default=["cpu-train", "cpu-infer"])
    parser.add_argument("--size", choices=["ci", "paper"], default="ci")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--keep")
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--hints")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    patches = [line for line in lines_of(arguments, "list", "--variants") if line["type"] == "variant"]
    unknown = set(arguments.patches) - {patch["name"] for patch in patches}
    if unknown:
        parser.error(f"unknown patch: {', '.join(sorted(unknown))}")
    patches = [patch for patch in patches if not arguments.patches or patch["name"] in arguments.patches]
    cases = cases_of(arguments, patches)
    print(f"seed {arguments.seed}, {arguments.runs} runs, size {arguments.size}, batch {arguments.batch or 'of the model'}, "
          f"{arguments.iterations} iterations after {arguments.warmup}\n")
    return 0 if (print_hints if arguments.hints else print_speedups)(arguments, patches, cases) else 1


if __name__ == "__main__":
    sys.exit(main())
