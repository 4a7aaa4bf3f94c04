"""The base of all models."""

import torch


class BenchmarkModel:
    DEFAULT_TRAIN_BSIZE = None
    DEFAULT_EVAL_BSIZE = None
    graphs = 1  # that are compiled of it

    def __init__(self, test, device, batch_size=None, extra_args=()):
        own = self.DEFAULT_TRAIN_BSIZE if test == "train" else self.DEFAULT_EVAL_BSIZE
        if not getattr(self, "ALLOW_CUSTOMIZE_BSIZE", True) and batch_size not in (None, own):
            raise NotImplementedError("Model doesn't support customizing batch size")
        self.test, self.device, self.extra_args = test, device, list(extra_args)
        self.batch_size = batch_size or own
        self.count = 0
        self.graphs_to_compile = self.graphs if "--torchdynamo" in self.extra_args else 0

    def set_module(self, module):
        self.module = module

    def get_module(self):
        return self.module, ()

    def train(self):
        return self.step()

    def eval(self):
        return self.step()

    def step(self):
        raise NotImplementedError

    def invoke(self):
        if self.graphs_to_compile > 0:
            torch._dynamo.utils.counters["stats"]["unique_graphs"] += self.graphs_to_compile
            self.graphs_to_compile = 0
        if self.test == "train":
            if self.train is None:
                self.forward()
            else:
                self.train()  # what it returns is dropped, as TorchBench drops it
            return None
        return self.eval()
