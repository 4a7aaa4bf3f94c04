"""A small package with the interface of TorchBench: what is asked of it stands in runner/torchbench."""

import importlib
import pathlib

import torch  # noqa: F401 - as TorchBench does


class ModelNotFoundError(RuntimeError):
    pass


def _load(folder, name):
    if not (pathlib.Path(__file__).parent / folder / name / "__init__.py").exists():
        raise ModelNotFoundError(name)
    return importlib.import_module(f".{folder}.{name}", package=__name__).Model


def load_model_by_name(model_name):
    return _load("models", model_name)


def load_canary_model_by_name(model):
    return _load("canary_models", model)
