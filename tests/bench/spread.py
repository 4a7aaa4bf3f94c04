#!/usr/bin/env python3
"""Where does the spread between processes come from? The same cases under several surroundings, interleaved.

usage: spread.py WORKER [--rounds 12] [--in-a-row 3] [--cpu 1] [--cases A/cpu-infer,...] [--surroundings plain,...]

Each round measures every case under every surrounding, `--in-a-row` fresh processes of each, in an order that is drawn
(the seed is printed). For each case and surrounding it prints the median, the coefficient of variation of the processes'
medians, that of processes in a row alone, that of the rounds' means, and that of the iterations inside a process. Where
the rounds' means differ by more than processes in a row explain, the machine drifts; no surrounding can fix that.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess

KEPT = "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=4294967296:glibc.malloc.top_pad=67108864"
HUGE = "glibc.malloc.hugetlb=1"
SURROUNDINGS = {  # name: (command in front, variables)
    "plain": ([], {}),
    "fixed addresses": (["setarch", "-R"], {}),
    "heap kept": ([], {"GLIBC_TUNABLES": KEPT}),
    "huge pages": ([], {"GLIBC_TUNABLES": HUGE}),
    "heap kept and huge pages": ([], {"GLIBC_TUNABLES": f"{KEPT}:{HUGE}"}),
}
CASES = "phlippe_resnet/cpu-train,resnet18/cpu-infer,lennard_jones/cpu-train,pyhpc_equation_of_state/cpu-infer,dlrm/cpu-infer"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}
SEED = 7


def samples(arguments, case, surrounding):
    benchmark, configuration = case.split("/")
    before, variables = SURROUNDINGS[surrounding]
    command = ["taskset", "-c", str(arguments.cpu), *before, arguments.worker, "run"]
    done = subprocess.run(
        [*command, "--benchmark", benchmark, "--configuration", configuration],
        stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **ONE_THREAD, **variables},
    )
    lines = (json.loads(line) for line in done.stdout.splitlines())
    return [line["nanoseconds"] for line in lines if line["type"] == "sample"]


def spread(values):
    return statistics.stdev(values) / statistics.mean(values)


def row(case, surrounding, rounds):
    medians = [[statistics.median(process) for process in processes] for processes in rounds]
    flat = [median for processes in medians for median in processes]
    in_a_row = math.sqrt(statistics.mean(spread(processes) ** 2 for processes in medians)) if len(medians[0]) > 1 else math.nan
    cells = [spread(flat), in_a_row, spread([statistics.mean(processes) for processes in medians])]
    cells.append(statistics.median(spread(process) for processes in rounds for process in processes))
    return f"| {case} | {surrounding} | {statistics.median(flat) / 1e6:.2f} | " + " | ".join(f"{c:.1%}" for c in cells) + " |"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--in-a-row", type=int, default=3)
    parser.add_argument("--cpu", type=int, default=1)
    parser.add_argument("--cases", default=CASES)
    parser.add_argument("--surroundings", default=",".join(SURROUNDINGS))
    arguments = parser.parse_args()
    order = random.Random(SEED)
    print(f"Seed of the order: {SEED}\n")
    wanted = arguments.surroundings.split(",")
    seen = {(case, surrounding): [] for case in arguments.cases.split(",") for surrounding in wanted}
    for _ in range(arguments.rounds):
        for case, surrounding in order.sample(list(seen), len(seen)):
            seen[case, surrounding].append([samples(arguments, case, surrounding) for _ in range(arguments.in_a_row)])
    print("| case | surrounding | median ms | all processes | in a row | rounds' means | inside a process |")
    print("|---|---|---|---|---|---|---|")
    for (case, surrounding), rounds in seen.items():
        print(row(case, surrounding, rounds))


if __name__ == "__main__":
    main()
