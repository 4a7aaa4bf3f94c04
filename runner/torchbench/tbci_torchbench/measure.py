"""Warm-up, then the measured iterations: time, peak and growth, as suite/measure.cpp does it."""

from __future__ import annotations

import gc
import sys
import time
from array import array
from types import ModuleType
from typing import Callable, Iterator

from . import memory
from .growth import growth, theil_sen_slope
from .protocol import Protocol


class _Gpu:
    """What torch's CUDA allocator holds."""

    def __init__(self, torch: ModuleType) -> None:
        self._cuda = torch.cuda

    def reset_peak(self) -> None:
        self._cuda.reset_peak_memory_stats()

    def in_use_bytes(self) -> int:
        return int(self._cuda.memory_allocated())

    def peak_bytes(self) -> int:
        return int(self._cuda.max_memory_allocated())


class Subject:
    """The iterations of a model, and the device that they run on."""

    def __init__(self, iterations: Iterator[Callable[[], object]], torch: ModuleType, device: str) -> None:
        self.iterations = iterations
        self.gpu = _Gpu(torch) if device == "cuda" else None
        self.synchronize: Callable[[], None] = torch.cuda.synchronize if device == "cuda" else lambda: None


def warm_up(subject: Subject, count: int) -> None:
    for _ in range(count):
        next(subject.iterations)()
    subject.synchronize()


def measure(subject: Subject, iterations: int, protocol: Protocol, warmed: bool) -> None:
    """Tells each iteration at once; telling is outside of its time. Python's collector stays as TorchBench leaves it:
    its work is a part of the iteration. `warmed`: there was a warm-up; the first iteration of all fills caches that are
    no leak."""
    gpu, synchronize = subject.gpu, subject.synchronize
    allocator = memory.Allocator()
    # Room is made first: what the bookkeeping allocates must not look like growth of the model.
    in_use = array("d", bytes(8 * iterations))
    gpu_in_use = array("d", bytes(8 * iterations))
    clock = time.perf_counter_ns
    memory.Held(allocator)  # the first one fills caches of Python's, which are none of the model's
    before = memory.Held(allocator)
    if not memory.reset_peak():
        print("tbci-torchbench: the peak is the whole process's: clear_refs cannot be written", file=sys.stderr)
    if gpu:
        gpu.reset_peak()
    for i in range(iterations):
        run = next(subject.iterations)
        synchronize()
        begin = clock()
        run()
        synchronize()
        end = clock()
        in_use[i] = allocator.in_use_bytes()
        if gpu:
            gpu_in_use[i] = gpu.in_use_bytes()
        protocol.write("sample", iteration=i, nanoseconds=end - begin)
    peak = memory.peak_bytes()
    gpu_peak = gpu.peak_bytes() if gpu else 0
    after = memory.Held(allocator)
    kept_small = float(after.small - before.small) if warmed else 0.0
    told: dict[str, float] = {
        "cpu_peak_bytes": peak,
        "cpu_growth_bytes": growth(in_use, float(after.large - before.large), kept_small),
    }
    if gpu:
        told["gpu_peak_bytes"] = gpu_peak
        told["gpu_growth_bytes"] = theil_sen_slope(gpu_in_use)
    protocol.write("memory", **told)


def settle(torch: ModuleType, device: str) -> None:
    """After a model is made, as TorchBench's own ModelTask does."""
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()
