"""Warm-up and measured iterations: time, peak and growth, as in suite/measure.cpp."""

from __future__ import annotations

import gc
import itertools
import statistics
import sys
import time
from array import array
from types import ModuleType
from typing import Callable, Iterator

from tbci_worker import memory
from tbci_worker.growth import growth, theil_sen_slope
from tbci_worker.protocol import Protocol


class _Gpu:
    """Memory of torch's CUDA allocator."""

    def __init__(self, torch: ModuleType) -> None:
        self._cuda = torch.cuda

    def reset_peak(self) -> None:
        self._cuda.reset_peak_memory_stats()

    def in_use_bytes(self) -> int:
        return int(self._cuda.memory_allocated())

    def peak_bytes(self) -> int:
        return int(self._cuda.max_memory_allocated())

    def reserved_peak_bytes(self) -> int:
        return int(self._cuda.max_memory_reserved())


class Subject:
    """The iterations of a model and the device they run on."""

    def __init__(self, iterations: Iterator[Callable[[], object]], torch: ModuleType, device: str) -> None:
        self.iterations = iterations
        self.gpu = _Gpu(torch) if device == "cuda" else None
        self.synchronize: Callable[[], None] = torch.cuda.synchronize if device == "cuda" else lambda: None


def warm_up(subject: Subject, count: int, milliseconds: int = 0) -> list[int]:
    """At least `count` iterations, and for that time: a GPU's clock rises first. Their times."""
    first = time.perf_counter_ns()
    times: list[int] = []
    while len(times) < count or time.perf_counter_ns() - first < 1_000_000 * milliseconds:
        begin = time.perf_counter_ns()
        next(subject.iterations)()
        subject.synchronize()
        times.append(time.perf_counter_ns() - begin)
    return times


def unsteady(warmup: list[int], measured: list[int]) -> int:
    """How many of the first iterations were over 10% slower than the measured ones."""
    steady = statistics.median(measured)
    slow = (10 * each > 11 * steady for each in warmup)
    return sum(1 for _ in itertools.takewhile(bool, slow))


def measure(subject: Subject, iterations: int, protocol: Protocol, warmed: bool) -> list[int]:
    """Their times. Reports each iteration at once, outside of its time. Python's collector stays as TorchBench leaves it: its work
    is part of the iteration. `warmed`: there was a warm-up. Without one, the first iteration fills caches, which are
    not a leak."""
    gpu, synchronize = subject.gpu, subject.synchronize
    allocator = memory.Allocator()
    # Allocated first, so that our own bookkeeping does not look like growth of the model.
    in_use = array("d", bytes(8 * iterations))
    gpu_in_use = array("d", bytes(8 * iterations))
    times = array("q", bytes(8 * iterations))
    clock = time.perf_counter_ns
    memory.Held(allocator)  # the first one fills Python's own caches
    before = memory.Held(allocator)
    if not memory.reset_peak():
        print("tbci-torchbench: cannot write clear_refs: the peak is that of the whole process", file=sys.stderr)
    if gpu:
        gpu.reset_peak()
    for i in range(iterations):
        run = next(subject.iterations)
        synchronize()
        begin = clock()
        run()
        synchronize()
        end = clock()
        times[i] = end - begin
        in_use[i] = allocator.in_use_bytes()
        if gpu:
            gpu_in_use[i] = gpu.in_use_bytes()
        protocol.write("sample", iteration=i, nanoseconds=end - begin)
    peak = memory.peak_bytes()
    gpu_peaks = (gpu.peak_bytes(), gpu.reserved_peak_bytes()) if gpu else (0, 0)
    after = memory.Held(allocator)
    kept_small = float(after.small - before.small) if warmed else 0.0
    report: dict[str, float] = {
        "cpu_peak_bytes": peak,
        "cpu_growth_bytes": growth(in_use, float(after.large - before.large), kept_small),
    }
    if gpu:
        report["gpu_peak_bytes"], report["gpu_reserved_peak_bytes"] = gpu_peaks
        report["gpu_growth_bytes"] = theil_sen_slope(gpu_in_use)
    protocol.write("memory", **report)
    return times.tolist()


def settle(torch: ModuleType, device: str) -> None:
    """Cleans up after a model is created, as TorchBench's own ModelTask does."""
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()
