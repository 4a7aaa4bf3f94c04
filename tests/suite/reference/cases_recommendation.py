"""DLRM and DeepRecommender, as they are in pytorch/benchmark."""

import sys
import types

import numpy
import torchbench
from compare import Case


def dlrm(dump):
    for absent in ("onnx", "sklearn", "sklearn.metrics"):  # the original imports them, the network needs neither
        sys.modules.setdefault(absent, types.ModuleType(absent))
    for package in ("dlrm_package", "dlrm_package.tricks"):
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__path__ = []
    sys.modules["dlrm_package.dlrm_data_pytorch"] = types.ModuleType("data")
    sys.modules["dlrm_package"].dlrm_data_pytorch = sys.modules["dlrm_package.dlrm_data_pytorch"]
    for trick in ("md_embedding_bag", "qr_embedding_bag"):
        sys.modules[f"dlrm_package.tricks.{trick}"] = torchbench.load(f"dlrm/tricks/{trick}.py")
    network = torchbench.load("dlrm/dlrm_s_pytorch.py", package="dlrm_package")

    weights = dump["parameters"]
    tables = [t for n, t in weights.items() if n.startswith("table")]
    layers = {part: [t for n, t in weights.items() if n.startswith(part)] for part in ("bot_l", "top_l")}
    sizes = {p: numpy.array([l[0].shape[1]] + [t.shape[0] for t in l[::2]]) for p, l in layers.items()}
    original = network.DLRM_Net(tables[0].shape[1], numpy.array([len(t) for t in tables]), sizes["bot_l"], sizes["top_l"],
                                arch_interaction_op="dot", ndevices=-1)
    for to, source in zip(original.parameters(), weights.values()):
        to.data.copy_(source)
    dense, *rest = dump["inputs"]
    return [original(dense, rest[len(tables):], rest[:len(tables)])]


def deeprecommender(dump):
    network = torchbench.load("nvidia_deeprecommender/reco_encoder/model/model.py")
    weights = list(dump["parameters"].values())
    sizes = [weights[0].shape[1]] + [t.shape[0] for t in weights[:6:2]]
    original = network.AutoEncoder(sizes, nl_type="selu", is_constrained=False, dp_drop_prob=0.8).eval()
    for name, all_of_them in (("encode", weights[:6]), ("decode", weights[6:])):
        for to, source in zip(getattr(original, f"{name}_w"), all_of_them[::2]):
            to.data.copy_(source)
        for to, source in zip(getattr(original, f"{name}_b"), all_of_them[1::2]):
            to.data.copy_(source)
    return [original(dump["inputs"][0])]


CASES = {
    "dlrm": Case(dlrm, "pytorch/benchmark", batch=64),
    "dlrm_embedding_bound": Case(dlrm, "pytorch/benchmark", batch=64),
    "dlrm_mlp_bound": Case(dlrm, "pytorch/benchmark", batch=64),
    "nvidia_deeprecommender": Case(deeprecommender, "pytorch/benchmark"),
}
