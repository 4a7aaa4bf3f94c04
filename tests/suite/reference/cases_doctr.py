"""python-doctr's detection and recognition of text, with the steps behind the networks."""

import torch

from compare import Case, copy_in_order, import_torchvision


def detection(dump):
    import_torchvision()
    from doctr.models.detection import db_resnet50

    model = copy_in_order(db_resnet50(pretrained=False, pretrained_backbone=False), dump)
    result = model(dump["inputs"][0], return_model_output=True)
    boxes = [(image, *box) for image, words in enumerate(result["preds"]) for box in words["words"].tolist()]
    # The order of the boxes is OpenCV's; the suite goes row by row.
    mine = torch.tensor(boxes, dtype=torch.float32).reshape(-1, 6)
    given = dump["outputs"][1]
    if mine.shape == given.shape:
        distance = torch.cdist(given.double(), mine.double())
        mine = mine[distance.argmin(1)]
    return [result["out_map"], mine]


def recognition(dump):
    import_torchvision()
    from doctr.models.recognition import crnn_vgg16_bn

    model = copy_in_order(crnn_vgg16_bn(pretrained=False, pretrained_backbone=False), dump)
    result = model(dump["inputs"][0], return_model_output=True)
    words = torch.full(dump["outputs"][2].shape, -1)
    for row, (word, _) in zip(words, result["preds"]):
        row[: len(word)] = torch.tensor([model.vocab.index(letter) for letter in word])
    return [result["out_map"], torch.tensor([sureness for _, sureness in result["preds"]]), words]


CASES = {
    "doctr_det_predictor": Case(detection, "python-doctr", batch=1),
    "doctr_reco_predictor": Case(recognition, "python-doctr"),
}
