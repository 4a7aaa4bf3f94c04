"""The little of a tensor that the comparison of compiled code with eager needs."""

import contextlib
import math
import random

double, float16, bfloat16, float32, float64 = "double", "float16", "bfloat16", "float32", "float64"
no_grad = contextlib.nullcontext


class Tensor:
    is_sparse, device = False, "cpu"
    dtype = float32

    def __init__(self, values):
        self.values = list(values)
        self.shape = (len(self.values),)

    def detach(self):
        return self

    cpu = double = clone = detach

    def to(self, device):
        return self

    def gt(self, limit):
        return Tensor(float(value > limit) for value in self.values)

    def mul_(self, other):
        self.values = [one * two for one, two in zip(self.values, other.values)]

    def __rmul__(self, number):
        return Tensor(number * value for value in self.values)

    def __radd__(self, number):
        return Tensor(number + value for value in self.values)

    def __sub__(self, other):
        return Tensor(one - two for one, two in zip(self.values, other.values))

    def norm(self):
        return math.sqrt(sum(value * value for value in self.values))


class Generator:
    def manual_seed(self, seed):
        self.numbers = random.Random(seed)
        return self


def rand(shape, generator):
    return Tensor(generator.numbers.random() for _ in range(shape[0]))


def isfinite(tensor):
    return Tensor(math.isfinite(value) for value in tensor.values)


def equal(one, two):
    return one.values == two.values


def zeros(_shape, dtype=None):  # a scalar
    return 0.0


def where(condition, tensor, scalar):
    return Tensor(value if holds else scalar for holds, value in zip(condition.values, tensor.values))
