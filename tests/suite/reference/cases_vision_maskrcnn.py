"""torchvision's Mask R-CNN, on ResNet-50 with a feature pyramid."""

import torch

from compare import Case, import_torchvision
from detection_operators import use_in


def in_our_order(names):
    """The suite registers a block's shortcut first, and the convolutions of a detector in the order of its forward."""

    def key(name):
        parts = name.split(".")
        if parts[:2] == ["backbone", "body"] and parts[2].startswith("layer"):
            return (0, parts[2], int(parts[3]), 0 if parts[4] == "downsample" else 1)
        return (0, "", 0, 0) if parts[:2] == ["backbone", "body"] else (1, "", 0, 0)

    return sorted(names, key=key)


def fill(model, dump):
    for kind in ("parameters", "buffers"):
        mine = dict(getattr(model, f"named_{kind}")())
        given = [t for n, t in dump[kind].items() if ".cell" not in n]
        names = in_our_order(mine)
        if [mine[n].shape for n in names] != [t.shape for t in given]:
            raise ValueError(f"{kind} differ: {[(n, tuple(mine[n].shape)) for n in names]} and {[tuple(t.shape) for t in given]}")
        for name, source in zip(names, given):
            mine[name].data.copy_(source)
    return model.eval()


def run(dump):
    torchvision = import_torchvision()
    detection = torchvision.models.detection
    use_in(torchvision)
    norm = torchvision.ops.FrozenBatchNorm2d
    backbone = torchvision.models.resnet50(weights=None, norm_layer=norm)
    body = detection.backbone_utils._resnet_fpn_extractor(backbone, 3)
    model = detection.MaskRCNN(body, num_classes=91)
    detection._utils.overwrite_eps(model, 0.0)
    results = fill(model, dump)(list(dump["inputs"][0]))
    return [result[part] for result in results for part in ("boxes", "labels", "scores", "masks")]


CASES = {"vision_maskrcnn": Case(run, "torchvision", batch=1)}
