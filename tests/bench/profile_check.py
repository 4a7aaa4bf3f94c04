#!/usr/bin/env python3
"""Is a profile true? The self times of `tbci-worker profile` beside the iteration without a profiler, and beside PyTorch's.

For each case, processes of `run` and of `profile` in turn. Prints a Markdown table, medians over the processes: the iteration
of `run`, and the one that `profile` does not watch; as parts of the latter, the sum of the self times, what is in no operator,
both together, and these with what the profiler took.

With --torch, also profiles the model of `lennard_jones` written in Python, with torch.profiler in this interpreter (which
must have the LibTorch that the worker was built with), and prints calls and self CPU time of its operators beside the worker's.

    tests/bench/profile_check.py WORKER [--rounds 5] [--torch] [--cpu N] [--cases BENCHMARK/CONFIGURATION ...]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
from typing import Any

CASES = [
    f"{name}/{configuration}"
    for name in ("resnet18", "lennard_jones", "dlrm")
    for configuration in ("cpu-infer", "cpu-train")
]


def lines_of(worker: list[str], command: str, case: str, iterations: int) -> list[dict[str, Any]]:
    """What one process of the worker says. Ends the script where it fails."""
    benchmark, configuration = case.split("/")
    done = subprocess.run(
        [*worker, command, "--benchmark", benchmark, "--configuration", configuration, "--iterations", str(iterations)],
        stdout=subprocess.PIPE, check=False, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or lines[-1]["type"] != "done":
        sys.exit(f"{command} {case}: {lines[-1] if lines else 'no output'}")
    return lines


def of_type(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["type"] == kind]


def check_sum(worker: list[str], case: str, rounds: int, iterations: int) -> str:
    """A row of the table. Parts are taken within a process, where watched and unwatched iterations take turns."""
    plain, unwatched, parts = [], [], []
    calls = 0
    for _ in range(rounds):
        samples = of_type(lines_of(worker, "run", case, iterations), "sample")
        plain.append(statistics.median(sample["nanoseconds"] for sample in samples))
        lines = lines_of(worker, "profile", case, iterations)
        operators, profile = of_type(lines, "operator"), of_type(lines, "profile")[0]
        own = sum(operator["self_nanoseconds"] for operator in operators)
        outside, base = profile["outside_nanoseconds"], profile["unwatched_nanoseconds"]
        unwatched.append(base)
        with_profiler = own + outside + profile["profiler_nanoseconds"]
        parts.append((own / base, outside / base, (own + outside) / base, with_profiler / base))
        calls = sum(operator["calls"] for operator in operators)
    shares = [f"{statistics.median(part[i] for part in parts):.1%}" for i in range(4)]
    return (f"| {case} | {statistics.median(plain) / 1e6:.3f} | {statistics.median(unwatched) / 1e6:.3f} | {calls} | "
            + " | ".join(shares) + " |")


def python_profile(iterations: int) -> dict[str, tuple[float, float]]:
    """Calls and self CPU nanoseconds an iteration of each operator of lennard_jones in inference, by torch.profiler."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    torch.set_num_threads(1)
    torch.manual_seed(42)
    layers: list[torch.nn.Module] = []
    for inputs in (1, 16, 16, 16):
        layers += [torch.nn.Linear(inputs, 16), torch.nn.Tanh()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(16, 1)).eval()
    r = torch.linspace(0.5, 1.0, 80000)
    displacements = torch.outer(r, torch.tensor([1.0, 0.0, 0.0]))

    def iterate() -> None:
        distances = torch.linalg.vector_norm(displacements, 2, [1], True)
        model(distances)
        at = distances.detach().requires_grad_(True)
        again = model(at)
        (slope,) = torch.autograd.grad([again], [at], [torch.ones_like(again)], False, False)
        _ = -slope * displacements / distances

    for _ in range(3):
        iterate()
    with profile(activities=[ProfilerActivity.CPU]) as watched:
        for _ in range(iterations):
            iterate()
    times: dict[str, tuple[float, float]] = {}
    for event in watched.key_averages():
        # A node of the backward pass is two events here: what autograd does around it, and the node.
        key = event.key.removeprefix("autograd::engine::evaluate_function: ").rsplit("::", 1)[-1]
        key = event.key if event.key.startswith("aten::") else key
        calls, self_time = times.get(key, (0.0, 0.0))
        calls = max(calls, event.count / iterations)
        times[key] = (calls, self_time + event.self_cpu_time_total * 1000 / iterations)
    return times


def check_python(worker: list[str], rounds: int, iterations: int) -> None:
    """Operators of the worker without their overload, as torch.profiler names them, the most expensive ones."""
    ours: dict[str, list[tuple[float, float]]] = {}
    theirs: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds):
        summed: dict[str, tuple[float, float]] = {}
        for operator in of_type(lines_of(worker, "profile", "lennard_jones/cpu-infer", iterations), "operator"):
            name = operator["name"]
            key = "::".join(name.split(".")[:2]) if name.startswith("aten.") else name
            calls, self_time = summed.get(key, (0.0, 0.0))
            summed[key] = (calls + operator["calls"], self_time + operator["self_nanoseconds"])
        for key, value in summed.items():
            ours.setdefault(key, []).append(value)
        for key, value in python_profile(iterations).items():
            theirs.setdefault(key, []).append(value)
    print("\n| operator | calls | in Python | self ms | in Python | ratio |\n|---|---|---|---|---|---|")
    middle = {key: statistics.median(value[1] for value in values) for key, values in ours.items()}
    for key in sorted(middle, key=lambda name: -middle[name])[:10]:
        if key not in theirs:
            print(f"| {key} | {ours[key][0][0]:g} | - | {middle[key] / 1e6:.3f} | - | - |")
            continue
        other = statistics.median(value[1] for value in theirs[key])
        print(f"| {key} | {ours[key][0][0]:g} | {theirs[key][0][0]:g} | {middle[key] / 1e6:.3f} | {other / 1e6:.3f} | "
              f"{middle[key] / other:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worker")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--cpu", type=int, help="pin every process to this one")
    parser.add_argument("--torch", action="store_true", help="also beside torch.profiler, in this interpreter")
    parser.add_argument("--cases", nargs="*", default=CASES)
    options = parser.parse_args()
    if options.cpu is not None:
        os.sched_setaffinity(0, {options.cpu})
    worker = [options.worker]
    if options.cases:
        print("| case | `run` ms | unwatched ms | calls | in operators | in none | both | with the profiler |")
        print("|---|---|---|---|---|---|---|---|")
    for case in options.cases:
        print(check_sum(worker, case, options.rounds, options.iterations), flush=True)
    if options.torch:
        check_python(worker, options.rounds, options.iterations)


if __name__ == "__main__":
    main()
