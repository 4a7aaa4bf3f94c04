"""Whether compiled code computes what eager computes: the rule of suite/backends/agreement.cpp."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

_SMALL = 0.01  # of the largest norm: a smaller tensor is measured by that
_MOVED_TIMES = 10  # what rounding does may be exceeded by that
_MOVED_MOST = 0.05


def tensors_in(torch: Any, value: Any) -> list[Any]:
    """The tensors of nested tuples, lists, mappings and plain objects, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, Mapping):
        parts: list[Any] = list(value.values())
    elif isinstance(value, (list, tuple)):
        parts = list(value)
    else:
        parts = list(vars(value).values()) if type(value).__module__ != "builtins" and hasattr(value, "__dict__") else []
        parts = [part for part in parts if isinstance(part, (torch.Tensor, list, tuple, Mapping))]
    return [tensor for part in parts for tensor in tensors_in(torch, part)]


def copies(tensors: list[Any]) -> list[Any]:
    """In numbers of 64 bits, in memory of their own."""
    plain = []
    for tensor in tensors:
        tensor = tensor.detach()
        tensor = tensor.to_dense() if tensor.is_sparse else tensor
        plain.append(tensor.cpu().double().clone())
    return plain


def _difference(torch: Any, expected: Any, got: Any, least: float) -> float:
    """By the norm of the expected one, or by `least`; infinite where one is finite and the other is not."""
    finite = torch.isfinite(expected)
    if not torch.equal(finite, torch.isfinite(got)):
        return math.inf
    zero = torch.zeros((), dtype=torch.double)
    change = float(torch.where(finite, expected - got, zero).norm())
    size = max(float(torch.where(finite, expected, zero).norm()), least)
    return 0.0 if change == 0 else (change / size if size > 0 else change)


def _too_far(difference: float, most: float, moved: float) -> str:
    """Empty if the difference is allowed."""
    allowed = max(most, min(_MOVED_MOST, _MOVED_TIMES * moved))
    if difference <= allowed:
        return ""
    rounding = f"; eager's own changes by {moved:.3g} where its weights change by a millionth" if moved > 0 else ""
    return f"differs from eager's by {difference:.3g} of its norm ({allowed:.3g} is allowed{rounding})"


def disagreement(
    torch: Any, expected: list[Any], got: list[Any], most: float, word: str, moved: Sequence[list[Any]] = ()
) -> tuple[float, str]:
    """The largest difference of two tensors, and in one line what is wrong; empty: nothing. `moved` is what eager
    computes with rounding added to its weights: a tensor may differ by ten times what the farthest of these does."""
    if len(expected) != len(got):
        return math.inf, f"it gives {len(got)} tensors ({word}) where eager gives {len(expected)}"
    finite = [torch.where(torch.isfinite(each), each, torch.zeros((), dtype=torch.double)) for each in expected]
    least = _SMALL * max((float(each.norm()) for each in finite), default=0.0)
    largest = 0.0
    for index, (left, right) in enumerate(zip(expected, got)):
        which = f"{word} {index + 1} of {len(expected)}"
        if left.shape != right.shape:
            return math.inf, f"{which} has the shape {list(right.shape)} where eager's has {list(left.shape)}"
        difference = _difference(torch, left, right, least)
        largest = max(largest, difference)
        if difference <= most:
            continue
        comparable = [each[index] for each in moved if len(each) == len(expected) and each[index].shape == left.shape]
        rounding = max((_difference(torch, left, each, least) for each in comparable), default=0.0)
        wrong = _too_far(difference, most, rounding)
        if wrong:
            return largest, f"{which} {wrong}"
    return largest, ""
