"""Creates a model of TorchBench as its run.py does, and runs it one iteration at a time."""

from __future__ import annotations

import importlib
import inspect
import itertools
import os
import sys
from typing import Any, Callable, Iterator, Optional

from .checkout import Checkout, Entry, ci_batch
from .failure import EXCEPTION, UNSUPPORTED, Failure, first_line

_NOTHING = (NotImplementedError, NotImplemented)


def load_class(checkout: Checkout, entry: Entry) -> Any:
    """Imports the model and its dependencies. The working directory is the checkout, as for run.py."""
    root = str(checkout.root)
    sys.path.insert(0, root)
    os.chdir(root)
    package = importlib.import_module("torchbenchmark")
    loader = getattr(package, "load_canary_model_by_name" if entry.canary else "load_model_by_name", None)
    if loader is not None:
        found = loader(entry.name)
    else:
        found = getattr(importlib.import_module(f"torchbenchmark.{entry.package}"), "Model", None)
    if not isinstance(found, type):
        raise Failure(EXCEPTION, f"torchbenchmark/{entry.package.replace('.', '/')} has no class Model")
    if not hasattr(found, "name"):
        found.name = entry.name  # type: ignore[attr-defined]
    return found


def wanted_batch(model: Any, size: str, asked: Optional[int], test: str) -> Optional[int]:
    """The batch to request from the model; None: its own."""
    if asked is not None:
        return asked
    if size == "paper":
        return None
    own = getattr(model, "DEFAULT_TRAIN_BSIZE" if test == "train" else "DEFAULT_EVAL_BSIZE", None)
    fixed = not getattr(model, "ALLOW_CUSTOMIZE_BSIZE", True)
    return ci_batch(own if isinstance(own, int) else None, fixed)


def _arguments(model: Any, test: str, device: str, batch: Optional[int], extra: list[str]) -> dict[str, Any]:
    """For `Model(test=..., device=..., ...)`. Older checkouts also take `jit`. Failure if it takes other arguments."""
    parameters = inspect.signature(model.__init__).parameters
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    if not open_ended and not {"test", "device"} <= parameters.keys():
        raise Failure(
            EXCEPTION,
            f"unknown version of pytorch/benchmark: Model takes ({', '.join(list(parameters)[1:])}) "
            "instead of test, device, batch_size and extra_args",
        )
    arguments: dict[str, Any] = {"test": test, "device": device}
    if "jit" in parameters:
        arguments["jit"] = False
    for name, value in (("batch_size", batch), ("extra_args", extra)):
        if open_ended or name in parameters:
            arguments[name] = value
        elif value:
            raise Failure(UNSUPPORTED, f"the model takes no {name}")
    return arguments


def make(model: Any, test: str, device: str, batch: Optional[int], extra: list[str], must: bool) -> Any:
    """The model with its data on the device. `must`: a batch other than the requested one is a failure."""
    made = model(**_arguments(model, test, device, batch, extra))
    taken = getattr(made, "batch_size", None)
    if batch is not None and taken != batch:
        said = f"requested a batch of {batch}, but the model took {first_line(str(taken))}"
        if must:
            raise Failure(UNSUPPORTED, said)
        print(f"tbci-torchbench: {said}", file=sys.stderr)
    return made


def _says_not_implemented(answer: Any) -> bool:
    return isinstance(answer, NotImplementedError) or any(answer is nothing for nothing in _NOTHING)


def _refuse(answer: Any) -> None:
    if _says_not_implemented(answer):
        said = first_line(str(answer)) if isinstance(answer, NotImplementedError) else ""
        raise NotImplementedError(said)


def _first(made: Any, name: str, run: Callable[[], Any]) -> Any:
    """An iteration that raises NotImplementedError if the model returns one, as some do. `invoke` drops what `train`
    returns, so wrap `train` to see it."""
    method = getattr(made, name, None)
    if not callable(method):  # `train` can be None: then invoke() runs its stages
        answer = run()
        _refuse(answer)
        return answer
    answers: list[Any] = []

    def wrapper(*arguments: Any, **named: Any) -> Any:
        answers.append(method(*arguments, **named))
        return answers[-1]

    own = vars(made).get(name)
    setattr(made, name, wrapper)
    try:
        answers.append((getattr(made, "invoke", None) or wrapper)())
    finally:
        if own is None:
            delattr(made, name)
        else:
            setattr(made, name, own)
    for answer in answers:
        _refuse(answer)
    return answers[-1]


def iterations(made: Any, test: str) -> Iterator[Callable[[], Any]]:
    """Endless: each call runs one iteration, which is `invoke()` as in run.py, or `train()` or `eval()` in checkouts
    without it."""
    name = "train" if test == "train" else "eval"
    run = getattr(made, "invoke", None) or getattr(made, name, None)
    if not callable(run):
        raise Failure(UNSUPPORTED, f"the model has neither invoke() nor {name}()")
    return itertools.chain([lambda: _first(made, name, run)], itertools.repeat(run))
