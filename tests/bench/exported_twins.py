#!/usr/bin/env python3
"""Exports a model of each domain to .pt and .pt2 and measures both beside the native one: docs/exported-models.md.

usage: exported_twins.py WORKER SUITE_DUMP FOLDER [--native WORKER] [--rounds 3] [--iterations 5] [--only NAME ...] [--cpu N]

Run it with a Python that has the torch of the workers, torchvision, timm and transformers. SUITE_DUMP (built beside the
worker with TBCI_SUITE_TESTS=ON) gives a native model's weights, inputs and outputs: the twin is the original with these
weights, exported with these inputs, once its outputs are those of the native model. What lies in FOLDER already is not
exported again. --native: another worker for the native models, where WORKER was built with few families.
"""

import argparse
import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
from typing import Callable

import torch

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "docs"), str(HERE.parents[1] / "suite" / "reference")]

from cases_encoders import copy_parameters  # noqa: E402
from compare import copy_in_order, import_torchvision  # noqa: E402
from export_model import export  # noqa: E402


@dataclasses.dataclass
class Twin:
    """`build` makes the original of a dump, filled with its weights: a module of the dump's inputs."""

    name: str
    domain: str
    size: str
    batch: int
    build: Callable[[dict], torch.nn.Module]


def torchvision_model(name: str) -> Callable[[dict], torch.nn.Module]:
    return lambda dump: copy_in_order(getattr(import_torchvision().models, name)(), dump)


def vision_transformer(dump: dict) -> torch.nn.Module:
    import_torchvision()
    import timm

    return copy_in_order(timm.create_model("vit_small_patch16_224"), dump)


class Logits(torch.nn.Module):
    """What a model of transformers gives for its words, as a tensor."""

    def __init__(self, model: torch.nn.Module, options: dict) -> None:
        super().__init__()
        self.model, self.options = model, options

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.model(input_ids=words, return_dict=False, **self.options)[0]


def transformers_model(kind: str, config: str, **options) -> Callable[[dict], torch.nn.Module]:
    def build(dump: dict) -> torch.nn.Module:
        import_torchvision()
        import transformers

        return Logits(copy_parameters(getattr(transformers, kind)(getattr(transformers, config)()), dump), options)

    return build


def layers_of(dump: dict, prefix: str) -> list[torch.nn.Linear]:
    given = [t for name, t in dump["parameters"].items() if name.startswith(prefix)]
    layers = []
    for weight, bias in zip(given[::2], given[1::2]):
        layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
        layer.weight.data, layer.bias.data = weight, bias
        layers.append(layer)
    return layers


class Dlrm(torch.nn.Module):
    """Of facebookresearch/dlrm: bottom MLP, sums of rows of tables, products of all pairs, top MLP."""

    def __init__(self, dump: dict) -> None:
        super().__init__()
        tables = [t for name, t in dump["parameters"].items() if name.startswith("table")]
        self.tables = torch.nn.ModuleList(torch.nn.EmbeddingBag.from_pretrained(t, freeze=False, mode="sum") for t in tables)
        self.bottom, self.top = (
            torch.nn.Sequential(*[part for layer in layers_of(dump, name) for part in (layer, torch.nn.ReLU())])
            for name in ("bot_l", "top_l")
        )
        pairs = torch.tril_indices(len(tables) + 1, len(tables) + 1, -1)
        self.register_buffer("first", pairs[0])
        self.register_buffer("second", pairs[1])

    def forward(self, dense: torch.Tensor, *bags: torch.Tensor) -> torch.Tensor:
        x, count = self.bottom(dense), len(self.tables)
        sums = [table(bags[i], bags[count + i]) for i, table in enumerate(self.tables)]
        features = torch.cat([x, *sums], 1).view(x.shape[0], -1, x.shape[1])
        products = torch.bmm(features, features.transpose(1, 2))
        return self.top(torch.cat([x, products[:, self.first, self.second]], 1))


