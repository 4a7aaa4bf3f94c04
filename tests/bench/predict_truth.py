#!/usr/bin/env python3
"""Whether `tbci predict BENCHMARK --batch N` predicts batches that it was not calibrated on: predicted beside measured.

usage: predict_truth.py WORKER BENCH_PREDICT [--keep FOLDER] [--rounds 6] [--seed 1] [--cpu N] [--allocator keeps|gives]
                        [--tests 3] [--beyond] [--set NAME=VALUE]... [--benchmarks NAME...]

BENCH_PREDICT is the program of tests/bench/predict.cpp. Each case is recorded and run at a quarter, a half, once and
twice its own batch (calibration), and at --tests batches that the seed takes between 0.3 and 1.9 times of it; one
process after another, --rounds of each, in an order that the seed takes in each round, so that calibration and test
processes take turns. What disturbs the machine slows processes for seconds: on both sides a time is the lower
quartile over processes of the lower quartile over iterations (detect/predict/quiet_time.hpp). An iteration is that of
processes without the recorder; what kernels take is from recordings of the batch, which the prediction does not have.
With --beyond a quarter and a half are the calibration, and once and twice the own batch are predicted: two and four
times beyond it. --cpu pins each process to that CPU, but for benchmarks of several processes (dlrm_hybrid), which
take a CPU for each; --set is for all of them, such as overlap=off. --allocator keeps (the default): freed memory
stays in the process, as in what_if_truth.py; gives: as a process of tbci has it, where page faults jump with the
batch. Printed: for each case and test batch the error of the sum of the kernels and of the iteration; then the
geometric mean of the absolute errors of each family with at least 2% of the iteration, of the sum and of the
iteration, beside the kernels alone, the time of the nearest calibrated batch scaled by the batch, and a straight line
between the times of the two batches next to it. An error is the ratio's distance from 1, at least 0.1%, so that one
perfect case does not make the mean. Refused predictions are counted, and are in no mean.
"""

import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}
KEEPS = {"MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_MMAP_MAX_": "0", "MALLOC_TOP_PAD_": str(1 << 28)}
DLRM = ["dlrm", "dlrm_embedding_bound", "dlrm_mlp_bound"]
OTHERS = ["nvidia_deeprecommender", "lennard_jones", "soft_actor_critic", "tts_angular", "phlippe_resnet",
          "basic_gnn_gin", "shufflenet_v2_x1_0", "drq", "attention_is_all_you_need_pytorch", "alexnet"]
CALIBRATION = (0.25, 0.5, 1, 2)


def run_worker(options: argparse.Namespace, what: str, case: tuple[str, str], batch: int, file: pathlib.Path) -> None:
    if file.exists():
        return
    pinned = options.cpu is not None and case[0] not in options.several
    pin = (lambda: os.sched_setaffinity(0, {options.cpu})) if pinned else None
    memory = KEEPS if options.allocator == "keeps" else {}
    part = file.with_suffix(".part")
    with part.open("wb") as out:
        chosen = [word for each in options.set for word in ("--set", each)]
        subprocess.run([options.worker, what, "--benchmark", case[0], "--configuration", case[1], "--batch",
                        str(batch), *chosen], stdout=out, stderr=subprocess.DEVNULL, check=True, preexec_fn=pin,
                       env={**os.environ, **ONE_THREAD, **memory})
    part.rename(file)


def quiet(values: list[float]) -> float:
    """The lower quartile, as detect::quiet_time."""
    values = sorted(values)
    place = (len(values) - 1) / 4
    below = int(place)
    return values[below] + (place - below) * (values[min(below + 1, len(values) - 1)] - values[below])


def time_of_run(file: pathlib.Path) -> float:
    lines = map(json.loads, file.read_text().splitlines())
    return quiet([line["nanoseconds"] for line in lines if line["type"] == "sample"])


