"""Trains something else than the module that it gives."""

import torch
from torchbenchmark.util.model import BenchmarkModel


class Weight(torch.Tensor):
    grad = None


class Module:
    def __init__(self):
        self.weight = Weight([1.0])

    def parameters(self):
        return [self.weight]


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 8
    DEFAULT_EVAL_BSIZE = 8

    def __init__(self, test, device, batch_size=None, extra_args=()):
        super().__init__(test=test, device=device, batch_size=batch_size, extra_args=extra_args)
        self.set_module(Module())

    def step(self):
        return torch.Tensor([1.0])
