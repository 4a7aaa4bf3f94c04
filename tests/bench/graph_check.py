#!/usr/bin/env python3
"""What waits for what in an iteration, as `tbci-worker graph` says and as tbci itself finds it in the same recording.

usage: graph_check.py WORKER BENCH_PREDICT [--seed 1] BENCHMARK...

The worker and tbci (detect/predict/call_graph) find the edges on their own; the worker includes nothing of tbci.
BENCH_PREDICT is the program of tests/bench/predict.cpp. Trains each benchmark. Printed as a table: calls, the model's
own ones, threads, edges by kind, how many operators of the backward pass there are and how many of them have an edge
from their forward one, edges that lead back in time, and edges that only one of the two has. Gloo's threads follow
each other with the worker alone: tbci does not know which of them is next.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile


class Graph:
    def __init__(self, text: str) -> None:
        self.lists: dict[str, list] = collections.defaultdict(list)
        for line in map(json.loads, text.splitlines()):
            for name, values in line.items():
                if isinstance(values, list):
                    self.lists[name] += values
        self.names, self.calls = self.lists["names"], self.lists["calls"]
        self.nodes, self.edges = self.lists["nodes"], self.lists["edges"]

    def name(self, call: int) -> str:
        return self.names[self.calls[call][0]]

    def begin(self, call: int) -> int:
        return self.calls[call][2]

    def end(self, call: int) -> int:
        return self.begin(call) + self.calls[call][3]

    def is_collective(self, call: int) -> bool:
        return self.name(call).startswith("gloo.") and self.name(call) != "gloo.wait"

    def leads_back(self, edge: list) -> bool:
        if self.is_collective(edge[1]):
            return self.begin(edge[0]) > self.begin(edge[1])
        if self.is_collective(edge[0]) and edge[2] == "data":
            return self.end(edge[0]) > self.end(edge[1])
        return self.end(edge[0]) > self.begin(edge[1])

    def of_backward(self) -> list[int]:
        """Those whose caller is a node of the backward pass with a number."""
        found, opened = [], collections.defaultdict(list)
        own = set(self.nodes)
        for call, (_, thread, begin, *_) in enumerate(self.calls):
            stack = opened[thread]
            while stack and self.end(stack[-1]) <= begin:
                stack.pop()
            if call in own and stack and self.calls[stack[-1]][6] >= 0:
                found.append(call)
            stack.append(call)
        return found


def seen_by_tbci(options: argparse.Namespace, text: str) -> set[tuple]:
    """The worker's lines as `timeline` prints them: its last one differs."""
    lines = text.splitlines()
    last = json.loads(lines[-2])
    last["type"] = "timeline"
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("\n".join([*lines[:-2], json.dumps(last), lines[-1]]) + "\n")
        file.flush()
        out = subprocess.run([options.look, "--edges", file.name], stdout=subprocess.PIPE, check=True).stdout
    return {(round(begin), round(end), kind) for begin, end, kind in json.loads(out)}


def row(options: argparse.Namespace, benchmark: str) -> list:
    text = subprocess.run([options.worker, "graph", "--benchmark", benchmark, "--configuration", "cpu-train", "--seed",
                           str(options.seed)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          text=True).stdout
    graph = Graph(text)
    origin = graph.lists["iterations"][0][0]
    said = {(graph.begin(a) - origin, graph.begin(b) - origin, kind) for a, b, kind in graph.edges
            if not (kind == "lane" and graph.is_collective(b))}
    kinds = collections.Counter(kind for _, _, kind in graph.edges)
    with_forward = {b for _, b, kind in graph.edges if kind == "autograd"}
    backward = graph.of_backward()
    return [benchmark, len(graph.calls), len(graph.nodes), len({call[1] for call in graph.calls}), kinds["lane"],
            kinds["data"], kinds["autograd"], len(backward), sum(call in with_forward for call in backward),
            sum(map(graph.leads_back, graph.edges)), len(said ^ seen_by_tbci(options, text))]


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("look")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("benchmarks", nargs="+")
    options = parser.parse_args()
    print("| model | calls | its own | threads | lane | data | autograd | backward | with forward | back in time "
          "| differ |")
    print("|---|" + "--:|" * 10)
    wrong = False
    for benchmark in options.benchmarks:
        cells = row(options, benchmark)
        wrong = wrong or cells[-1] > 0 or cells[-2] > 0 or cells[-3] != cells[-4]
        print("| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
