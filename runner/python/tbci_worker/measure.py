"""Warm-up and measured iterations of a Python function: time, peak and growth, as in suite/measure.cpp."""

from __future__ import annotations

import sys
import time
from array import array
from typing import Callable

from . import memory
from .growth import growth
from .protocol import Protocol
from .turns import Turns

Iteration = Callable[[], object]

_LEAST_LEAK_ITERATIONS = 8


def warm_up(iteration: Iteration, count: int, milliseconds: int = 0) -> int:
    """At least `count`, and for that time. How long the last one took, in nanoseconds; 0 if there was none."""
    begin = end = first = time.perf_counter_ns()
    done = 0
    while done < count or end - first < 1_000_000 * milliseconds:
        done += 1
        begin = time.perf_counter_ns()
        iteration()
        end = time.perf_counter_ns()
    return end - begin


def measure(iteration: Iteration, count: int, turns: Turns, protocol: Protocol) -> dict[str, float]:
    """Reports each iteration at once, outside of its time. Python's collector stays on: its work is part of the
    iteration. Returns the fields of `memory`."""
    clock = time.perf_counter_ns
    if not memory.reset_peak():
        print("tbci-python: cannot write clear_refs: the peak is that of the whole process", file=sys.stderr)
    for i in range(count):
        if turns.take() and turns.primes:
            iteration()
        begin = clock()
        iteration()
        end = clock()
        protocol.write("sample", iteration=i, nanoseconds=max(end - begin, 1))
        turns.give(i + 1 == count)
    return {"cpu_peak_bytes": memory.peak_bytes()}


def watch_growth(iteration: Iteration, most: int, milliseconds: int) -> dict[str, float]:
    """Further iterations, which are not timed: how much memory each of them keeps."""
    allocator = memory.Allocator()
    in_use = array("d", bytes(8 * most))  # first, so that our own bookkeeping does not look like growth
    memory.Held(allocator)  # the first one fills Python's own caches
    before = memory.Held(allocator)
    deadline = time.perf_counter_ns() + milliseconds * 1_000_000
    count = 0
    while count < most and (count < _LEAST_LEAK_ITERATIONS or time.perf_counter_ns() < deadline):
        iteration()
        in_use[count] = allocator.in_use_bytes()
        count += 1
    after = memory.Held(allocator)
    kept = growth(in_use[:count], float(after.large - before.large), float(after.small - before.small))
    return {"growth_iterations": count, "cpu_growth_bytes": kept}
