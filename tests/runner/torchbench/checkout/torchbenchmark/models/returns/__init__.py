from torchbenchmark.util.model import BenchmarkModel


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 4
    DEFAULT_EVAL_BSIZE = 4

    def train(self):
        return NotImplementedError("FSDP should implement a training loop")

    def eval(self):
        return NotImplementedError
