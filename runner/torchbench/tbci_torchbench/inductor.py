"""A model as `run.py --torchdynamo inductor` runs it: TorchDynamo records it, and Inductor compiles it. Before anything
is timed, its first iteration is compared with that of the same model in eager: outputs, or gradients."""

from __future__ import annotations

import dataclasses
import gc
import os
import time
from typing import Any, Callable, Iterator, Sequence

from . import model
from .agreement import copies, disagreement, tensors_in
from .failure import UNSUPPORTED, Failure, first_line
from .rounding import add_rounding

COMPILED = ["--torchdynamo", "inductor"]
_TOLERANCE, _TOLERANCE_OF_HALF = 1e-3, 0.05


@dataclasses.dataclass(frozen=True)
class Setting:
    """How the model is made and started."""

    torch: Any
    make: Callable[[list[str]], Any]  # with these arguments of TorchBench
    test: str
    seed: int
    synchronize: Callable[[], None]


@dataclasses.dataclass(frozen=True)
class Ready:
    made: Any
    iterations: Iterator[Callable[[], Any]]
    compile_nanoseconds: int
    difference: float


@dataclasses.dataclass(frozen=True)
class _First:
    """A model after its first iteration."""

    made: Any
    iterations: Iterator[Callable[[], Any]]
    nanoseconds: int
    results: list[Any]
    half: bool  # some are in 16 bits


def compile_in_this_process() -> None:
    """A pool of compilers would still start up while the first iterations are measured. Call it before torch is
    imported."""
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")


def _parameters(made: Any) -> list[Any] | None:
    try:
        return list(made.get_module()[0].parameters())
    except (AttributeError, NotImplementedError, TypeError, IndexError):
        return None


def _norms(parameters: list[Any]) -> list[float]:
    return [float(each.detach().double().norm()) for each in parameters]


def _of_training(parameters: list[Any], norms_before: list[float]) -> list[Any]:
    """Gradients; where none are left behind, the parameters, if the step changed any."""
    gradients = [each.grad for each in parameters if each.grad is not None]
    if not gradients and _norms(parameters) == norms_before:
        raise Failure(UNSUPPORTED, "inductor: the module that TorchBench gives is not trained: nothing can be compared")
    return gradients or parameters


def _first(setting: Setting, arguments: list[str], rounding: int | None = None) -> _First:
    """With rounding added to its weights, by this seed, if there is one."""
    made = setting.make(arguments)
    trains = setting.test == "train"
    # Once, and only where it is needed: some models take a step of their own to give their module.
    parameters = _parameters(made) if trains or rounding is not None else []
    if parameters is None and trains:
        raise Failure(UNSUPPORTED, "inductor: TorchBench gives no module whose gradients can be compared")
    if rounding is not None:
        add_rounding(setting.torch, parameters or [], rounding)
    norms = _norms(parameters or []) if trains else []
    iterations = model.iterations(made, setting.test)
    setting.torch.manual_seed(setting.seed)
    setting.synchronize()
    begin = time.perf_counter_ns()
    answer = next(iterations)()
    setting.synchronize()
    end = time.perf_counter_ns()
    found = _of_training(parameters or [], norms) if trains else tensors_in(setting.torch, answer)
    if not found:
        raise Failure(UNSUPPORTED, "inductor: the model returns nothing that can be compared with eager's")
    half = any(each.dtype in (setting.torch.float16, setting.torch.bfloat16) for each in found)
    return _First(made, iterations, end - begin, copies(found), half)


def _compiled_graphs(torch: Any) -> int:
    return int(torch._dynamo.utils.counters["stats"]["unique_graphs"])


def _compiled(setting: Setting, arguments: list[str]) -> _First:
    """What goes wrong in a compiler is not the model's fault. A model may run past what TorchBench compiles of it."""
    before = _compiled_graphs(setting.torch)
    try:
        first = _first(setting, arguments)
    except (Failure, MemoryError):
        raise
    except Exception as error:
        if "OutOfMemory" in type(error).__name__:
            raise
        said = first_line(f"{type(error).__name__}: {error}")
        raise Failure(UNSUPPORTED, f"inductor cannot run it: {said}") from error
    if _compiled_graphs(setting.torch) == before:
        raise Failure(UNSUPPORTED, "inductor compiled no part of it: the model does not run what TorchBench compiles")
    return first


def _moved(setting: Setting) -> list[list[Any]]:
    """What eager computes with rounding added to its weights."""
    return [_first(setting, [], rounding=seed).results for seed in (1, 2, 3)]


@dataclasses.dataclass(frozen=True)
class _Rule:
    """How compiled tensors are compared."""

    most: float
    word: str
    moved: Sequence[list[Any]] = ()

    def disagreement(self, torch: Any, expected: _First, got: _First) -> tuple[float, str]:
        return disagreement(torch, expected.results, got.results, self.most, self.word, self.moved)


def _same_random_numbers(setting: Setting, expected: _First, rule: _Rule) -> float:
    """Compiled code draws other random numbers, so a model that drops out some of its values differs. With eager's it
    must not. Nothing of this run is measured."""
    config = setting.torch._inductor.config
    kept = config.fallback_random
    config.fallback_random = True  # TorchBench takes what is set as its default
    try:
        second = _compiled(setting, COMPILED)
        difference, wrong = rule.disagreement(setting.torch, expected, second)
    finally:
        config.fallback_random = kept
    if wrong:
        raise Failure(UNSUPPORTED, f"inductor computes something else: {wrong}")
    return difference


def prepare(setting: Setting) -> Ready:
    """Failure where the compiler refuses the model or computes something else, with the reason."""
    torch = setting.torch
    word = "gradient" if setting.test == "train" else "output"
    eager = _first(setting, [])
    expected = dataclasses.replace(eager, made=None, iterations=iter(()))
    del eager
    gc.collect()
    compiled = _compiled(setting, COMPILED)
    rule = _Rule(_TOLERANCE_OF_HALF if expected.half or compiled.half else _TOLERANCE, word)
    difference, wrong = rule.disagreement(torch, expected, compiled)
    nanoseconds = max(0, compiled.nanoseconds - expected.nanoseconds)
    if wrong:
        rule = dataclasses.replace(rule, moved=_moved(setting))
        gc.collect()
        difference, wrong = rule.disagreement(torch, expected, compiled)
    if wrong:
        del compiled
        gc.collect()
        difference = _same_random_numbers(setting, expected, rule)
        gc.collect()
        compiled = _compiled(setting, COMPILED)
    return Ready(compiled.made, compiled.iterations, nanoseconds, difference)
