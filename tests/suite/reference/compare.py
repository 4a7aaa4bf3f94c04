#!/usr/bin/env python3
"""Holds the suite's models against their originals: the same weights and inputs must give the same outputs.

usage: compare.py SUITE_DUMP [BENCHMARK ...]

Needs torch of the same version, and the package that each original is in; where that is missing, it says so.
A file cases_*.py in this folder has a dict CASES: benchmark -> Case.
"""

import dataclasses
import importlib
import pathlib
import subprocess
import sys
import tempfile
from typing import Callable

import torch


@dataclasses.dataclass
class Case:
    """One comparison. `original` takes the dump (parameters, buffers, inputs, outputs) and returns the outputs that the
    original gives with the dump's weights on the dump's inputs, in the order of the dump's outputs."""

    original: Callable[[dict], list]
    package: str  # where the original is from, as the table names it
    size: str = "paper"
    batch: int = 2
    tolerance: float = 1e-4  # of the largest difference in an output, relative to the largest number there


@dataclasses.dataclass
class Found:
    difference: float = 0.0  # the largest
    largest: float = 0.0  # number of the original's outputs
    same: bool = True  # each output within the tolerance


def copy_in_order(module: torch.nn.Module, dump: dict) -> torch.nn.Module:
    """Fills the module with the dump's weights, both in the order of registration, in eval mode."""
    for kind in ("parameters", "buffers"):
        mine = [t for n, t in getattr(module, f"named_{kind}")() if not n.endswith("num_batches_tracked")]
        given = [t for n, t in dump[kind].items() if not n.endswith("num_batches_tracked")]
        if [t.shape for t in mine] != [t.shape for t in given]:
            raise ValueError(f"{kind} differ: {[tuple(t.shape) for t in mine]} and {[tuple(t.shape) for t in given]}")
        for to, source in zip(mine, given):
            to.data.copy_(source)
    return module.eval()


def import_torchvision():
    """torchvision, also where its compiled operators do not fit this torch: then those are not registered."""
    register = torch.library.register_fake
    try:
        import torchvision
    except RuntimeError:
        torch.library.register_fake = lambda *_, **__: lambda function: function
        import torchvision
    finally:
        torch.library.register_fake = register
    return torchvision


def says_nothing(outputs: list) -> bool:
    """Whether outputs agree too easily: all of them empty or of one number throughout."""
    return all(o.numel() != 1 and (o == o.flatten()[:1]).all() for o in outputs)


def compare(name: str, case: Case, dump_program: str) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "dump.pt"
        subprocess.run([dump_program, name, case.size, str(case.batch), str(file)], check=True)
        dump = torch.load(file, weights_only=False, mmap=True)  # the largest models would not fit twice
    with torch.no_grad():
        outputs = case.original(dump)
    if len(outputs) != len(dump["outputs"]):
        raise ValueError(f"{len(outputs)} outputs, not {len(dump['outputs'])}")
    if says_nothing(outputs):
        raise ValueError("the original's outputs are empty or constant")
    found = Found()
    for mine, given in zip(outputs, dump["outputs"]):
        if mine.shape != given.shape:
            raise ValueError(f"shapes differ: {tuple(mine.shape)} and {tuple(given.shape)}")
        if mine.numel() == 0:
            continue
        difference = (mine.double() - given.double()).abs().max().item()
        largest = mine.double().abs().max().item()
        found.difference, found.largest = max(found.difference, difference), max(found.largest, largest)
        found.same &= difference <= case.tolerance * max(largest, 1e-6)
    return found


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    sys.modules["compare"] = sys.modules[__name__]  # the cases import it by this name
    wanted, bad = set(sys.argv[2:]), 0
    print("| model | original | size | largest difference | largest output | same |\n|---|---|---|---|---|---|")
    for path in sorted(pathlib.Path(__file__).parent.glob("cases_*.py")):
        sys.path.insert(0, str(path.parent))
        cases = importlib.import_module(path.stem).CASES
        for name, case in cases.items():
            if wanted and name not in wanted:
                continue
            try:
                found = compare(name, case, sys.argv[1])
                same = "yes" if found.same else "NO"
                print(f"| {name} | {case.package} | {case.size} | {found.difference:.2g} | {found.largest:.3g} | {same} |", flush=True)
                bad += not found.same
            except ImportError as error:
                print(f"| {name} | {case.package} | {case.size} | not compared: {error} | | |", flush=True)
            except Exception as error:  # one model's failure leaves the others their turn
                print(f"| {name} | {case.package} | {case.size} | FAILED: {error} | | |", flush=True)
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