class Recommender(torch.nn.Module):
    """Of NVIDIA/DeepRecommender: an autoencoder of ratings."""

    def __init__(self, dump: dict) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(layers_of(dump, "layer"))

    def forward(self, ratings: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            ratings = torch.selu(layer(ratings))
        return ratings


class SpeakerEncoder(torch.nn.Module):
    """Of mozilla/TTS: LSTMs with projections, the last frame normalised."""

    def __init__(self, dump: dict) -> None:
        super().__init__()
        given = list(dump["parameters"].values())
        widths = [(given[i].shape[1], given[i + 1].shape[1], given[i + 4].shape[0]) for i in range(0, len(given), 5)]
        self.parts = torch.nn.ModuleList()
        for fed, width, projected in widths:
            self.parts.append(torch.nn.LSTM(fed, width, batch_first=True))
            self.parts.append(torch.nn.Linear(width, projected, bias=False))

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        for lstm, linear in zip(self.parts[::2], self.parts[1::2]):
            frames = linear(lstm(frames)[0])
        return torch.nn.functional.normalize(frames[:, -1], p=2.0, dim=1)


def discriminator(dump: dict) -> torch.nn.Module:
    width, layers = 64, []
    for i, (fed, given) in enumerate([(3, 1), (1, 2), (2, 4), (4, 8)]):
        layers.append(torch.nn.Conv2d(fed if i == 0 else width * fed, width * given, 4, 2, 1, bias=False))
        layers += [torch.nn.BatchNorm2d(width * given)] if i else []
        layers.append(torch.nn.LeakyReLU(0.2))
    layers += [torch.nn.Conv2d(width * 8, 1, 4, 1, 0, bias=False), torch.nn.Sigmoid(), torch.nn.Flatten(0)]
    return copy_in_order(torch.nn.Sequential(*layers), dump)


class UNet(torch.nn.Module):
    """Of milesial/Pytorch-UNet, bilinear, of another width."""

    def __init__(self, width: int) -> None:
        super().__init__()

        def double(fed: int, middle: int, given: int) -> torch.nn.Sequential:
            parts = [[torch.nn.Conv2d(a, b, 3, padding=1), torch.nn.BatchNorm2d(b), torch.nn.ReLU()]
                     for a, b in ((fed, middle), (middle, given))]
            return torch.nn.Sequential(*parts[0], *parts[1])

        down = [(3, 1, 1), (1, 2, 2), (2, 4, 4), (4, 8, 8), (8, 8, 8)]
        up = [(16, 8, 4), (8, 4, 2), (4, 2, 1), (2, 1, 1)]
        self.down = torch.nn.ModuleList(double(a if a == 3 else a * width, b * width, c * width) for a, b, c in down)
        self.up = torch.nn.ModuleList(double(a * width, b * width, c * width) for a, b, c in up)
        self.head = torch.nn.Conv2d(width, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        levels: list[torch.Tensor] = []
        for i, block in enumerate(self.down):
            x = block(torch.nn.functional.max_pool2d(x, 2) if i else x)
            levels.append(x)
        for i, block in enumerate(self.up):
            like = levels[-2 - i]
            twice = torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True)
            rows, columns = like.shape[2] - twice.shape[2], like.shape[3] - twice.shape[3]
            padded = torch.nn.functional.pad(twice, (columns // 2, columns - columns // 2, rows // 2, rows - rows // 2))
            x = block(torch.cat([like, padded], 1))
        labels = self.head(x).argmax(dim=1)
        return torch.nn.functional.one_hot(labels, 2).permute(0, 3, 1, 2).float()


def lennard_jones(dump: dict) -> torch.nn.Module:
    """Its outputs are derivatives: the graph that autograd made of them is what is exported."""
    from torch.fx.experimental.proxy_tensor import make_fx

    layers = layers_of(dump, "")
    model = torch.nn.Sequential(*[part for layer in layers for part in (layer, torch.nn.Tanh())][:-1])

    def predict(displacements: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        distances = torch.linalg.vector_norm(displacements, 2, 1, True)
        again = distances.detach().requires_grad_()
        energies = model(again)
        slope = torch.autograd.grad(energies, again, torch.ones_like(energies))[0]
        return model(distances).detach(), (-slope * displacements / distances).detach()

    return make_fx(predict)(dump["inputs"][0])


TWINS = [
    Twin("resnet18", "computer vision", "paper", 4, torchvision_model("resnet18")),
    Twin("mobilenet_v2", "computer vision", "paper", 4, torchvision_model("mobilenet_v2")),
    Twin("alexnet", "computer vision", "paper", 8, torchvision_model("alexnet")),
    Twin("timm_vision_transformer", "computer vision", "paper", 2, vision_transformer),
    Twin("dcgan", "computer vision", "paper", 64, discriminator),
    Twin("pytorch_unet", "computer vision", "ci", 4, lambda dump: copy_in_order(UNet(8), dump)),
    Twin("hf_Bert", "nlp", "paper", 1, transformers_model("BertForMaskedLM", "BertConfig")),
    Twin("hf_public_text_generator1", "nlp", "paper", 1, transformers_model("GPT2LMHeadModel", "GPT2Config", use_cache=False)),
    Twin("dlrm", "recommendation", "ci", 1024, lambda dump: Dlrm(dump)),
    Twin("nvidia_deeprecommender", "recommendation", "ci", 1024, lambda dump: Recommender(dump)),
    Twin("tts_angular", "speech", "paper", 16, lambda dump: copy_in_order(SpeakerEncoder(dump), dump)),
    Twin("lennard_jones", "other", "paper", 1000, lennard_jones),
]


def export_twin(twin: Twin, dump_program: str, folder: pathlib.Path) -> float:
    """Exports it, and returns the largest difference of its outputs from the native ones, relative to the largest."""
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "dump.pt"
        subprocess.run([dump_program, twin.name, twin.size, str(twin.batch), str(file)], check=True)
        dump = torch.load(file, weights_only=False)
    model = twin.build(dump).eval()
    with torch.no_grad():
        outputs = model(*dump["inputs"])
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    pairs = zip(outputs, dump["outputs"], strict=True)
    worst = max(((a - b).abs().max() / b.abs().max().clamp(min=1e-6)).item() for a, b in pairs)
    if worst > 1e-3:
        raise ValueError(f"its outputs differ from the native ones by {worst:.2g}")
    export(model, tuple(dump["inputs"]), folder, twin.name)
    return worst


def measure(command: list[str], arguments: argparse.Namespace) -> float:
    """The median of one process, in milliseconds."""
    pinned = ["taskset", "-c", str(arguments.cpu), *command, "--configuration", "cpu-infer"]
    pinned += ["--iterations", str(arguments.iterations)]
    done = subprocess.run(pinned, capture_output=True, text=True, env={"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    samples = [line["nanoseconds"] / 1e6 for line in lines if line["type"] == "sample"]
    if not lines or lines[-1]["type"] != "done":
        raise RuntimeError(lines[-1].get("message", "no answer") if lines else done.stderr[-300:])
    return statistics.median(samples)


def row(twin: Twin, arguments: argparse.Namespace) -> str:
    marker = arguments.folder / f"{twin.name}.difference"
    if not marker.exists():
        marker.write_text(f"{export_twin(twin, arguments.suite_dump, arguments.folder):.2g}")
    same = ["run", "--size", twin.size, "--batch", str(twin.batch), "--benchmark"]
    commands = {
        "native": [arguments.native, *same, twin.name],
        "pt": [arguments.worker, *same, f"{twin.name}.pt", "--models", str(arguments.folder)],
        "pt2": [arguments.worker, *same, f"{twin.name}.pt2", "--models", str(arguments.folder)],
    }
    medians: dict[str, list[float]] = {kind: [] for kind in commands}
    for _ in range(arguments.rounds):
        for kind, command in commands.items():
            medians[kind].append(measure(command, arguments))
    native = statistics.median(medians["native"])
    cells = [f"{twin.name} ({twin.size}, {twin.batch})", twin.domain, f"{native:.3g}"]
    for kind in ("pt", "pt2"):
        ratios = sorted(of / beside for of, beside in zip(medians[kind], medians["native"]))
        cells.append(f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    return "| " + " | ".join([*cells, marker.read_text()]) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("suite_dump")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--native")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--cpu", type=int, default=1)
    arguments = parser.parse_args()
    arguments.native = arguments.native or arguments.worker
    arguments.folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    print("| model (size, batch) | domain | native, ms | .pt / native | .pt2 / native | outputs differ by |\n|---|---|--:|--:|--:|--:|")
    for twin in TWINS:
        if arguments.only and twin.name not in arguments.only:
            continue
        try:
            print(row(twin, arguments), flush=True)
        except Exception as error:  # one model's failure leaves the others their turn
            failures += 1
            print(f"| {twin.name} | {twin.domain} | failed: {' '.join(str(error).split())[:200]} | | | |", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
