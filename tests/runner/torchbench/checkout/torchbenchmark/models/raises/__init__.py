from torchbenchmark.util.model import BenchmarkModel


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 4
    DEFAULT_EVAL_BSIZE = 4

    def __init__(self, test, device, batch_size=None, extra_args=()):
        super().__init__(test=test, device=device, batch_size=batch_size, extra_args=extra_args)
        if test == "train":
            raise NotImplementedError("Training not supported\nsecond line")

    def eval(self):
        raise NotImplementedError
