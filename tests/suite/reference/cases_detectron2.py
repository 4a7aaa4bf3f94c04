"""facebookresearch/detectron2's detectors. Its Python files alone do (a checkout in PYTHONPATH, with fvcore, iopath,
omegaconf, hydra-core and pycocotools): its compiled operators are not needed."""

import pathlib

import torch

from compare import Case, import_torchvision
from detection_operators import use_in

CONFIGURATIONS = {
    "detectron2_fasterrcnn_r_50_c4": "COCO-Detection/faster_rcnn_R_50_C4_1x.yaml",
    "detectron2_fasterrcnn_r_50_dc5": "COCO-Detection/faster_rcnn_R_50_DC5_1x.yaml",
    "detectron2_fasterrcnn_r_50_fpn": "COCO-Detection/faster_rcnn_R_50_FPN_1x.yaml",
    "detectron2_fasterrcnn_r_101_c4": "COCO-Detection/faster_rcnn_R_101_C4_3x.yaml",
    "detectron2_fasterrcnn_r_101_dc5": "COCO-Detection/faster_rcnn_R_101_DC5_3x.yaml",
    "detectron2_fasterrcnn_r_101_fpn": "COCO-Detection/faster_rcnn_R_101_FPN_3x.yaml",
    "detectron2_maskrcnn": "common/models/mask_rcnn_fpn.py",
    "detectron2_maskrcnn_r_50_c4": "COCO-InstanceSegmentation/mask_rcnn_R_50_C4_1x.yaml",
    "detectron2_maskrcnn_r_50_fpn": "COCO-InstanceSegmentation/mask_rcnn_R_50_FPN_1x.yaml",
    "detectron2_maskrcnn_r_101_c4": "COCO-InstanceSegmentation/mask_rcnn_R_101_C4_3x.yaml",
    "detectron2_maskrcnn_r_101_fpn": "COCO-InstanceSegmentation/mask_rcnn_R_101_FPN_3x.yaml",
    "detectron2_fcos_r_50_fpn": "COCO-Detection/fcos_R_50_FPN_1x.py",
}


def build(name):
    use_in(import_torchvision())
    import detectron2
    import detectron2.modeling
    from detectron2.config import LazyConfig, get_cfg, instantiate

    file = str(pathlib.Path(detectron2.__file__).parents[1] / "configs" / CONFIGURATIONS[name])
    if file.endswith(".py"):
        configuration = LazyConfig.load(file)
        if "fcos" in name:
            configuration.model.head.norm = "BN"  # as TorchBench
        return instantiate(configuration.model)
    configuration = get_cfg()
    configuration.merge_from_file(file)
    configuration.MODEL.DEVICE = "cpu"
    return detectron2.modeling.build_model(configuration)


def in_our_order(names):
    """The suite registers the residual network first, then the pyramid: laterals, outputs and further levels."""

    def key(name):
        if not name.startswith("backbone."):
            return 4
        return next((i for i, part in enumerate(("lateral", "output", "top_block"), 1) if part in name), 0)

    return sorted(names, key=key)


def fill(model, dump):
    skipped = ("pixel_", "cell", "num_batches_tracked")  # constants
    for kind in ("parameters", "buffers"):
        mine = {n: t for n, t in getattr(model, f"named_{kind}")() if not any(s in n for s in skipped)}
        given = [t for n, t in dump[kind].items() if not any(s in n for s in skipped)]
        names = in_our_order(mine)
        if [mine[n].shape for n in names] != [t.shape for t in given]:
            raise ValueError(f"{kind} differ: {[(n, tuple(mine[n].shape)) for n in names]} and {[tuple(t.shape) for t in given]}")
        for name, source in zip(names, given):
            mine[name].data.copy_(source)
    return model.eval()


def detect(name):
    def run(dump):
        model = fill(build(name), dump)
        inputs = [{"image": image, "height": 426, "width": 640} for image in dump["inputs"][0]]
        outputs = []
        for result in model(inputs):
            found = result["instances"]
            outputs += [found.pred_boxes.tensor, found.scores, found.pred_classes]
            if found.has("pred_masks"):
                outputs.append(found.pred_masks)
        return outputs

    return run


CASES = {name: Case(detect(name), "facebookresearch/detectron2", batch=1) for name in CONFIGURATIONS}
