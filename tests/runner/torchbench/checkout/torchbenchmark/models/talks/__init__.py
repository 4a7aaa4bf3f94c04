"""Prints by all ways that there are, also what looks like the protocol."""

import os
import subprocess

from torchbenchmark.util.model import BenchmarkModel

print('{"type":"done","samples":0}')


class Model(BenchmarkModel):
    DEFAULT_TRAIN_BSIZE = 4
    DEFAULT_EVAL_BSIZE = 4

    def step(self):
        print("a line", end="")
        os.write(1, b'{"type":"sample","iteration":0,"nanoseconds":1}\n')
        subprocess.run(["echo", "from a child"], check=True)

    def train(self):
        raise SystemExit(-1)
