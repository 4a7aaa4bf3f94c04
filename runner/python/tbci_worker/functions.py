"""The functions of a benchmark file: what the decorator `benchmark` registers, and how one is made ready."""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import os
import re
import sys
from typing import Any, Callable, Optional, Sequence

from .failure import EXCEPTION, UNSUPPORTED, Failure, first_line

CONFIGURATIONS = ("cpu-train", "cpu-infer")

Iteration = Callable[[], object]


class Unsupported(Failure):
    """Raise it where this machine lacks something that the benchmark needs. The message is one line that names it."""

    def __init__(self, message: str) -> None:
        super().__init__(UNSUPPORTED, first_line(message) or "the benchmark does not say what is missing")


@dataclasses.dataclass(frozen=True)
class Setup:
    """What the command line asks for; a benchmark that takes an argument gets it."""

    configuration: str
    size: str
    batch: Optional[int]
    threads: int
    seed: int


@dataclasses.dataclass(frozen=True)
class Benchmark:
    name: str
    domain: str
    task: str
    configurations: tuple[str, ...]
    make: Callable[..., Any]

    def ready(self, setup: Setup) -> Iteration:
        """Calls the function, which is not measured. What it returns is measured."""
        iteration = self.make(setup) if inspect.signature(self.make).parameters else self.make()
        if not callable(iteration):
            raise Failure(EXCEPTION, f"{self.name} returned {type(iteration).__name__} instead of a function to measure")
        return iteration


_registered: dict[str, Benchmark] = {}


def benchmark(
    name: str = "", *, domain: str = "other", task: str = "", configurations: Sequence[str] = ("cpu-infer",)
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function that prepares a benchmark and returns the function to measure.

    `name`: by default that of the function. `configurations`: `cpu-infer`, `cpu-train` or both.
    """
    if callable(name):
        raise TypeError("write @benchmark() with its brackets")

    def register(make: Callable[..., Any]) -> Callable[..., Any]:
        own = name or make.__name__
        if not re.fullmatch(r"[A-Za-z0-9_.+-]{1,60}", own):
            raise ValueError(f"{own!r} cannot be a benchmark's name: use letters, digits and . _ + -")
        if own in _registered:
            raise ValueError(f"two benchmarks are named {own}: rename one")
        unknown = [each for each in configurations if each not in CONFIGURATIONS]
        if unknown or not configurations:
            raise ValueError(f"the configurations of {own} must be among {', '.join(CONFIGURATIONS)}")
        _registered[own] = Benchmark(own, domain, task, tuple(configurations), make)
        return make

    return register


def read(path: str) -> dict[str, Benchmark]:
    """Runs a benchmark file. Its own folder comes first among those that it imports from, as if Python ran it."""
    if not os.path.isfile(path):
        raise Failure(EXCEPTION, f"there is no file {path} with benchmarks")
    path = os.path.abspath(path)
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("tbci_benchmark_file", path)
    if spec is None or spec.loader is None:
        raise Failure(EXCEPTION, f"{path} is not a Python file: its name must end with .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not _registered:
        raise Failure(EXCEPTION, f"{path} has no benchmark: write @benchmark() before a function")
    return _registered
