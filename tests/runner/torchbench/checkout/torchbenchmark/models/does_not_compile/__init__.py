"""Runs in eager alone."""

import torch
from torchbenchmark.util.model import BenchmarkModel


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 8
    DEFAULT_EVAL_BSIZE = 8

    def step(self):
        if "--torchdynamo" in self.extra_args:
            raise RuntimeError("LoweringException: u51\nand a stack")
        return torch.Tensor([1.0])
