"""The MAML models, as they are in pytorch/benchmark: of the two of Omniglot the learner, of maml all of its evaluation."""

from unittest import mock

import torch
import torchbench
from compare import Case, copy_in_order
from torchbench import whole


def omniglot(name):
    def run(dump):
        pictures = dump["inputs"][0]
        source = whole(name, absent=("higher",))
        with mock.patch.object(torch, "load", lambda *_, **__: [pictures[None].numpy()] * 4):  # in place of its file
            original = source.Model("eval", "cpu", batch_size=len(pictures))
        copy_in_order(original.model, dump)
        return list(original.eval())

    return run


def maml(dump):
    """The whole of Meta.forward in the original, which imports its neighbour by the package's name."""
    import argparse
    import sys
    import types

    package = types.ModuleType("maml_package")
    package.__path__ = []
    sys.modules["maml_package"] = package
    sys.modules["maml_package.learner"] = torchbench.load("maml/learner.py")
    meta = torchbench.load("maml/meta.py", package="maml_package")
    convolution = ["conv2d", "relu", "bn"]
    sizes = [[64, 1, 3, 3, 2, 0], [64, 64, 3, 3, 2, 0], [64, 64, 3, 3, 2, 0], [64, 64, 2, 2, 1, 0]]
    config = []
    for size in sizes:
        config += list(zip(convolution, (size, [True], [64])))
    config += [("flatten", []), ("linear", [5, 64])]
    options = argparse.Namespace(n_way=5, k_spt=1, k_qry=15, imgsz=28, imgc=1, task_num=32, meta_lr=1e-3, update_lr=0.4,
                                 update_step=5, update_step_test=10)
    original = meta.Meta(options, config)
    for to, source in zip(original.net.vars, dump["parameters"].values()):
        to.data.copy_(source)
    with torch.enable_grad():
        return [original(*dump["inputs"])]


CASES = {
    "maml_omniglot": Case(omniglot("maml_omniglot"), "pytorch/benchmark", batch=25),
    "functorch_maml_omniglot": Case(omniglot("functorch_maml_omniglot"), "pytorch/benchmark", batch=25),
    "maml": Case(maml, "pytorch/benchmark", batch=4, tolerance=1e-2),
}
