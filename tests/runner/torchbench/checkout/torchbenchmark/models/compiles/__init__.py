"""Gives the same results compiled as in eager, after a compilation of 50 ms. So much takes its second iteration, too."""

import time

import torch
from torchbenchmark.util.model import BenchmarkModel


class Weight(torch.Tensor):
    grad = torch.Tensor([3.0, 4.0])


class Module:
    def parameters(self):
        return [Weight([1.0])]


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 8
    DEFAULT_EVAL_BSIZE = 8

    def __init__(self, test, device, batch_size=None, extra_args=()):
        super().__init__(test=test, device=device, batch_size=batch_size, extra_args=extra_args)
        self.set_module(Module())
        self.is_compiled = "--torchdynamo" in self.extra_args

    def step(self):
        if self.is_compiled and self.count < 2:
            time.sleep(0.05)
        self.count += 1
        return {"logits": torch.Tensor([1.0, float("nan")]), "more": (torch.Tensor([2.0]), "text")}
