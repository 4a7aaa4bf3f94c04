#!/usr/bin/env python3
"""The table of docs/torchbench.md: models of a checkout of pytorch/benchmark, measured by our worker and by its run.py.

usage: torchbench_table.py CHECKOUT PYTHON [--cpu N] [--rounds R] [--size ci|paper] [--limit SECONDS]
                           [--random-weights FOLDER] MODEL[/train|/infer]...

Each case is run R times by both in turn, in fresh processes on one CPU with one thread, with the batch that our worker
took. Each gives the median of its iterations; a cell is the smallest over the rounds, since whatever else runs on the
machine only adds. What cannot run is listed below the table with the worker's words.

run.py takes psutil's memory_percent() for a fraction, so what it prints as GB is 100 times the resident set. The table
has what it prints, and the ratio of our peak to a hundredth of it.

Some models fetch weights. With --random-weights random ones are put under the names that torch.hub looks for, so that
torchvision's models run without a network; both programs then use them.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

WORKER = pathlib.Path(__file__).resolve().parents[2] / "runner" / "torchbench" / "worker.py"

MAKE_WEIGHTS = """
import pathlib, sys, torch, torchvision
place = pathlib.Path(sys.argv[1], "hub", "checkpoints")
place.mkdir(parents=True, exist_ok=True)
for name in sys.argv[2:]:
    if name not in torchvision.models.list_models():
        continue
    weights = torchvision.models.get_model_weights(name).IMAGENET1K_V1
    file = place / weights.url.rsplit("/", 1)[1]
    if not file.exists():
        torch.save(torchvision.models.get_model(name, weights=None).state_dict(), file)
"""


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        one = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        self.environment = {**os.environ, **one, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
        if arguments.random_weights:
            self.environment["TORCH_HOME"] = str(arguments.random_weights.resolve())

    def run(self, *command):
        pinned = ["taskset", "-c", str(self.arguments.cpu), str(self.arguments.python), *map(str, command)]
        try:
            return subprocess.run(
                pinned, cwd=self.arguments.checkout, env=self.environment, capture_output=True, text=True,
                timeout=self.arguments.limit, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None

    def ours(self, model, mode):
        done = self.run(
            WORKER, "run", "--checkout", self.arguments.checkout.resolve(), "--benchmark", model,
            "--configuration", f"cpu-{mode}", "--size", self.arguments.size,
        )  # fmt: skip
        if done is None:
            return f"not done in {self.arguments.limit} s"
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        last = lines[-1] if lines else {"type": "nothing"}
        if last["type"] != "done":
            return f"{last.get('kind', 'ended')}: {last.get('message', done.returncode)}"
        samples = [line["nanoseconds"] for line in lines if line["type"] == "sample"]
        memory = next(line for line in lines if line["type"] == "memory")
        return {
            "batch": last.get("batch"),
            "ms": statistics.median(samples) / 1e6,
            "gb": memory["cpu_peak_bytes"] / 1e9,
            "growth": memory["cpu_growth_bytes"],
        }

    def theirs(self, model, mode, batch):
        test = "train" if mode == "train" else "eval"
        size = ["--bs", batch] if batch else []
        done = self.run("run.py", model, "-d", "cpu", "-t", test, *size, "--metrics", "cpu_peak_mem")
        if done is None:
            return f"run.py is not done in {self.arguments.limit} s"
        time = re.search(r"CPU Wall Time per batch:\s*([\d.]+) milliseconds", done.stdout)
        memory = re.search(r"CPU Peak Memory:\s*([\d.]+) GB", done.stdout)
        if not time or not memory:
            said = (done.stderr or done.stdout).strip().splitlines()
            return f"run.py: {said[-1][:200] if said else done.returncode}"
        return {"ms": float(time.group(1)), "gb": float(memory.group(1))}

    def case(self, model, mode):
        ours, theirs = [], []
        for _ in range(self.arguments.rounds):
            ours.append(self.ours(model, mode))
            if isinstance(ours[-1], str):
                return ours[-1]
            theirs.append(self.theirs(model, mode, ours[-1]["batch"]))
            if isinstance(theirs[-1], str):
                return theirs[-1]
        mine, its = (min(row["ms"] for row in rows) for rows in (ours, theirs))
        peak, printed = (statistics.median(row["gb"] for row in rows) for rows in (ours, theirs))
        growth = statistics.median(row["growth"] for row in ours)
        return (
            f"| {model} | {mode} | {ours[0]['batch']} | {mine:.2f} | {its:.2f} | {mine / its:.2f} "
            f"| {peak:.3f} | {printed:.2f} | {peak / (printed / 100):.2f} | {growth:.0f} |"
        )


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("python", type=pathlib.Path)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", choices=("ci", "paper"), default="ci")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--random-weights", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.python = arguments.python.absolute()  # not resolved: a venv's Python is a link
    bench = Bench(arguments)
    if arguments.random_weights:
        names = sorted({model.partition("/")[0] for model in arguments.models})
        made = bench.run("-c", MAKE_WEIGHTS, arguments.random_weights.resolve(), *names)
        if made is None or made.returncode:
            sys.exit(f"no weights were made: {made.stderr.strip() if made else 'out of time'}")
    columns = ["model", "", "batch", "worker: ms", "run.py: ms", "ratio", "worker: peak, GB", "run.py prints: GB"]
    print("| " + " | ".join([*columns, "ratio", "growth, bytes"]) + " |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    left = []
    for name in arguments.models:
        model, _, mode = name.partition("/")
        for each in [mode] if mode else ["train", "infer"]:
            row = bench.case(model, each)
            if row.startswith("|"):
                print(row, flush=True)
            else:
                left.append(f"- {model} {each}: {row}")
    print("\n" + "\n".join(left))


if __name__ == "__main__":
    main()
