"""torchvision's networks, quantised by PyTorch's graph mode: the original here is the quantisation as well."""

import warnings

import torch

from compare import Case, import_torchvision


def copy_float_weights(module, dump):
    """The parameters and the statistics of the norms. The ranges of the integers are the original's own."""
    for kind in ("parameters", "buffers"):
        mine = [t for n, t in getattr(module, f"named_{kind}")() if kind == "parameters" or ".running_" in n]
        given = [t for n, t in dump[kind].items() if kind == "parameters" or ".running_" in n]
        if [t.shape for t in mine] != [t.shape for t in given]:
            raise ValueError(f"{kind} differ")
        for to, source in zip(mine, given):
            to.data.copy_(source)


def quantized(name):
    def run(dump):
        from torch.ao.quantization import get_default_qat_qconfig, quantize_fx

        warnings.simplefilter("ignore")
        image = dump["inputs"][0][:1]
        network = getattr(import_torchvision().models, name)().train()
        network = quantize_fx.prepare_qat_fx(network, {"": get_default_qat_qconfig("fbgemm")}, (image,))
        copy_float_weights(network, dump)
        network.eval()
        network(image)  # the ranges, which both take from this image
        return [quantize_fx.convert_fx(network)(image)]

    return run


# Integers of 7 bits: where a sum of floats in another order rounds another way, results differ by whole steps.
CASES = {
    f"{name}_quantized_qat": Case(quantized(name), "torchvision, torch.ao", tolerance=0.02)
    for name in ("mobilenet_v2", "resnet50")
}
