"""The little of a tensor that the comparison of compiled code with eager needs."""

import math

double, float16, bfloat16, float32 = "double", "float16", "bfloat16", "float32"


class Tensor:
    is_sparse = False
    dtype = float32

    def __init__(self, values):
        self.values = list(values)
        self.shape = (len(self.values),)

    def detach(self):
        return self

    cpu = double = clone = detach

    def __sub__(self, other):
        return Tensor(one - two for one, two in zip(self.values, other.values))

    def norm(self):
        return math.sqrt(sum(value * value for value in self.values))


def isfinite(tensor):
    return Tensor(math.isfinite(value) for value in tensor.values)


def equal(one, two):
    return one.values == two.values


def zeros(_shape, dtype=None):  # a scalar
    return 0.0


def where(condition, tensor, scalar):
    return Tensor(value if holds else scalar for holds, value in zip(condition.values, tensor.values))
