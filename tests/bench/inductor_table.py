#!/usr/bin/env python3
"""Models of a checkout of pytorch/benchmark, trained in eager mode and by Inductor.

usage: inductor_table.py CHECKOUT PYTHON [--configuration cpu-train] [--size ci] [--batch N] [--iterations 5]
                         [--limit 900] MODEL...

Each model runs once by each backend in a fresh process with one thread, by our worker, which compares loss and
gradients before it times anything. Printed: both times, the ratio, the seconds to compile and the largest difference;
then what did not run, and why. A row is printed as soon as it is there.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

WORKER = pathlib.Path(__file__).resolve().parents[2] / "runner" / "torchbench" / "worker.py"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}


def run(options: argparse.Namespace, model: str, backend: str) -> dict:
    """The last line of the worker, with the median of its samples as `nanoseconds`."""
    command = [options.python, str(WORKER), "run", "--checkout", options.checkout, "--benchmark", model,
               "--configuration", options.configuration, "--size", options.size, "--iterations",
               str(options.iterations), "--backend", backend]
    command += ["--batch", str(options.batch)] if options.batch else []
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              timeout=options.limit, env={**os.environ, **ONE_THREAD})
    except subprocess.TimeoutExpired:
        return {"message": f"{backend}: over {options.limit} s"}
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines or lines[-1].get("type") != "done":
        said = lines[-1].get("message") if lines else None
        return {"message": f"{backend}: {said or f'exit code {done.returncode}'}"}
    times = [line["nanoseconds"] for line in lines if line["type"] == "sample"]
    return {**lines[-1], "nanoseconds": statistics.median(times)}


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("checkout")
    parser.add_argument("python")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--configuration", default="cpu-train")
    parser.add_argument("--size", default="ci")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--limit", type=int, default=900)
    options = parser.parse_args()
    reasons, compiled = [], 0
    print("| model | eager: ms | inductor: ms | ratio | compile: s | largest difference |\n|---|--:|--:|--:|--:|--:|")
    for model in options.models:
        eager = run(options, model, "eager")
        inductor = run(options, model, "inductor") if "nanoseconds" in eager else eager
        if "nanoseconds" not in inductor:
            reasons.append(f"- {model}: {inductor['message'][:300]}")
            print(reasons[-1], file=sys.stderr, flush=True)
            continue
        compiled += 1
        print(f"| {model} | {eager['nanoseconds'] / 1e6:.2f} | {inductor['nanoseconds'] / 1e6:.2f} | "
              f"{inductor['nanoseconds'] / eager['nanoseconds']:.2f} | "
              f"{inductor.get('compile_nanoseconds', 0) / 1e9:.0f} | {inductor.get('difference', 0):.1e} |", flush=True)
    print(f"\n{compiled} of {len(options.models)} models by Inductor, {options.configuration}, size {options.size}")
    print("\n".join(reasons))
    return 0


if __name__ == "__main__":
    sys.exit(main())
