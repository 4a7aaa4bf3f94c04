"""Momentum contrast as pytorch/benchmark has it, and a grammar without trees to learn from, of torch_struct."""

import torch
from compare import Case, copy_in_order, import_torchvision
from torchbench import import_from_torchbench


def moco(dump):
    """The original in a group of one process, whose gathering is a copy."""
    models, builder = import_torchvision().models, import_from_torchbench("moco", "moco.builder")
    builder.concat_all_gather = lambda tensor: tensor.clone()
    torch.distributed.broadcast, torch.distributed.get_rank = lambda *_, **__: None, lambda: 0
    original = copy_in_order(builder.MoCo(models.resnet50, 128, 32000), dump)
    # The dump was made after an iteration: what that wrote into the queue is not what the iteration saw.
    *images, generator, queue = dump["inputs"]
    original.queue.copy_(queue)
    original.queue_ptr.zero_()
    torch.set_rng_state(generator)
    original(images[0], images[1])
    return list(original(images[2], images[3]))


def pytorch_struct(dump):
    import torch_struct

    network = import_from_torchbench("pytorch_struct", "networks.NeuralCFG")
    words, lengths = dump["inputs"]
    vocabulary = dump["parameters"]["word_emb"].shape[0]
    original = copy_in_order(network.NeuralCFG(vocabulary, 30, 30, 256), dump)
    with torch.enable_grad():  # torch_struct asks for gradients of its scores
        return [torch_struct.SentCFG(original(words), lengths=lengths).partition.detach()]


CASES = {
    "moco": Case(moco, "pytorch/benchmark"),
    "pytorch_struct": Case(pytorch_struct, "torch_struct", batch=60),
}
