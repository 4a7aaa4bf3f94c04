"""A worker of tbci (docs/worker-protocol.md) with one model: a small multilayer perceptron, as PyTorch's Python runs it."""
import argparse
import json
import pathlib
import resource
import runpy
import sys
import sysconfig
import time

NAME, BATCH, WIDTH = "mlp", 128, 512


def say(kind, **fields):
    print(json.dumps({"type": kind, **fields}), flush=True)


def hello(**more):
    """Reads the version without importing torch, which takes seconds."""
    version = runpy.run_path(str(pathlib.Path(sysconfig.get_path("purelib")) / "torch" / "version.py"))
    say("hello", protocol=1, worker="python-suite", torch_version=version["__version__"], torch_git=version["git_version"], **more)


def list_models():
    hello()
    say("benchmark", name=NAME, domain="other", task="other", configurations=["cpu-infer"], parameters=2 * (WIDTH + 1) * WIDTH,
        source="tbci", family=NAME, differs="", listed="later", batch={"infer": BATCH}, paper_batch={"infer": BATCH})
    say("done")


def iterate(model, data):
    begun = time.perf_counter_ns()
    model(data)
    return time.perf_counter_ns() - begun


def run(options):
    hello(threads=options.threads, device="cpu", benchmark=NAME, configuration="cpu-infer", size=options.size, batch=BATCH,
          seed=options.seed, precision="fp32")
    if options.benchmark != NAME or options.configuration != "cpu-infer":
        say("error", kind="unsupported", message=f"this suite has {NAME}/cpu-infer alone")
        return 3
    import torch
    torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    begun = time.perf_counter_ns()
    torch.manual_seed(options.seed)
    layers = [torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh()]
    model, data = torch.nn.Sequential(*layers), torch.randn(BATCH, WIDTH)
    warm = sum(iterate(model, data) for _ in range(options.warmup))
    setup = time.perf_counter_ns() - begun
    for iteration in range(options.iterations):
        say("sample", iteration=iteration, nanoseconds=iterate(model, data))
    say("memory", cpu_peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    say("done", samples=options.iterations, setup_nanoseconds=setup, warmup_nanoseconds=warm)
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=("list", "run"))
    parser.add_argument("--benchmark")
    parser.add_argument("--configuration")
    parser.add_argument("--size", default="ci")
    for name, default in (("protocol", 1), ("batch", BATCH), ("warmup", 3), ("iterations", 10), ("threads", 1), ("seed", 42),
                          ("leak-iterations", 0), ("leak-milliseconds", 500)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    if options.protocol != 1:
        sys.exit(2)
    return list_models() or 0 if options.command == "list" else run(options)


if __name__ == "__main__":
    sys.exit(main())
