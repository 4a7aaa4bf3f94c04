"""Lists the models of a checkout of pytorch/benchmark without importing them.

TorchBench's own `list_models` imports every model, which takes minutes and fails if a single package is missing. The
sources contain all that a list needs: the folders, a few constants of each class `Model`, and metadata.yaml.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
from pathlib import Path
from typing import Any, Optional

from .failure import EXCEPTION, UNSUPPORTED, Failure, first_line

_LARGEST_SOURCE = 4 << 20  # bytes; no source of a model is larger
_CONSTANTS = ("DEFAULT_TRAIN_BSIZE", "DEFAULT_EVAL_BSIZE", "ALLOW_CUSTOMIZE_BSIZE")


@dataclasses.dataclass(frozen=True)
class Entry:
    """The folder of a model."""

    name: str
    package: str  # below torchbenchmark, such as models.resnet18
    folder: Path
    canary: bool = False


@dataclasses.dataclass(frozen=True)
class Description:
    """What the sources say about a model."""

    domain: str
    task: str
    train_batch: Optional[int]
    infer_batch: Optional[int]
    batch_is_fixed: bool


def ci_batch(own: Optional[int], fixed: bool) -> Optional[int]:
    """The batch of size `ci`: a quarter of the model's own, at least 4, with which TorchBench checks every model.
    None if the model keeps its own."""
    if not own or fixed:
        return None
    reduced = max(own // 4, min(own, 4))
    return reduced if reduced != own else None


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST_SOURCE).decode("utf-8", "replace")
    except OSError:
        return ""


def _class_body(source: str, name: str) -> list[ast.stmt]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node.body
    return []


def _assignments(body: list[ast.stmt]) -> dict[str, ast.expr]:
    found = {}
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found[node.target.id] = node.value
    return found


def _constant(value: Optional[ast.expr]) -> Any:
    return value.value if isinstance(value, ast.Constant) else None


def _matches(rule: dict[str, Any], test: str, device: str) -> bool:
    if set(rule) - {"test", "device"}:
        return False
    return rule.get("test", test) == test and rule.get("device", device) == device


class Checkout:
    """Raises Failure if the folder is not a checkout, or has an unknown layout."""

    def __init__(self, folder: str) -> None:
        self.root = Path(folder).resolve()
        package = self.root / "torchbenchmark"
        if not (package / "__init__.py").is_file():
            raise Failure(
                EXCEPTION, f"{folder} is not a checkout of pytorch/benchmark: it has no torchbenchmark/__init__.py"
            )
        if not (package / "models").is_dir():
            raise Failure(
                EXCEPTION,
                f"{folder} is a checkout of pytorch/benchmark with an unknown layout: "
                "it has no folder torchbenchmark/models",
            )
        self._package = package

    def _entries(self, folder: str, canary: bool = False) -> list[Entry]:
        place = self._package / folder
        if not place.is_dir():
            return []
        names = sorted(child.name for child in place.iterdir() if (child / "__init__.py").is_file())
        package = folder.replace("/", ".")
        return [Entry(name, f"{package}.{name}", place / name, canary) for name in names if name != "fb"]

    def core(self) -> list[Entry]:
        """The models that TorchBench runs by default."""
        return self._entries("models") + self._entries("models/fb")

    def canary(self) -> list[Entry]:
        """The models that run only by name: many are large, or need weights that are given on request."""
        return self._entries("canary_models", canary=True)

    def has_dynamo(self) -> bool:
        """Whether its run.py takes --torchdynamo."""
        return (self._package / "util/backends/torchdynamo.py").is_file()

    def find(self, name: str) -> Entry:
        known = self.core() + self.canary()
        for entry in known:
            if entry.name == name:
                return entry
        near = difflib.get_close_matches(name, [entry.name for entry in known], 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise Failure(UNSUPPORTED, first_line(f"the checkout has no model {name}{hint}"))

    def chosen(self, names: list[str]) -> list[Entry]:
        """The core models, or the named ones. An unknown name stays in the list, so that its run reports it."""
        if not names:
            return self.core()
        known = {entry.name: entry for entry in reversed(self.core() + self.canary())}
        return [known.get(name, Entry(name, "", Path())) for name in dict.fromkeys(names)]

    def describe(self, entry: Entry) -> Description:
        values = _assignments(_class_body(_read(entry.folder / "__init__.py"), "Model")) if entry.package else {}
        train, infer, customizable = (_constant(values.get(name)) for name in _CONSTANTS)
        domain, task = self._task(values.get("task"))
        return Description(
            domain=domain,
            task=task,
            train_batch=train if isinstance(train, int) and train > 0 else None,
            infer_batch=infer if isinstance(infer, int) and infer > 0 else None,
            batch_is_fixed=customizable is False,
        )

    def _task(self, value: Optional[ast.expr]) -> tuple[str, str]:
        # `task = COMPUTER_VISION.CLASSIFICATION`, of the enums in tasks.py
        if not (isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name)):
            return "", ""
        domain = value.value.id
        words = _constant(_assignments(_class_body(_read(self._package / "tasks.py"), domain)).get(value.attr))
        return domain.replace("_", " ").lower(), words if isinstance(words, str) else value.attr.lower()

    def configurations(self, entry: Entry) -> list[str]:
        """All except those that metadata.yaml marks as not implemented. The run reports other unsupported ones."""
        rules = self._not_implemented(entry)
        tests = {"train": "train", "infer": "eval"}
        devices = {"cpu": "cpu", "gpu": "cuda"}
        return [
            f"{device}-{mode}"
            for device in devices
            for mode in tests
            if not any(_matches(rule, tests[mode], devices[device]) for rule in rules)
        ]

    @staticmethod
    def _not_implemented(entry: Entry) -> list[dict[str, Any]]:
        text = _read(entry.folder / "metadata.yaml") if entry.package else ""
        try:
            import yaml  # a package that TorchBench needs; the list works without it

            metadata = yaml.safe_load(text)
        except Exception:  # noqa: BLE001 - a broken file: the run will say more
            return []
        rules = metadata.get("not_implemented") if isinstance(metadata, dict) else None
        return [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
