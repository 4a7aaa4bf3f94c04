"""timm's classifiers, and EfficientDet of the package effdet."""

import torch

from compare import Case, copy_in_order, import_torchvision


def timm_model(name):
    def run(dump):
        import_torchvision()  # timm imports it
        import timm

        return [copy_in_order(timm.create_model(name), dump)(dump["inputs"][0])]

    return run


def greedy_nms(boxes, scores, iou_threshold):
    """For torchvision::nms, where its compiled operators do not fit this torch."""
    kept = []
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    left = scores.argsort(descending=True, stable=True)
    while left.numel() > 0:
        best, left = left[0], left[1:]
        kept.append(best)
        sides = torch.minimum(boxes[best, 2:], boxes[left, 2:]) - torch.maximum(boxes[best, :2], boxes[left, :2])
        common = sides.clamp(min=0).prod(1)
        left = left[common / (area[best] + area[left] - common) <= iou_threshold]
    return torch.stack(kept) if kept else torch.zeros(0, dtype=torch.long)


def efficientdet(dump):
    import_torchvision()
    torch.jit.script = lambda function=None, *_, **__: function  # it would compile torchvision's operators
    import effdet
    import effdet.anchors
    from torchvision.ops import boxes as box_operators

    box_operators.nms = greedy_nms
    network = effdet.create_model("tf_efficientdet_d1", bench_task="", pretrained=False, pretrained_backbone=False)
    bench = effdet.DetBenchPredict(copy_in_order(network, dump)).eval()
    images, sizes, scales = dump["inputs"]
    return [bench(images, {"img_size": sizes, "img_scale": scales})]


MODELS = {
    "timm_efficientnet": "efficientnet_b0",
    "timm_nfnet": "dm_nfnet_f0",
    "timm_regnet": "regnety_120",
    "timm_resnest": "resnest14d",
    "timm_vision_transformer": "vit_small_patch16_224",
    "timm_vision_transformer_large": "vit_giant_patch14_224",
    "timm_vovnet": "vovnet39a",
}

CASES = {name: Case(timm_model(variant), "timm") for name, variant in MODELS.items()}
CASES["timm_efficientdet"] = Case(efficientdet, "effdet")
