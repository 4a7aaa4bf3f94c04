"""What rounding alone does to a model's results: its weights changed by a millionth (suite/backends/rounding.hpp)."""

from __future__ import annotations

from typing import Any, Iterable

_MILLIONTH = 2.0**-20


def add_rounding(torch: Any, parameters: Iterable[Any], seed: int) -> None:
    """Changes each number by that part of itself, up or down, in place. Numbers of 16 bits stay."""
    ways = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for each in parameters:
            if each.dtype in (torch.float32, torch.float64):
                up = torch.rand(each.shape, generator=ways).gt(0.5).to(each.device)
                each.mul_(1 - _MILLIONTH + 2 * _MILLIONTH * up)