def listed(options: argparse.Namespace) -> dict:
    lines = subprocess.run([options.worker, "list"], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    return {line["name"]: line for line in map(json.loads, lines) if line["type"] == "benchmark"}


def batches_of(own: int, tests: int, beyond: bool, chance: random.Random) -> tuple[list[int], list[int]]:
    calibration = sorted({max(1, round(own * part)) for part in CALIBRATION})
    if beyond:
        return calibration[:-2], calibration[-2:]
    asked: set[int] = set()
    for _ in range(100):
        batch = max(1, round(own * math.exp(chance.uniform(math.log(0.3), math.log(1.9)))))
        if batch not in calibration and len(asked) < tests:
            asked.add(batch)
    return calibration, sorted(asked)


def file_of(folder: str, case: tuple[str, str], batch: int, what: str, turn: int) -> pathlib.Path:
    return pathlib.Path(folder, f"{case[0]}-{case[1]}-{batch}-{what}-{turn}")


def record_all(options: argparse.Namespace, case: tuple[str, str], batches: list[int], folder: str) -> None:
    chance = random.Random(f"{options.seed} {case} order")
    for turn in range(options.rounds):
        order = [(batch, what) for batch in batches for what in ("timeline", "run")]
        chance.shuffle(order)
        for batch, what in order:
            run_worker(options, what, case, batch, file_of(folder, case, batch, what, turn))


def look(options: argparse.Namespace, what: str, words: list[str]) -> dict:
    return json.loads(subprocess.run([options.look, what, *words], stdout=subprocess.PIPE, check=True).stdout)


class Errors:
    """Absolute errors by what is predicted."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = {}
        self.refused = 0

    def add(self, what: str, predicted: float, measured: float) -> float:
        error = predicted / measured - 1
        self.of.setdefault(what, []).append(max(abs(error), 0.001))
        return error

    def text(self, what: str) -> str:
        errors = self.of[what]
        return (f"{what}: {100 * math.exp(statistics.fmean(map(math.log, errors))):.1f}% (mean "
                f"{100 * statistics.fmean(errors):.1f}%, largest {100 * max(errors):.1f}%, {len(errors)} predictions)")


def predict_case(options: argparse.Namespace, case: tuple[str, str], own: int, errors: Errors, folder: str) -> None:
    calibration, tests = batches_of(own, options.tests, options.beyond, random.Random(f"{options.seed} {case}"))
    record_all(options, case, calibration + tests, folder)

    def words(batch: int) -> list[str]:
        return [f"{batch}={file_of(folder, case, batch, 'timeline', turn)}" for turn in range(options.rounds)]

    def measured_time(batch: int) -> float:
        return quiet([time_of_run(file_of(folder, case, batch, "run", turn)) for turn in range(options.rounds)])

    times = {batch: measured_time(batch) for batch in calibration}
    known = [word for batch in calibration for word in [*words(batch), f"{batch}={times[batch]:.0f}"]]
    for batch in tests:
        try:
            seen = look(options, str(batch), known)
        except subprocess.CalledProcessError:  # which says why
            errors.refused += 1
            print(f"{'/'.join(case)} {batch}: refused", flush=True)
            continue
        time = measured_time(batch)
        truth = look(options, "--parts", [*words(batch), f"{batch}={time:.0f}"])
        families = []
        for family, measured in truth["kernels"].items():
            if measured >= 0.02 * time:
                error = errors.add(family, seen["kernels"].get(family, 0), measured)
                families.append(f"{family} {100 * error:+.1f}%")
        active = errors.add("sum of the kernels", seen["active"], truth["active"])
        whole = errors.add("iteration", seen["time"], time)
        nearest = min(calibration, key=lambda other: abs(math.log(other / batch)))
        errors.add("iteration by the kernels alone", seen["active"], time)
        errors.add("iteration by the nearest batch, scaled", times[nearest] * batch / nearest, time)
        errors.add("iteration by a line between two batches", line_between(times, batch), time)
        print(f"{'/'.join(case)} {batch}, from {', '.join(map(str, calibration))}: kernels {100 * active:+.1f}%, "
              f"iteration {100 * whole:+.1f}%; {', '.join(families)}"
              + (f"; waiting for ranks {100 * seen['waiting'] / seen['time']:.1f}% (recorded "
                 f"{100 * truth['waiting'] / time:.1f}%)" if seen["waiting"] or truth["waiting"] else "")
              + (f"; unknown {100 * seen['unknown'] / seen['time']:.1f}%" if seen["unknown"] else ""), flush=True)


def line_between(times: dict[int, float], batch: int) -> float:
    known = sorted(times)
    above = next((index for index in range(1, len(known)) if known[index] >= batch), len(known) - 1)
    low, high = known[above - 1], known[above]
    return times[low] + (times[high] - times[low]) * (batch - low) / (high - low)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("look")
    parser.add_argument("--keep")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--tests", type=int, default=3)
    parser.add_argument("--beyond", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--allocator", choices=("keeps", "gives"), default="keeps")
    parser.add_argument("--benchmarks", nargs="+", default=DLRM)
    options = parser.parse_args()
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    benchmarks, errors = listed(options), Errors()
    options.several = {name for name, line in benchmarks.items() if "ranks" in line}
    print(f"seed {options.seed}, {options.rounds} processes of each kind and batch, the allocator {options.allocator}")
    for name in options.benchmarks:
        for configuration in ("cpu-train", "cpu-infer"):
            batch = benchmarks[name]["batch"]["train" if configuration == "cpu-train" else "infer"]
            with tempfile.TemporaryDirectory() as folder:
                predict_case(options, (name, configuration), batch, errors, options.keep or folder)
    print("\ngeometric mean of the absolute errors")
    for what in errors.of:
        print(errors.text(what))
    print(f"refused: {errors.refused}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
