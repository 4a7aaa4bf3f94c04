"""The commands of the worker for Python functions."""

from __future__ import annotations

import argparse
import ctypes
import difflib
import os
import random
import sys
import time
import traceback
from typing import Callable

from . import functions, libraries, measure
from .failure import EXCEPTION, UNSUPPORTED, Failure, failure_of, first_line
from .functions import Benchmark, Setup
from .options import EXIT_DONE, EXIT_ERROR, PROTOCOL_VERSION
from .protocol import Protocol
from .turns import SHORT_NANOSECONDS, Turns

WORKER = "tbci-python"


def _guarded(protocol: Protocol, job: Callable[[], None]) -> int:
    """Turns an exception of the job into the protocol's last line; the traceback goes to standard error."""
    try:
        job()
        return EXIT_DONE
    except (Exception, SystemExit) as error:  # noqa: BLE001 - what is measured may raise anything
        failure = failure_of(error)
        if failure is not error and failure.kind == EXCEPTION:
            traceback.print_exc(file=sys.stderr)
    protocol.write("error", kind=failure.kind, message=str(failure))
    return EXIT_ERROR


def list_benchmarks(options: argparse.Namespace, protocol: Protocol) -> int:
    def job() -> None:
        found = functions.read(options.file)
        protocol.write("hello", protocol=PROTOCOL_VERSION, worker=WORKER)
        for each in found.values():
            protocol.write(
                "benchmark",
                name=each.name,
                domain=each.domain,
                task=each.task,
                configurations=list(each.configurations),
                source=os.path.basename(options.file),
            )
        protocol.write("done")

    return _guarded(protocol, job)


def _preload(names: list[str]) -> None:
    for name in names:
        try:
            ctypes.CDLL(os.path.abspath(name) if os.sep in name else name, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            raise Failure(EXCEPTION, f"cannot preload {name}: {first_line(str(error))}") from error


def _prepare(threads: int, seed: int) -> None:
    """Seeds, and threads, of the libraries that the file imported."""
    random.seed(seed)
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)
    if torch is not None:
        torch.manual_seed(seed)
        torch.set_num_threads(threads)


def _chosen(found: dict[str, Benchmark], options: argparse.Namespace) -> Benchmark:
    wanted = found.get(options.benchmark)
    if wanted is None:
        near = difflib.get_close_matches(options.benchmark, found, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise Failure(UNSUPPORTED, f"{os.path.basename(options.file)} has no benchmark {options.benchmark}{hint}")
    if options.configuration not in wanted.configurations:
        raise Failure(UNSUPPORTED, f"{wanted.name} has no configuration {options.configuration}")
    return wanted


def run_benchmark(options: argparse.Namespace, protocol: Protocol) -> int:
    def job() -> None:
        begin = time.perf_counter_ns()
        protocol.write(
            "hello",
            protocol=PROTOCOL_VERSION,
            worker=WORKER,
            threads=options.threads,
            device="cpu",
            benchmark=options.benchmark,
            configuration=options.configuration,
            size=options.size,
            seed=options.seed,
        )
        _preload(options.preload)
        wanted = _chosen(functions.read(options.file), options)
        _prepare(options.threads, options.seed)
        setup = Setup(options.configuration, options.size, options.batch, options.threads, options.seed)
        iteration = wanted.ready(setup)
        ready = time.perf_counter_ns()
        last = measure.warm_up(iteration, options.warmup, options.warmup_milliseconds)
        warm = time.perf_counter_ns()
        turns = Turns(options.alternate)
        turns.meet(last < SHORT_NANOSECONDS)
        memory = measure.measure(iteration, options.iterations, turns, protocol)
        growing = time.perf_counter_ns()
        if options.leak_iterations > 0:
            memory.update(measure.watch_growth(iteration, options.leak_iterations, options.leak_milliseconds))
        grown = time.perf_counter_ns()
        protocol.write("memory", **memory)
        protocol.write(
            "done",
            samples=options.iterations,
            setup_nanoseconds=warm - begin,
            warmup_nanoseconds=warm - ready,
            growth_nanoseconds=grown - growing,
            alternated=turns.taken,
        )

    return _guarded(protocol, job)


def report_environment(options: argparse.Namespace, protocol: Protocol) -> int:
    def job() -> None:
        _preload(options.preload)
        functions.read(options.file)
        protocol.write("hello", protocol=PROTOCOL_VERSION, worker=WORKER)
        protocol.write(
            "environment",
            libraries=libraries.loaded(),
            affinity=libraries.allowed_cpus(),
            threads=options.threads,
        )
        protocol.write("done")

    return _guarded(protocol, job)


def refuse(command: str, protocol: Protocol) -> int:
    """Rejects the commands that only the native worker has."""
    protocol.write("error", kind=UNSUPPORTED, message=f"the worker for Python functions has no `{command}`")
    return EXIT_ERROR
