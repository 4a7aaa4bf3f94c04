"""The tbci worker that measures the models of a checkout of pytorch/benchmark.

    python worker.py list --checkout DIR
    python worker.py run --checkout DIR --benchmark B --configuration C ...

It speaks the worker protocol (docs/worker-protocol.md) and runs in the Python of the build under test. Apart from what
TorchBench needs it uses only the standard library.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_SHARED = os.path.join(os.path.dirname(_HERE), "python")
if _HERE not in sys.path:
    sys.path.insert(0, _HERE)
sys.path.insert(0, _SHARED)

from tbci_torchbench import options, run  # noqa: E402
from tbci_worker.protocol import Protocol, claim_standard_output  # noqa: E402


def main() -> int:
    chosen = options.parse(sys.argv[1:])
    # Some models parse the command line of their process, so leave it empty.
    sys.argv = sys.argv[:1]
    # Models must not import our modules, and ours must not hide theirs.
    sys.path.remove(_HERE)
    sys.path.remove(_SHARED)
    protocol = Protocol(claim_standard_output())
    if chosen.command == "list":
        return run.list_benchmarks(chosen, protocol)
    if chosen.command == "run":
        return run.run_benchmark(chosen, protocol)
    return run.refuse(chosen.command, protocol)


if __name__ == "__main__":
    sys.exit(main())
