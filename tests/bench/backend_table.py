#!/usr/bin/env python3
"""Figures 3 and 4 of the TorchBench paper for native models: which run by which backend, beside eager.

usage: backend_table.py WORKER [--configuration cpu-infer] [--backends jit-frozen aoti ...] [--benchmarks NAME ...]
                        [--python PYTHON] [--packages FOLDER] [--size ci] [--rounds 1] [--iterations 10] [--limit 300]
                        [--night]

In each round every model is measured by eager and by each backend, in a process each, one after the other. A ratio is that
of the medians of the rounds; below 1 is faster, or smaller. aoti needs --python, that of the LibTorch that WORKER uses.
Packages stay in FOLDER (default: packages beside the worker), so a run that was stopped goes on. With --night each
round also trains the model by eager, as a night does, and the factor of a whole night is printed. Then come the
geometric means, beside the paper's (on a GPU), what the processes took, and the reasons of what did not run. A row is
printed as soon as it is there.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import statistics
import subprocess
import time

MAKER = pathlib.Path(__file__).parents[2] / "runner/aoti/make_package.py"
PAPER = {"infer": "time 1 / 1.46, CPU memory -73.7%, GPU memory +51.1%", "train": "time 1 / 1.30, CPU memory -71.2%, GPU memory +31.2%"}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}


class Refused(Exception):
    """There is no number; the message is the reason."""


def lines_of(command, limit):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=limit,
                              env={**os.environ, **ONE_THREAD})
    except subprocess.TimeoutExpired as late:
        raise Refused(f"over {limit} s") from late
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    last = lines[-1] if lines else {}
    if last.get("type") != "done":
        raise Refused(last.get("message") or f"exit code {done.returncode}")
    return lines


def package_of(arguments, name):
    """The file of its package, made if there is none, and the seconds that took."""
    folder = arguments.packages
    file, refused, trace = (folder / f"{name}-{arguments.size}{ending}" for ending in (".pt2", ".refused", ".pt"))
    if refused.exists():
        raise Refused(refused.read_text())
    if file.exists():
        return file, 0.0
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    try:
        lines_of([arguments.worker, "trace", "--benchmark", name, "--configuration", arguments.configuration,
                  "--size", arguments.size, "--out", str(trace)], arguments.limit)
        made = file.with_suffix(".unfinished.pt2")
        lines_of([arguments.python, str(MAKER), "--trace", str(trace), "--out", str(made)], arguments.limit)
        made.rename(file)
    except Refused as error:
        refused.write_text(str(error))
        raise
    finally:
        for left in (trace, pathlib.Path(f"{trace}.inputs")):
            left.unlink(missing_ok=True)
    return file, time.monotonic() - begin


def measure(arguments, name, backend, package=None, configuration=None):
    command = [arguments.worker, "run", "--benchmark", name, "--configuration", configuration or arguments.configuration,
               "--size", arguments.size, "--iterations", str(arguments.iterations)]
    if backend != "eager":
        command += ["--backend", backend]
    if package:
        command += ["--package", str(package)]
    begin = time.monotonic()
    lines = lines_of(command, arguments.limit)
    return {"wall": time.monotonic() - begin,
            "time": statistics.median(line["nanoseconds"] for line in lines if line["type"] == "sample"),
            "memory": next(line["cpu_peak_bytes"] for line in lines if line["type"] == "memory"),
            "compile": lines[-1].get("compile_nanoseconds", 0) / 1e9}


def row_of(arguments, name):
    """For each backend its processes, the reason of each that has none, and what its package took."""
    processes, reasons, packages, seconds = collections.defaultdict(list), {}, {}, {}
    for backend in arguments.backends:
        if backend == "aoti":
            try:
                packages[backend], seconds[backend] = package_of(arguments, name)
            except Refused as error:
                reasons[backend] = str(error)
    for _ in range(arguments.rounds):
        for backend in ["eager", *arguments.backends]:
            if backend in reasons:
                continue
            try:
                processes[backend].append(measure(arguments, name, backend, packages.get(backend)))
            except Refused as error:
                reasons[backend] = str(error)
        if "eager" in reasons:
            break
        if arguments.night:
            training = arguments.configuration.replace("infer", "train")
            try:
                processes["training"].append(measure(arguments, name, "eager", configuration=training))
            except Refused:  # as in a night: it has no training
                pass
    return processes, reasons, seconds


def ratio(processes, backend, what):
    middle = {each: statistics.median(one[what] for one in processes[each]) for each in ("eager", backend)}
    return middle[backend] / middle["eager"]


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--configuration", default="cpu-infer", choices=["cpu-infer", "cpu-train", "gpu-infer", "gpu-train"])
    parser.add_argument("--backends", nargs="+", default=["jit-frozen", "onednn-graph", "channels-last", "aoti"])
    parser.add_argument("--benchmarks", nargs="+", default=[])
    parser.add_argument("--python")
    parser.add_argument("--packages", type=pathlib.Path)
    parser.add_argument("--size", default="ci", choices=["ci", "paper"])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--night", action="store_true")
    arguments = parser.parse_args()
    if arguments.packages is None:
        arguments.packages = pathlib.Path(arguments.worker).absolute().parent / "packages"
    if not arguments.python:
        arguments.backends = [each for each in arguments.backends if each != "aoti"]
    return arguments


def main():
    arguments = parsed()
    listed = [line for line in lines_of([arguments.worker, "list"], arguments.limit) if line["type"] == "benchmark"]
    names = [line["name"] for line in listed if arguments.configuration in line["configurations"]]
    names = [name for name in names if not arguments.benchmarks or name in arguments.benchmarks]
    print("| model | eager: ms |" + "".join(f" {each}: time | memory | compile: s |" for each in arguments.backends))
    print("|---|--:" + "|--:" * 3 * len(arguments.backends) + "|")
    ratios, why = collections.defaultdict(list), collections.defaultdict(list)
    process_seconds = collections.defaultdict(list)
    for name in names:
        processes, reasons, seconds = row_of(arguments, name)
        for backend, made in processes.items():
            process_seconds[backend] += [one["wall"] for one in made]
        cells = [name, f"{statistics.median(one['time'] for one in processes['eager']) / 1e6:.2f}" if processes["eager"] else "-"]
        for backend in arguments.backends:
            if backend in reasons or not processes[backend]:
                cells += ["-", "-", "-"]
                continue
            both = [ratio(processes, backend, what) for what in ("time", "memory")]
            ratios[backend].append(both)
            spent = processes[backend][0]["compile"] + seconds.get(backend, 0)
            cells += [f"{both[0]:.2f}", f"{both[1]:.2f}", f"{spent:.1f}"]
        for backend, reason in reasons.items():
            why[f"{backend}: {reason[:200]}"].append(name)
        print("| " + " | ".join(cells) + " |", flush=True)
    print(f"\n{arguments.configuration}, size {arguments.size}, {arguments.rounds} processes by each, in turn")
    for backend in arguments.backends:
        means = [math.exp(statistics.fmean(map(math.log, column))) for column in zip(*ratios[backend])]
        print(f"{backend}: {len(ratios[backend])} of {len(names)} run" + (f"; time {means[0]:.3f}, CPU memory {means[1]:.3f}" if means else ""))
    walls = {backend: sum(seconds) for backend, seconds in process_seconds.items()}
    if walls.get("eager"):
        together = ", ".join(f"{backend} {walls[backend]:.0f} s" for backend in ["eager", *arguments.backends] if backend in walls)
        training = walls.pop("training", 0)
        print(f"the processes took, each with its start and its warm-up: {together}; "
              f"all of them {sum(walls.values()) / walls['eager']:.2f} times eager's")
        if arguments.night:
            print(f"eager's training took {training:.0f} s: with the backends a night takes "
                  f"{(training + sum(walls.values())) / (training + walls['eager']):.2f} times as long, packages apart")
    print(f"paper (GPU): {PAPER[arguments.configuration.split('-')[1]]}")
    for reason, models in sorted(why.items(), key=lambda one: -len(one[1])):
        print(f"- {reason}: {', '.join(models)}")


if __name__ == "__main__":
    main()
