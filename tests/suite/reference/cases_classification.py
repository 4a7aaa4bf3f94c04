"""The other image classifiers of torchvision, and the two of the UvA tutorials, which TorchBench has in full."""

from compare import Case, copy_in_order, import_torchvision
from torchbench import whole

TORCHVISION = ("alexnet", "densenet121", "mnasnet1_0", "mobilenet_v2", "mobilenet_v3_large", "shufflenet_v2_x1_0",
               "squeezenet1_1", "vgg16")


def torchvision_model(name):
    def run(dump):
        return [copy_in_order(getattr(import_torchvision().models, name)(), dump)(dump["inputs"][0])]

    return run


def tutorial_model(name, network):
    def run(dump):
        return [copy_in_order(getattr(whole(name), network)(), dump)(dump["inputs"][0])]

    return run


CASES = {name: Case(torchvision_model(name), "torchvision") for name in TORCHVISION}
CASES["phlippe_densenet"] = Case(tutorial_model("phlippe_densenet", "DenseNet"), "pytorch/benchmark")
CASES["phlippe_resnet"] = Case(tutorial_model("phlippe_resnet", "ResNetModel"), "pytorch/benchmark")
