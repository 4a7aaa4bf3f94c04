"""Leaves garbage that only Python's collector takes away: it is not a leak."""

from torchbenchmark.util.model import BenchmarkModel


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 1
    DEFAULT_EVAL_BSIZE = 1

    def step(self):
        circle = [bytearray(64 << 10)]
        circle.append(circle)
