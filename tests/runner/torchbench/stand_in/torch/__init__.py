"""Stands for PyTorch in the tests of the TorchBench worker: the few functions that the worker itself calls."""

import os

from . import _inductor, cuda, version  # noqa: F401
from .numbers import Tensor, bfloat16, double, equal, float16, isfinite, where, zeros  # noqa: F401

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
