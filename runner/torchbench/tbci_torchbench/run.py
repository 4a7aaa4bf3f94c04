"""The commands of the worker."""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from types import ModuleType
from typing import Any, Callable

from tbci_worker.protocol import Protocol

from . import framework, inductor, measure, model
from .checkout import Checkout, Description, ci_batch
from .failure import EXCEPTION, UNSUPPORTED, failure_of
from .options import EXIT_DONE, EXIT_ERROR, PROTOCOL_VERSION

WORKER = "tbci-torchbench"


def _guarded(protocol: Protocol, job: Callable[[], None]) -> int:
    """Turns an exception of the job into the protocol's last line; the traceback goes to standard error."""
    try:
        job()
        return EXIT_DONE
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a model may raise anything
        failure = failure_of(error)
        if failure is not error and failure.kind == EXCEPTION:
            traceback.print_exc(file=sys.stderr)
    protocol.write("error", kind=failure.kind, message=str(failure))
    return EXIT_ERROR


def _batches(said: Description, reduced: bool) -> dict[str, int]:
    sizes = {"train": said.train_batch, "infer": said.infer_batch}
    if reduced:
        sizes = {mode: ci_batch(own, said.batch_is_fixed) or own for mode, own in sizes.items()}
    return {mode: size for mode, size in sizes.items() if size}


def list_benchmarks(options: argparse.Namespace, protocol: Protocol) -> int:
    def job() -> None:
        checkout = Checkout(options.checkout)
        version = framework.version_in(framework.locate(options.torch))
        protocol.write(
            "hello", protocol=PROTOCOL_VERSION, worker=WORKER, torch_version=version.torch, torch_git=version.git
        )
        for entry in checkout.chosen(options.model):
            said = checkout.describe(entry)
            inductor = ["inductor"] if checkout.has_dynamo() else []
            protocol.write(
                "benchmark",
                name=entry.name,
                domain=said.domain,
                task=said.task,
                configurations=checkout.configurations(entry),
                backends=["eager", *inductor],
                source="pytorch/benchmark",
                batch=_batches(said, reduced=True),
                paper_batch=_batches(said, reduced=False),
            )
        protocol.write("done")

    return _guarded(protocol, job)


def _hello(options: argparse.Namespace, torch: ModuleType, protocol: Protocol) -> None:
    fields: dict[str, Any] = {"batch": options.batch} if options.batch else {}
    if options.precision:
        fields["precision"] = options.precision
    protocol.write(
        "hello",
        protocol=PROTOCOL_VERSION,
        worker=WORKER,
        torch_version=str(torch.__version__),
        torch_git=str(getattr(torch.version, "git_version", "") or ""),
        threads=options.threads,
        device=options.configuration.partition("-")[0],
        benchmark=options.benchmark,
        configuration=options.configuration,
        size=options.size,
        seed=options.seed,
        backend=options.backend,
        **fields,
    )


def run_benchmark(options: argparse.Namespace, protocol: Protocol) -> int:
    device = "cuda" if options.configuration.startswith("gpu-") else "cpu"
    test = "train" if options.configuration.endswith("-train") else "eval"
    libraries = [os.path.abspath(library) if os.sep in library else library for library in options.preload]
    extra = ["--precision", options.precision] if options.precision else []

    def job() -> None:
        checkout = Checkout(options.checkout)
        if options.backend == "inductor":
            inductor.compile_in_this_process()
        torch = framework.load(framework.locate(options.torch))
        _hello(options, torch, protocol)
        entry = checkout.find(options.benchmark)
        framework.check_device(torch, device)
        framework.preload(libraries)
        framework.prepare(torch, options.threads, options.seed)

        begin = time.perf_counter_ns()
        kind = model.load_class(checkout, entry)
        batch = model.wanted_batch(kind, options.size, options.batch, test)

        def make(backend: list[str]) -> Any:
            return model.make(kind, test, device, batch, [*extra, *backend], must=options.batch is not None)

        if options.backend == "inductor":
            framework.check_compiler(torch, device)
            synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
            compiled = inductor.prepare(inductor.Setting(torch, make, test, options.seed, synchronize))
            made, iterations = compiled.made, compiled.iterations
        else:
            made = make([])
            iterations = model.iterations(made, test)
        measure.settle(torch, device)
        framework.set_threads(torch, options.threads)  # a model may have changed them
        subject = measure.Subject(iterations, torch, device)
        subject.synchronize()
        ready = time.perf_counter_ns()
        warmup = measure.warm_up(subject, options.warmup, options.warmup_milliseconds)
        warm = time.perf_counter_ns()
        times = measure.measure(subject, options.iterations, protocol, warmed=bool(warmup))
        evidence: dict[str, Any] = {}
        if options.backend == "inductor":
            evidence = {
                "compile_nanoseconds": compiled.compile_nanoseconds,
                "unsteady_iterations": measure.unsteady(warmup, times),
                "difference": compiled.difference,
            }
        taken = getattr(made, "batch_size", None)
        protocol.write(
            "done",
            samples=options.iterations,
            setup_nanoseconds=warm - begin,
            warmup_nanoseconds=warm - ready,
            **({"batch": taken} if isinstance(taken, int) else {}),
            **evidence,
        )

    return _guarded(protocol, job)


def refuse(command: str, protocol: Protocol) -> int:
    """Rejects the commands that only the native worker has."""
    protocol.write("error", kind=UNSUPPORTED, message=f"the TorchBench worker has no `{command}`")
    return EXIT_ERROR
