#!/usr/bin/env python3
"""Whether the cause of a step is named right, where kernels or calls are slower in a known way, and where nothing is.

usage: cause_truth.py WORKER SLOWER BENCH_TIMELINE [--comparisons 80] [--same 40] [--cpu N] [--seed 1] [--recordings 3]
                      [--keep FOLDER] [--benchmarks NAME...] [--kinds KIND...]

SLOWER is the library of tests/suite/truth/slower.cpp, BENCH_TIMELINE the program of tests/bench/timeline.cpp. Each
comparison takes a case and a part of an iteration between 8% and 30% by the seed. In turn the fault is a kernel of one
operator that takes longer (kernel), a cost of each call of one operator (call), a cost of each call of all of them
(calls; many are seen by no recorder, so that one grows by more than was asked for), a slower memory under the tables of
dlrm_tiered (tier), or a cost of each call of c10d::alltoall_base_ in dlrm_hybrid (all-to-all). A kernel is an innermost operator
with at least 5% of the iteration; calls are of an operator with at least four. Not all may be of one length: there a
longer kernel and a cost of each call are the same, so that a long call is taken for a kernel and a short one is not.
Before and after are recorded --recordings times in turn, in fresh processes with one thread, and BENCH_TIMELINE names
the cause. With --keep recordings stay in a folder, and those that are there are not taken again: another program can
look at the same ones. Printed: what was wrong, and how many were right in kind and in operator. Exit code 1 where fewer
than 95% of the kinds or 90% of the operators are right, or a build has a cause against itself.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MKL_DYNAMIC": "FALSE"}
BENCHMARKS = ["dlrm", "dlrm_mlp_bound", "dlrm_embedding_bound", "nvidia_deeprecommender", "resnet18", "squeezenet1_1",
              "mobilenet_v2", "dcgan", "soft_actor_critic", "lennard_jones", "hf_Bert", "BERT_pytorch",
              "phlippe_resnet", "LearningToPaint", "tts_angular", "pytorch_unet", "maml_omniglot"]
KINDS = ["kernel", "call", "calls", "tier", "all-to-all"]
ONLY = {"tier": "dlrm_tiered", "all-to-all": "dlrm_hybrid"}


def record(options: argparse.Namespace, case: tuple[str, str], slower: str, file: pathlib.Path) -> None:
    if file.exists():
        return
    # Its ranks have a CPU each.
    one_cpu = options.cpu is not None and case[0] != ONLY["all-to-all"]
    pin = (lambda: os.sched_setaffinity(0, {options.cpu})) if one_cpu else None
    part = file.with_suffix(".part")
    with part.open("wb") as out:
        subprocess.run([options.worker, "timeline", "--benchmark", case[0], "--configuration", case[1], "--preload",
                        options.slower], stdout=out, stderr=subprocess.DEVNULL, preexec_fn=pin,
                       env={**os.environ, **ONE_THREAD, "TBCI_SLOWER": slower}, check=True)
    part.rename(file)


def look(options: argparse.Namespace, *arguments: str) -> dict:
    return json.loads(subprocess.run([options.look, *arguments], stdout=subprocess.PIPE, check=True).stdout)


def step(options: argparse.Namespace, case: tuple[str, str], slower: str, name: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        sides: tuple[list[str], list[str]] = ([], [])
        for turn in range(options.recordings):
            for side, how in enumerate((slower.rsplit(":", 1)[0] + ":0" if slower else "", slower)):
                file = pathlib.Path(options.keep or folder, f"{name}-{turn}-{'after' if side else 'before'}")
                record(options, case, how, file)
                sides[side].append(str(file))
        return look(options, "--step", *sides[0], "--", *sides[1])


def operators_of(options: argparse.Namespace, case: tuple[str, str]) -> tuple[float, float, dict, dict]:
    """Nanoseconds of an iteration, those of a call that computes one number, of each operator its calls, its own
    time, and what a call of each of its sizes takes, and of each operator in the tier its time."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(options.keep or folder, "-".join(case))
        record(options, case, "", file)
        seen = look(options, "--parts", str(file))
    operators: dict = {}
    for group in seen["operators"]:
        one = operators.setdefault(group["operator"], {"calls": 0, "nanoseconds": 0, "each": [], "innermost": True})
        one["calls"] += group["calls"]
        one["nanoseconds"] += group["nanoseconds"]
        one["innermost"] &= group["kernel"]
        if group["calls"] > 0 and group["nanoseconds"] > 0:
            one["each"].append(group["nanoseconds"] / group["calls"])
    tier = {one["operator"]: one["nanoseconds"] for one in seen["regions"] if one["region"] == "tier"}
    return seen["nanoseconds"], seen["dispatch"], operators, tier


