#!/usr/bin/env python3
"""Holds the profile of a GPU's operators against torch.profiler: the same models in Python, in the same LibTorch.

usage: operators.py WORKER [--cases resnet50/gpu-infer,...] [--iterations 10] [--limit SECONDS]

The twins are those of twins.py. Of each case in paper size it prints the time of the GPU's work in one iteration by
`tbci-worker profile` and by torch.profiler (self_device_time_total), in all and for each operator that has 3% of it.
Accepted: in all within 3%, each of these operators within 5%. Exit code 1 if one is outside.
"""

import argparse
import json
import subprocess
import sys
import time

import twins
import torch
from torch.profiler import ProfilerActivity, profile

CASES = ("resnet50/gpu-infer", "nvidia_deeprecommender/gpu-infer", "dlrm/gpu-infer", "resnet50/gpu-train",
         "nvidia_deeprecommender/gpu-train", "dlrm/gpu-train")


def by_worker(worker, case, iterations):
    """The batch, and nanoseconds of an iteration by operator, as torch.profiler names it."""
    benchmark, configuration = case.split("/")
    done = subprocess.run([worker, "profile", "--benchmark", benchmark, "--configuration", configuration, "--size", "paper",
                           "--iterations", str(iterations)], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or lines[-1]["type"] != "done":
        raise RuntimeError(lines[-1].get("message", "it ended without done") if lines else done.stderr[-300:])
    times = {}
    for line in lines:
        if line["type"] == "operator":
            name = "::".join(line["name"].split(".")[:2]) if line["name"].startswith("aten.") else line["name"]
            times[name] = times.get(name, 0) + line["self_nanoseconds"]
    return lines[0]["batch"], times, next(line for line in lines if line["type"] == "profile")


def by_twin(case, batch, iterations):
    benchmark, configuration = case.split("/")
    train = configuration.endswith("train")
    torch.manual_seed(42)
    iterate = twins.iteration(twins.TWINS[benchmark](batch, train), train)
    for _ in range(5):
        iterate()
    torch.cuda.synchronize()
    for count in (1, iterations):  # the first one pays for the beginning
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as watched:
            for _ in range(count):
                iterate()
                torch.cuda.synchronize()
    times = {}
    for event in watched.key_averages():
        if event.device_type == torch.autograd.DeviceType.CPU and event.self_device_time_total > 0:
            name = event.key.removeprefix("autograd::engine::evaluate_function: ").rsplit("torch::autograd::", 1)[-1]
            name = event.key if event.key.startswith("aten::") else name
            times[name] = times.get(name, 0) + 1000 * event.self_device_time_total / iterations
    return times


def compare(case, arguments):
    batch, ours, whole = by_worker(arguments.worker, case, arguments.iterations)
    theirs = by_twin(case, batch, arguments.iterations)
    torch.cuda.empty_cache()
    sums = sum(ours.values()), sum(theirs.values())
    rows = [("(all)", *sums, 0.03)]
    for name in sorted(theirs.keys() | ours.keys(), key=lambda name: -theirs.get(name, 0)):
        if max(theirs.get(name, 0), ours.get(name, 0)) >= 0.03 * sums[1]:
            rows.append((name, ours.get(name, 0), theirs.get(name, 0), 0.05))
    outside = []
    for name, mine, other, most in rows:
        ratio = mine / other if other else float("inf")
        print(f"| {case} | {name} | {mine / 1e6:.3f} | {other / 1e6:.3f} | {ratio:.3f} |", flush=True)
        if abs(ratio - 1) > most:
            outside.append(f"{case}: {name}")
    print(f"| {case} | (iteration; in no operator) | {whole['iteration_nanoseconds'] / 1e6:.3f}; "
          f"{whole['outside_nanoseconds'] / 1e6:.3f} | | |", flush=True)
    return outside


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--limit", type=float, default=1e9)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("operators.py: this torch finds no GPU", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    print("| case | operator | worker: ms | torch.profiler: ms | ratio |\n|---|---|--:|--:|--:|")
    outside, left_out, begun = [], [], time.monotonic()
    for case in arguments.cases.split(","):
        if time.monotonic() - begun > arguments.limit:
            left_out.append(case)
            continue
        try:
            outside += compare(case, arguments)
        except RuntimeError as error:
            print(f"| {case} | failed: {error} | | | |", flush=True)
            outside.append(case)
    print(f"\nOutside: {', '.join(outside) or 'none'}. Left out for want of time: {', '.join(left_out) or 'nothing'}.")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
