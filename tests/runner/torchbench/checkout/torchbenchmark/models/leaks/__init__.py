"""Keeps 64 KiB of each iteration; in training as small objects of Python."""

from torchbenchmark.util.model import BenchmarkModel


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 1
    DEFAULT_EVAL_BSIZE = 1
    kept = []

    def eval(self):
        self.kept.append(bytearray(64 << 10))

    def train(self):
        self.kept.append([bytes([i % 256]) * 215 for i in range(256)])  # of 248 bytes, in blocks of 256
