"""Draws other random numbers where it is compiled, unless it is compiled with those of eager."""

import torch
from torch._inductor import config
from torchbenchmark.util.model import BenchmarkModel


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 8
    DEFAULT_EVAL_BSIZE = 8

    def step(self):
        other = "--torchdynamo" in self.extra_args and not config.fallback_random
        return torch.Tensor([0.0, 2.0] if other else [2.0, 0.0])
