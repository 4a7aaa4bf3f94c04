"""Has stages instead of train(), a batch of its own, and no inference on a CPU."""

from torchbenchmark.util.model import BenchmarkModel


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 256
    DEFAULT_EVAL_BSIZE = 256
    ALLOW_CUSTOMIZE_BSIZE = False
    train = None

    def forward(self):
        self.count += 1
