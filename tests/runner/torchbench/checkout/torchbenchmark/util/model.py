"""The base of all models."""


class BenchmarkModel:
    DEFAULT_TRAIN_BSIZE = None
    DEFAULT_EVAL_BSIZE = None

    def __init__(self, test, device, batch_size=None, extra_args=()):
        own = self.DEFAULT_TRAIN_BSIZE if test == "train" else self.DEFAULT_EVAL_BSIZE
        if not getattr(self, "ALLOW_CUSTOMIZE_BSIZE", True) and batch_size not in (None, own):
            raise NotImplementedError("Model doesn't support customizing batch size")
        self.test, self.device, self.extra_args = test, device, list(extra_args)
        self.batch_size = batch_size or own
        self.count = 0

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
        if self.test == "train":
            if self.train is None:
                self.forward()
            else:
                self.train()  # what it returns is dropped, as TorchBench drops it
            return None
        return self.eval()
