"""A millionth of its weights moves its results by a hundredth; where it is compiled, they are off by more."""

import torch
from torchbenchmark.util.model import BenchmarkModel


class Weights(torch.Tensor):
    grad = None


class Module:
    def __init__(self):
        self.weights = Weights([1.0] * 8)

    def parameters(self):
        return [self.weights]


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 8
    DEFAULT_EVAL_BSIZE = 8

    def __init__(self, test, device, batch_size=None, extra_args=()):
        super().__init__(test=test, device=device, batch_size=batch_size, extra_args=extra_args)
        self.set_module(Module())

    def step(self):
        moved = 4096 * (self.module.weights - torch.Tensor([1.0] * 8)).norm()
        off = self.batch_size / 100 if "--torchdynamo" in self.extra_args else 0
        return torch.Tensor([1 + moved + off])
