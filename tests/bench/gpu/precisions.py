#!/usr/bin/env python3
"""What each precision gains on a GPU, and what it computes in.

usage: precisions.py WORKER [--models A,B] [--precisions fp32,tf32,fp16,bf16,amp] [--size paper]
                         [--configuration gpu-infer] [--warmup 5] [--iterations 20]

A row for each model and precision: the median of its samples, the gain over the model's fp32 (2: half the time), how
many operators of an iteration computed in which type (`computed_in`, which the worker reports of fp16, bf16 and amp: the
others differ in no type), and whether its outputs were finite. What does not run says why, in the worker's words.

One model after another. The precisions of a model start side by side, as to start CUDA takes longer than to measure, and
are measured one at a time: until then they wait for the other worker of --alternate, which is this script, and which ends
when it is their turn, so that they measure alone.

Exit code 1 if a process failed, other than by a refusal, or gave outputs that are not finite; 2 if nothing ran.
"""

import argparse
import json
import socket
import statistics
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 60


class Held:
    """A worker that has warmed up and waits."""

    def __init__(self, command: list[str]):
        self.own, theirs = socket.socketpair()
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([*command, "--alternate", "first"], stdin=theirs, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)
        theirs.close()

    def wait_for_warm_up(self) -> None:
        """Or for its end: then there is no byte."""
        self.own.settimeout(LIMIT_SECONDS)
        try:
            self.own.recv(1)
        except (TimeoutError, ConnectionError):
            pass

    def measure(self) -> list[dict]:
        self.own.close()
        try:
            out, _ = self.process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return [{"type": "error", "kind": "time", "message": f"over {LIMIT_SECONDS} s"}]
        lines = [json.loads(line) for line in out.splitlines()]
        if lines and lines[-1]["type"] in ("done", "error"):
            return lines
        self.errors.seek(0)
        said = " ".join(self.errors.read().splitlines()[-1:])
        return [{"type": "error", "kind": "crashed", "message": f"it ended with {self.process.returncode}: {said}"}]


class Table:
    def __init__(self):
        self.done, self.failed, self.refusals = 0, [], []

    def add(self, model: str, precision: str, lines: list[dict], fp32: float | None) -> float | None:
        """Prints a row and returns its median in milliseconds."""
        last = lines[-1]
        if last["type"] == "error":
            refused = last["kind"] == "unsupported"
            (self.refusals if refused else self.failed).append(f"{model} in {precision}: {last['message']}")
            print(f"| {model} | {precision} | {'refused' if refused else last['kind']}: {last['message']} | | | |", flush=True)
            return None
        self.done += 1
        median = statistics.median(line["nanoseconds"] for line in lines if line["type"] == "sample") / 1e6
        gain = "" if fp32 is None else f"{fp32 / median:.2f}"
        types = ", ".join(f"{count} {name}" for name, count in sorted(last.get("computed_in", {}).items()))
        finite = {1: "yes", 0: "**no**"}.get(last.get("finite"), "not looked at")
        if last.get("finite") == 0:
            self.failed.append(f"{model} in {precision} is not finite")
        print(f"| {model} | {precision} | {median:.3f} | {gain} | {types} | {finite} |", flush=True)
        return median


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--models", default="resnet50,BERT_pytorch,dlrm,nvidia_deeprecommender")
    parser.add_argument("--precisions", default="fp32,tf32,fp16,bf16,amp")
    parser.add_argument("--size", default="paper")
    parser.add_argument("--configuration", default="gpu-infer")
    parser.add_argument("--warmup", default="5")
    parser.add_argument("--iterations", default="20")
    arguments = parser.parse_args()
    precisions = arguments.precisions.split(",")
    table = Table()
    print("| model | precision | median: ms | gain over fp32 | computed in | finite |\n|---|---|--:|--:|---|---|", flush=True)
    for model in arguments.models.split(","):
        held = [Held([arguments.worker, "run", "--benchmark", model, "--configuration", arguments.configuration, "--size",
                      arguments.size, "--precision", precision, "--warmup", arguments.warmup, "--iterations",
                      arguments.iterations]) for precision in precisions]
        for one in held:
            one.wait_for_warm_up()
        fp32 = None
        for precision, one in zip(precisions, held):
            median = table.add(model, precision, one.measure(), fp32)
            fp32 = median if precision == "fp32" else fp32
    print(f"\n{table.done} ran, {len(table.refusals)} refused, {len(table.failed)} failed"
          f"{': ' + '; '.join(table.failed) if table.failed else ''}.")
    if table.done == 0 and not table.failed:
        print(f"nothing ran: {table.refusals[0]}")
        return 2
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
