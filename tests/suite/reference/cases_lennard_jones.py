"""The potential of two particles and its forces, as they are in pytorch/benchmark."""

from compare import Case, copy_in_order
from torchbench import whole


def lennard_jones(dump):
    displacements = dump["inputs"][0]
    source = whole("lennard_jones")
    original = source.Model("eval", "cpu", batch_size=len(displacements))
    return list(source.make_prediction(copy_in_order(original.model, dump), displacements))


CASES = {"lennard_jones": Case(lennard_jones, "pytorch/benchmark", batch=1000)}
