"""Commits as they land on PyTorch's main: subjects, authors, small changes. The same for the same number. Example:

    change = plausible_commits.change(17)      # .author, .subject, .path, .line
"""

import hashlib
from dataclasses import dataclass

AUTHORS = ["Ada Moreau", "Bela Novak", "Chen Li", "Divya Rao", "Emeka Obi", "Freya Lind", "Goran Ilic", "Hana Sato",
           "Ines Prado", "Jonas Weber", "Kofi Mensah", "Leila Haddad"]

# A place, what is done there, and the file that changes.
PLACES = [
    ("[inductor]", "torch/_inductor/scheduler.py"),
    ("[inductor][cpp]", "torch/_inductor/codegen/cpp.py"),
    ("[dynamo]", "torch/_dynamo/variables/builder.py"),
    ("[ATen]", "aten/src/ATen/native/cpu/BinaryOpsKernel.cpp"),
    ("[ATen]", "aten/src/ATen/native/Convolution.cpp"),
    ("[cpu]", "aten/src/ATen/native/cpu/SoftMaxKernel.cpp"),
    ("[mkldnn]", "aten/src/ATen/native/mkldnn/Linear.cpp"),
    ("[c10]", "c10/core/TensorImpl.cpp"),
    ("[autograd]", "torch/csrc/autograd/engine.cpp"),
    ("[export]", "torch/export/_trace.py"),
    ("[DTensor]", "torch/distributed/tensor/_ops/_math_ops.py"),
    ("[optim]", "torch/optim/adamw.py"),
    ("[CI]", ".github/workflows/pull.yml"),
    ("[docs]", "docs/source/notes/numerical_accuracy.rst"),
    ("[test]", "test/test_torch.py"),
]
ACTIONS = ["Avoid a copy of contiguous inputs",
           "Fix the stride of empty outputs", "Use the vectorized path for bfloat16",
           "Remove a dead branch", "Handle zero-sized dimensions", "Cache the dispatch key set", "Add a fast path",
           "Reduce the overhead of guards", "Raise on mismatched dtypes", "Refactor the loop over operands",
           "Support channels-last", "Rename a parameter for clarity", "Deflake the nightly run",
           "Keep the order of keys",
           "Skip the check when gradients are off", "Make the message of the error say the shape"]  # fmt: skip


@dataclass(frozen=True)
class Change:
    author: str
    subject: str
    path: str
    line: str

    @property
    def address(self) -> str:
        return self.author.lower().replace(" ", ".") + "@example.org"


def drawn(number: int, what: str, limit: int) -> int:
    """Below the limit. By a digest, because generators of random numbers differ between versions of Python."""
    return int.from_bytes(hashlib.sha256(f"{what} {number}".encode()).digest()[:8], "big") % limit


def change(number: int) -> Change:
    label, path = PLACES[drawn(number, "place", len(PLACES))]
    action = ACTIONS[drawn(number, "action", len(ACTIONS))]
    pull_request = 171_000 + number * 23 + drawn(number, "pull request", 23)
    revert = drawn(number, "revert", 17) == 0
    subject = f'Revert "{label} {action} (#{pull_request - 400})"' if revert else f"{label} {action}"
    comment = "#" if path.endswith((".py", ".yml")) else "//" if path.endswith(".cpp") else ".."
    return Change(AUTHORS[drawn(number, "author", len(AUTHORS))], f"{subject} (#{pull_request})", path,
                  f"{comment} {number}: {action.lower()}\n")
