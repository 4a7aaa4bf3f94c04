from torchbenchmark.tasks import NLP
from torchbenchmark.util.model import BenchmarkModel


class Model(BenchmarkModel):
    task = NLP.LANGUAGE_MODELING
    DEFAULT_TRAIN_BSIZE = 4
    DEFAULT_EVAL_BSIZE = 4

    def train(self):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 4 EiB")

    def eval(self):
        self.count += 1
        if self.count == 5:
            raise ValueError("the shapes \udcff differ\nand here is more of it")
