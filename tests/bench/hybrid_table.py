#!/usr/bin/env python3
"""What the ranks of dlrm_hybrid do: time, parts of it, lookups and bytes, for each way to split its tables.

usage: hybrid_table.py WORKER [SUITE-TEST]

Each row is one process with 50 measured iterations. "busiest" is the lookups of the rank that has most by the mean of all
ranks, and beside it the same for pieces that are placed in order. Of two ranks the parts of the time are those of the rank
that computes most. The last table has two ranks with their tables in memory and in files. With SUITE-TEST it also prints how far the losses of 50 iterations are from those of one process that
computes the model by autograd alone.
"""

import json
import subprocess
import sys

ITERATIONS = 50


def run(worker, *more, mode="train"):
    command = [worker, "run", "--benchmark", "dlrm_hybrid", "--configuration", f"cpu-{mode}", "--iterations", str(ITERATIONS)]
    lines = subprocess.run([*command, *more], capture_output=True, text=True, timeout=300).stdout.splitlines()
    objects = [json.loads(line) for line in lines]
    for line in objects:
        if line["type"] == "error":
            sys.exit(f"{' '.join(more)}: {line['kind']}: {line['message']}")
    times = sorted(line["nanoseconds"] for line in objects if line["type"] == "sample")
    evidence = {(line["name"], line.get("of", "")): line["value"] for line in objects if line["type"] == "evidence"}
    return times[len(times) // 2], evidence


def busiest(evidence, ranks):
    lookups = [evidence["lookups", f"rank {rank}"] for rank in range(ranks)]
    return max(lookups) * ranks / sum(lookups)


def rows_sent(worker, split, wire):
    return run(worker, "--ranks", "2", "--set", f"split={split}", "--set", f"wire={wire}")[1]["bytes sent of rows", ""]


def print_tiers(worker):
    print("\n| mode | cache | access | ms | unique rows | hits | MB read | waited for rows | peak MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for mode in ("train", "infer"):
        for cache, access in (("1", "mapped"), ("1/2", "mapped"), ("1/2", "blocks")):
            time, evidence = run(worker, "--set", f"cache={cache}", "--set", f"access={access}", mode=mode)
            of = evidence.get
            waited = max(of(("waited for rows", f"rank {rank}"), 0) for rank in range(2))
            peak = max(of(("peak memory", f"rank {rank}"), 0) for rank in range(2))
            counts = [f"{of((name, ''), 0):.0f}" for name in ("unique rows", "hits")]
            print("|", " | ".join([mode, cache, access, f"{time / 1e6:.2f}", *counts, f"{of(('bytes read', ''), 0) / 1e6:.2f}",
                                   f"{waited / 1e6:.2f}", f"{peak / 2**20:.0f}"]), "|", flush=True)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    worker = sys.argv[1]
    print("| mode | split | ranks | ms | compute | exposed | hidden | waiting | peak MiB | busiest | in order |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for mode in ("train", "infer"):
        for split in ("table", "row", "column", "both"):
            for ranks in (1, 2):
                choice = ["--ranks", str(ranks), "--set", f"split={split}"]
                time, evidence = run(worker, *choice, mode=mode)
                _, in_order = run(worker, *choice, "--set", "placement=in-order", mode=mode)
                by_rank = [f"rank {rank}" for rank in range(ranks)]
                slowest = max(by_rank, key=lambda rank: evidence["compute", rank])
                parts = [evidence[name, slowest] / 1e6 for name in ("compute", "communication exposed", "communication hidden", "waiting")]
                peak = max(evidence["peak memory", rank] for rank in by_rank) / 2**20
                cells = [mode, split, ranks, f"{time / 1e6:.2f}", *(f"{part:.2f}" for part in parts), f"{peak:.0f}"]
                print("|", " | ".join(map(str, [*cells, f"{busiest(evidence, ranks):.3f}", f"{busiest(in_order, ranks):.3f}"])), "|", flush=True)
    print("\n| split | overlap on: ms | off: ms | bytes of rows in fp32 | in bf16 |")
    print("|---|---|---|---|---|")
    for split in ("table", "row", "column", "both"):
        on, off = (run(worker, "--ranks", "2", "--set", f"split={split}", "--set", f"overlap={value}")[0] for value in ("on", "off"))
        fp32, bf16 = rows_sent(worker, split, "fp32"), rows_sent(worker, split, "bf16")
        print(f"| {split} | {on / 1e6:.2f} | {off / 1e6:.2f} | {fp32:.0f} | {bf16:.0f} |", flush=True)
    print_tiers(worker)
    if len(sys.argv) == 3:
        print(flush=True)
        subprocess.run([sys.argv[2], "[hybrid-losses]"], check=True)


main()