def schema_name(operator: str) -> str:
    """`aten.add.out` -> `aten::add.out`, as the dispatcher has it."""
    space, name, overload = operator.split(".", 2)
    return f"{space}::{name}" + ("" if overload == "default" else f".{overload}")


def can_be_told(kind: str, one: dict, dispatch: float) -> bool:
    """Whether a kernel and a cost of each call differ at all: calls of one length grow the same way by both."""
    if not one["each"]:
        return False
    if max(one["each"]) >= 2.5 * min(one["each"]):
        return True
    return min(one["each"]) > 12 * dispatch if kind == "kernel" else max(one["each"]) < 8 * dispatch


def plant(kind: str, share: float, whole: float, dispatch: float, operators: dict, tier: dict,
          chance: random.Random) -> tuple[str, str] | None:
    """The variable's text and the operator, or nothing where the case has none of the kind."""
    if kind == "tier":
        name = "aten.index_select.default"
        if not tier.get(name):  # all rows are in the cache
            return None
        return f"tier:{share * whole / tier[name]:.4f}", name
    if kind == "all-to-all":
        name = "c10d.alltoall_base_.default"
        return f"call:c10d::alltoall_base_:{share * whole / operators[name]['calls']:.0f}", name
    known = {name: one for name, one in operators.items()
             if name.startswith("aten.") and can_be_told(kind, one, dispatch)}
    if kind == "calls":
        return f"calls:{share * whole / sum(one['calls'] for one in operators.values()):.0f}", ""
    if kind == "kernel":
        fitting = sorted(name for name, one in known.items()
                         if one["innermost"] and one["nanoseconds"] >= 0.05 * whole)
    else:
        fitting = sorted(name for name, one in known.items() if one["calls"] >= 4)
    if not fitting:
        return None
    name = chance.choice(fitting)
    one = known[name]
    if kind == "kernel":
        return f"kernel:{schema_name(name)}:{share * whole / one['nanoseconds']:.4f}", name
    return f"call:{schema_name(name)}:{share * whole / one['calls']:.0f}", name


def is_right(kind: str, cause: dict | None) -> bool:
    wanted = {"kernel": "kernel", "tier": "tier", "all-to-all": "communication"}.get(kind, "overhead")
    return cause is not None and cause["kind"] == wanted


def shown(cause: dict | None) -> str:
    return "nothing" if cause is None else f"{cause['kind']} {cause['overhead']} {cause['operator']}".strip()


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("slower")
    parser.add_argument("look")
    parser.add_argument("--comparisons", type=int, default=80)
    parser.add_argument("--same", type=int, default=40)
    parser.add_argument("--recordings", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--keep")
    parser.add_argument("--benchmarks", nargs="+", default=BENCHMARKS)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    options = parser.parse_args()
    options.slower = str(pathlib.Path(options.slower).resolve())
    chance = random.Random(options.seed)
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    both = ("cpu-train", "cpu-infer")
    cases = [(name, configuration) for name in options.benchmarks for configuration in both]
    same_cases = cases + [(ONLY[kind], configuration) for kind in options.kinds if kind in ONLY
                          for configuration in both]
    known: dict = {}
    right, operators_right, done, refused = 0, 0, 0, 0
    while done < options.comparisons:
        kind, case, share = options.kinds[done % len(options.kinds)], chance.choice(cases), chance.uniform(0.08, 0.30)
        if kind in ONLY:
            case = ONLY[kind], chance.choice(both)
        if case not in known:
            known[case] = operators_of(options, case)
        planted = plant(kind, share, *known[case], chance)
        if planted is None:
            refused += 1
            if refused > 100 * (done + 1):
                sys.exit(f"no case has room for a fault of kind {kind}")
            continue
        seen = step(options, case, planted[0], f"fault-{done + 1}")
        done += 1
        good = is_right(kind, seen["cause"])
        named = good and seen["cause"]["operator"] == planted[1]
        right, operators_right = right + good, operators_right + named
        grew = seen["after"] / seen["before"] - 1
        print(f"{done} {'/'.join(case)} {planted[0]} wanted {share:.0%}, grew {grew:.1%}: {shown(seen['cause'])}"
              f"{'' if named else '  WRONG'}", flush=True)
    same = 0
    for number in range(options.same):
        case = chance.choice(same_cases)
        seen = step(options, case, "", f"same-{number + 1}")
        same += seen["cause"] is not None
        print(f"same {number + 1} {'/'.join(case)} grew {seen['after'] / seen['before'] - 1:+.1%}: "
              f"{shown(seen['cause'])}{'  WRONG' if seen['cause'] else ''}", flush=True)
    print(f"\nseed {options.seed}: kind right in {right} of {done}, operator in {operators_right}; "
          f"{same} of {options.same} comparisons of a build with itself have a cause")
    return 1 if right < 0.95 * done or operators_right < 0.9 * done or same else 0


if __name__ == "__main__":
    sys.exit(main())
