"""Stands for PyTorch in the tests of the TorchBench worker: the few functions that the worker itself calls."""

import os

from . import _dynamo, _inductor, cuda, version  # noqa: F401
from .numbers import (  # noqa: F401
    Generator,
    Tensor,
    bfloat16,
    double,
    equal,
    float16,
    float32,
    float64,
    isfinite,
    no_grad,
    rand,
    where,
    zeros,
)

__version__ = version.__version__
_threads = {"operator": int(os.environ.get("OMP_NUM_THREADS", "1")), "interop": 4}


def get_num_threads():
    return _threads["operator"]


def set_num_threads(count):
    _threads["operator"] = count


def get_num_interop_threads():
    return _threads["interop"]


def set_num_interop_threads(count):
    _threads["interop"] = count


def manual_seed(seed):
    _threads["seed"] = seed
