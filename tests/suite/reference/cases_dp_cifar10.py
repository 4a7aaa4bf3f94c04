"""torchvision's ResNet-18 with group norms."""

import torch
from compare import Case, copy_in_order, import_torchvision


def resnet18(classes):
    def run(dump):
        def norm(channels):
            return torch.nn.GroupNorm(min(channels, 32), channels)

        original = import_torchvision().models.resnet18(num_classes=classes, norm_layer=norm)
        return [copy_in_order(original, dump)(dump["inputs"][0])]

    return run


CASES = {
    "functorch_dp_cifar10": Case(resnet18(1000), "torchvision"),
    "opacus_cifar10": Case(resnet18(10), "torchvision"),
}
