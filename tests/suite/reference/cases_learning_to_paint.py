"""The actor and the renderer of LearningToPaint, painting five pictures of forty steps."""

import torch
import torchbench
from compare import Case


def learning_to_paint(dump):
    actor = torchbench.load("LearningToPaint/baseline/DRL/actor.py").ResNet(9, 18, 65).eval()
    renderer = torchbench.load("LearningToPaint/baseline/Renderer/model.py").FCN()
    weights, pictures = dump["parameters"], dump["inputs"][0]
    for module, prefix in ((actor, "actor."), (renderer, "renderer.")):
        own = [t for n, t in weights.items() if n.startswith(prefix)]
        for to, source in zip(module.parameters(), own, strict=True):
            to.data.copy_(source)
    rows = torch.arange(128).view(1, 1, 128, 1).expand(1, 1, 128, 128) / 127.0
    coordinates = torch.cat([rows, rows.transpose(2, 3)], 1).expand(len(pictures), 2, 128, 128)

    canvas = torch.zeros_like(pictures)

    def distance():
        return (((canvas.float() - pictures.float()) / 255) ** 2).mean((1, 2, 3))

    first = last = distance()
    rewards = torch.zeros(len(pictures))
    for number in range(40):
        step = torch.full_like(coordinates[:, :1], number) / 40
        action = actor(torch.cat([canvas.float() / 255, pictures.float() / 255, step, coordinates], 1))
        strokes = action.view(-1, 13)
        cover = (1 - renderer(strokes[:, :10])).view(-1, 5, 1, 128, 128)
        colours = strokes[:, 10:].reshape(-1, 5, 3, 1, 1)
        painted = canvas.float() / 255
        for i in range(5):
            painted = painted * (1 - cover[:, i]) + cover[:, i] * colours[:, i]
        canvas = (painted * 255).byte()
        rewards += (last - distance()) / (first + 1e-8)
        last = distance()
    return [rewards, distance()]


CASES = {"LearningToPaint": Case(learning_to_paint, "pytorch/benchmark", batch=1, tolerance=1e-3)}
