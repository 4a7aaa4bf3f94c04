"""Sources of originals that are in pytorch/benchmark. It must be at hand: as a clone that TORCHBENCH_REPOSITORY names (its
git folder will do; models that were removed since are found in its history), or as a checkout that TORCHBENCH names or
that is on PYTHONPATH."""

import functools
import importlib
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import types
from unittest import mock


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", os.environ["TORCHBENCH_REPOSITORY"], *arguments], check=True, capture_output=True).stdout


@functools.lru_cache
def installed() -> pathlib.Path:
    """What an installed or checked-out package torchbenchmark lies in."""
    if "TORCHBENCH" in os.environ:
        return pathlib.Path(os.environ["TORCHBENCH"])
    spec = importlib.util.find_spec("torchbenchmark")
    if spec is None:
        raise ImportError("TORCHBENCH_REPOSITORY names no clone of pytorch/benchmark")
    return pathlib.Path(list(spec.submodule_search_locations)[0]).parent


@functools.lru_cache
def checked_out(path: str) -> pathlib.Path:
    """A file or folder of the repository."""
    if "TORCHBENCH_REPOSITORY" not in os.environ:
        return installed() / path
    revision = "HEAD"
    if not git("ls-tree", revision, path):
        removed = git("log", "-1", "--diff-filter=D", "--format=%H", "HEAD", "--", f"{path}/__init__.py")
        revision = f"{removed.decode().strip()}^"
    target = tempfile.mkdtemp()
    subprocess.run(["tar", "-x", "-C", target], input=git("archive", revision, path), check=True)
    return pathlib.Path(target) / path


def folder_of(model: str) -> pathlib.Path:
    return checked_out(f"torchbenchmark/models/{model}")


def missing(package: str) -> bool:
    if package in sys.modules:
        return isinstance(sys.modules[package], mock.MagicMock)
    return importlib.util.find_spec(package) is None


def pretend(*names: str) -> None:
    """Stands in for packages that are missing and that the networks do not need."""
    for name in names:
        if name not in sys.modules and missing(name.split(".")[0]):
            sys.modules[name] = mock.MagicMock(__spec__=importlib.machinery.ModuleSpec(name, None))


def import_file(name: str, file: pathlib.Path, **options) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, file, **options)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(path: str, package: str = "") -> types.ModuleType:
    """The module in the file torchbenchmark/models/PATH. `package`: what its relative imports are relative to."""
    model, _, rest = path.partition("/")
    file = folder_of(model) / rest
    name = f"{package}.{file.stem}" if package else f"torchbench_{path.replace('/', '_').removesuffix('.py')}"
    return import_file(name, file)


def import_from_torchbench(model: str, module: str) -> types.ModuleType:
    """A module of the folder of one model, whose own __init__.py is not run."""
    package, root = f"torchbench_{model}", folder_of(model)
    if package not in sys.modules:
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__path__ = [str(root)]
    sys.path.insert(0, str(root))  # some import their neighbours as if the folder were on the path
    try:
        return importlib.import_module(f"{package}.{module}")
    finally:
        sys.path.remove(str(root))


def original(model: str, module: str, absent: tuple = ()) -> types.ModuleType:
    """The same, where packages are absent that the module imports and the network does not need."""
    pretend(*absent)
    return import_from_torchbench(model, module)


class BareModel:
    """In the place of torchbenchmark's BenchmarkModel, without what that does for measuring."""

    def __init__(self, test: str, device: str, batch_size: int, extra_args: list):
        self.test, self.device, self.batch_size = test, device, batch_size


def whole(model: str, absent: tuple = ()) -> types.ModuleType:
    """A model with its own __init__.py, which builds it. `absent`: as for `original`."""
    pretend(*absent)
    folder = folder_of(model)
    if not isinstance(sys.modules.get("torchbenchmark.tasks"), mock.MagicMock):
        distribution = checked_out("torchbenchmark/util/distribution.py")
        for name in ("torchbenchmark", "torchbenchmark.models", "torchbenchmark.util", "torchbenchmark.util.model"):
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = []
        sys.modules["torchbenchmark.tasks"] = mock.MagicMock()
        sys.modules["torchbenchmark.util.model"].BenchmarkModel = BareModel
        import_file("torchbenchmark.util.distribution", distribution)
    return import_file(f"torchbenchmark.models.{model}", folder / "__init__.py", submodule_search_locations=[str(folder)])
