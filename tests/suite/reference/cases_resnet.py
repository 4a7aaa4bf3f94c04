"""torchvision's residual networks."""

from compare import Case, copy_in_order, import_torchvision


def resnet(name):
    def run(dump):
        original = getattr(import_torchvision().models, name)()
        return [copy_in_order(original, dump)(dump["inputs"][0])]

    return run


NAMES = ("resnet18", "resnet50", "resnet152", "resnext50_32x4d")
CASES = {name: Case(resnet(name), "torchvision") for name in NAMES}
