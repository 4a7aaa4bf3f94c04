"""How many bytes each iteration keeps; as suite/statistics.cpp, but without Python's garbage."""

from __future__ import annotations

from statistics import median
from typing import Sequence


def theil_sen_slope(values: Sequence[float]) -> float:
    """The median slope between all pairs of values at equal steps; as suite/statistics.cpp."""
    stride = (len(values) + 999) // 1000
    slopes = [
        (values[j] - values[i]) / (j - i)
        for i in range(0, len(values), max(stride, 1))
        for j in range(i + stride, len(values), max(stride, 1))
    ]
    return float(median(slopes)) if slopes else 0.0


def growth(in_use: Sequence[float], kept: float, kept_small: float) -> float:
    """Additional bytes in use after each iteration.

    `in_use`: the allocator's count after each iteration; `kept`: its increase over all iterations after a garbage
    collection; `kept_small`: the same for Python's small objects. Cyclic garbage waits for the collector and is not a
    leak, so `kept` limits the slope.
    """
    if not in_use:
        return 0.0
    slope = theil_sen_slope(in_use)
    if slope > 0:
        slope = min(slope, max(kept, 0.0) / len(in_use))
    return slope + kept_small / len(in_use)
