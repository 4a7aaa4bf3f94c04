"""As models were years ago."""


class Model:
    def __init__(self, test, device, jit, batch_size=None):
        assert not jit
        self.batch_size = batch_size

    def train(self, niter=1):
        return NotImplementedError("this model has no training")

    def eval(self, niter=1):
        return ()
