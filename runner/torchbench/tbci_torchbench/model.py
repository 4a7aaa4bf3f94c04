"""A model of TorchBench: made as its own run.py makes it, and run an iteration at a time."""

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
    """Imports the model, and what it needs. The checkout is the working folder, as for run.py."""
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
    """What to ask the model for; nothing: its own."""
    if asked is not None:
        return asked
    if size == "paper":
        return None
    own = getattr(model, "DEFAULT_TRAIN_BSIZE" if test == "train" else "DEFAULT_EVAL_BSIZE", None)
    fixed = not getattr(model, "ALLOW_CUSTOMIZE_BSIZE", True)
    return ci_batch(own if isinstance(own, int) else None, fixed)


def _arguments(model: Any, test: str, device: str, batch: Optional[int], extra: list[str]) -> dict[str, Any]:
    """For `Model(test=..., device=..., ...)`. An older checkout takes `jit` as well. Failure where it takes others."""
    parameters = inspect.signature(model.__init__).parameters
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    if not open_ended and not {"test", "device"} <= parameters.keys():
        raise Failure(
            EXCEPTION,
            f"a checkout of a shape that tbci does not know: Model takes ({', '.join(list(parameters)[1:])}), "
            "not test, device, batch_size and extra_args",
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
    """The model with its data on the device. `must`: another batch than that asked for is a failure."""
    made = model(**_arguments(model, test, device, batch, extra))
    taken = getattr(made, "batch_size", None)
    if batch is not None and taken != batch:
        said = f"a batch of {batch} was asked for, and the model took {first_line(str(taken))}"
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


def _first(made: Any, name: str, run: Callable[[], Any]) -> None:
    """An iteration that raises NotImplementedError where the model returns one, as some do. `invoke` drops what
    `train` returns, so that is seen on its way."""
    method = getattr(made, name, None)
    if not callable(method):  # `train` can be None: then invoke() goes through its stages
        _refuse(run())
        return
    answers: list[Any] = []

    def watched(*arguments: Any, **named: Any) -> Any:
        answers.append(method(*arguments, **named))
        return answers[-1]

    own = vars(made).get(name)
    setattr(made, name, watched)
    try:
        answers.append((getattr(made, "invoke", None) or watched)())
    finally:
        if own is None:
            delattr(made, name)
        else:
            setattr(made, name, own)
    for answer in answers:
        _refuse(answer)


def iterations(made: Any, test: str) -> Iterator[Callable[[], Any]]:
    """Without end: each is called for one iteration, which is `invoke()` as in run.py; where a checkout has none,
    `train()` or `eval()`."""
    name = "train" if test == "train" else "eval"
    run = getattr(made, "invoke", None) or getattr(made, name, None)
    if not callable(run):
        raise Failure(UNSUPPORTED, f"the model has neither invoke() nor {name}()")
    return itertools.chain([lambda: _first(made, name, run)], itertools.repeat(run))
