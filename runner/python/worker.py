"""The tbci worker that measures the functions of a Python file.

    python worker.py FILE list
    python worker.py FILE run --benchmark B --configuration C ...

It speaks the worker protocol (docs/worker-protocol.md) and uses only the standard library. The file registers what is
measured:

    from tbci_worker import benchmark

    @benchmark(domain="text")
    def words():
        text = "not measured, made once"
        return lambda: my_package.words(text)
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
if _HERE not in sys.path:
    sys.path.insert(0, _HERE)

from tbci_worker import options, run  # noqa: E402
from tbci_worker.protocol import Protocol, claim_standard_output  # noqa: E402


def main() -> int:
    chosen = options.parse(sys.argv[1:])
    # What is measured may parse the command line of its process, so leave it empty.
    sys.argv = sys.argv[:1]
    # Nothing else of ours may hide what is measured; `tbci_worker` is loaded already.
    sys.path.remove(_HERE)
    protocol = Protocol(claim_standard_output())
    if chosen.command == "list":
        return run.list_benchmarks(chosen, protocol)
    if chosen.command == "run":
        return run.run_benchmark(chosen, protocol)
    if chosen.command == "environment":
        return run.report_environment(chosen, protocol)
    return run.refuse(chosen.command, protocol)


if __name__ == "__main__":
    sys.exit(main())
