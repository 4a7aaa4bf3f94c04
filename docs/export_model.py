#!/usr/bin/env python3
"""Exports a model for tbci's suite of exported models: NAME.pt, NAME.pt2 and the inputs of both, NAME.inputs.pt.

usage: export_model.py FOLDER     exports a small example; import `export` for a model of your own
"""

import pathlib
import sys

import torch


def export(model: torch.nn.Module, inputs: tuple[torch.Tensor, ...], folder: pathlib.Path, name: str) -> None:
    model.eval()
    torch.save(tuple(inputs), folder / f"{name}.inputs.pt")
    with torch.no_grad():
        torch.jit.save(torch.jit.trace(model, inputs), folder / f"{name}.pt")
        program = torch.export.export(model, inputs)
        torch._inductor.aoti_compile_and_package(
            program, package_path=str(folder / f"{name}.pt2"), inductor_configs={"cpp.dynamic_threads": True}
        )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    torch.manual_seed(42)
    example = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    export(example, (torch.randn(4, 8),), pathlib.Path(sys.argv[1]), "example")
