#!/usr/bin/env python3
"""Holds the worker's numbers of a GPU against the same models in Python, in the same LibTorch and on the same GPU.

usage: twins.py WORKER [--rounds 2] [--iterations 60] [--models A,B] [--modes infer,train] [--limit SECONDS]

Run it with the Python whose torch the worker was built for; it needs torchvision. In each round each case of paper size
is measured by the worker and then by its twin. The twin has the worker's batch, fp32 without TF32, one thread, and where
the worker has LibTorch's C++ Adam or SGD, an optimizer that calls the same operators. Compared, as medians over the rounds:

- time: the medians of iterations that are synchronised on both sides. Accepted: within 3%. Where the GPU waits for the
  host, Python's own calls are in the twin's time; so the share of idle time is printed beside it.
- memory: the worker's `gpu_peak_bytes`, and max_memory_allocated. Accepted: within 1%.
- split: the shares of active, movement and idle of the worker, and those of torch.profiler's events over five iterations.
  Accepted: within 3 points.

--limit: begin no further case after this time, and say which were left out. --device cpu compares the times on a
CPU alone, where there is no GPU to rehearse on. Exit code 1 if something is outside.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

import torch
from torch import nn

DEVICE = "cuda"
WARM_UP = 10
TRACED = 5


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def forget():
    """Gives back what a case leaves behind: cuBLAS's workspaces would be in the peak of the next one."""
    if DEVICE == "cuda":
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()


class Adam:
    """The operators of LibTorch's torch::optim::Adam, parameter by parameter."""

    def __init__(self, parameters, rate=1e-3, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters, self.rate, self.betas, self.epsilon = list(parameters), rate, betas, epsilon
        self.state, self.steps = {}, 0

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self):
        self.steps += 1
        first, second = self.betas
        for parameter in self.parameters:
            if parameter.grad is None:
                continue
            if parameter not in self.state:
                self.state[parameter] = (torch.zeros_like(parameter), torch.zeros_like(parameter))
            mean, square = self.state[parameter]
            mean.mul_(first).add_(parameter.grad, alpha=1 - first)
            square.mul_(second).addcmul_(parameter.grad, parameter.grad, value=1 - second)
            divisor = (square.sqrt() / (1 - second**self.steps) ** 0.5).add_(self.epsilon)
            parameter.addcdiv_(mean, divisor, value=-self.rate / (1 - first**self.steps))


def image_classifier(name):
    """As TorchBench: random images, and new targets in each step, with a forward pass of their own."""

    def make(batch, train):
        import torchvision

        model = getattr(torchvision.models, name)().to(DEVICE).train(train)
        images = torch.randn(batch, 3, 224, 224, device=DEVICE)
        optimizer = Adam(model.parameters())

        def loss(outputs):
            with torch.no_grad():
                target = torch.empty_like(model(images)).uniform_()
            return nn.functional.cross_entropy(outputs, target)

        return lambda: model(images), loss, optimizer

    return make


class AutoEncoder(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        pairs = list(zip(sizes, sizes[1:])) + list(zip(sizes[:0:-1], sizes[-2::-1]))
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairs)
        self.middle, self.dropout = len(sizes) - 2, nn.Dropout(0.8)

    def forward(self, x):
        for place, layer in enumerate(self.layers):
            x = torch.selu(layer(x))
            if place == self.middle:
                x = self.dropout(x)
        return x


def deeprecommender(batch, train):
    model = AutoEncoder([197951, 512, 512, 1024]).to(DEVICE).train(train)
    ratings = torch.randn(batch, 197951, device=DEVICE)

    def loss(output):
        rated = (ratings != 0).to(torch.float32)
        return nn.functional.mse_loss(output * rated, ratings, reduction="sum") / rated.sum()

    return lambda: model(ratings), loss, torch.optim.SGD(model.parameters(), 0.005, momentum=0.9, foreach=False)


def mlp(sizes):
    layers = [layer for pair in zip(sizes, sizes[1:]) for layer in (nn.Linear(*pair), nn.ReLU())]
    return nn.Sequential(*layers)


class Dlrm(nn.Module):
    def __init__(self, tables, rows, width, bottom, top):
        super().__init__()
        self.tables = nn.ParameterList(torch.empty(rows, width, device=DEVICE).uniform_(-1e-3, 1e-3) for _ in range(tables))
        features = tables + 1
        self.bottom, self.top = mlp(bottom), mlp([features * (features - 1) // 2 + width, *top, 1])
        pairs = torch.tril_indices(features, features, -1)
        self.register_buffer("first", pairs[0].clone())
        self.register_buffer("second", pairs[1].clone())

    def forward(self, dense, indices, offsets):
        x = self.bottom(dense)
        features = [x] + [torch.embedding_bag(table, at, begin, False, 0, True)[0]
                          for table, at, begin in zip(self.tables, indices, offsets)]
        together = torch.cat(features, 1).view(x.size(0), -1, x.size(1))
        products = torch.bmm(together, together.transpose(1, 2))
        return self.top(torch.cat((x, products[:, self.first, self.second]), 1))


def dlrm(batch, train):
    tables, rows, lookups = 8, 1000000, 100
    model = Dlrm(tables, rows, 64, [512, 512, 64], [1024, 1024, 1024]).to(DEVICE).train(train)
    dense, target = torch.rand(batch, 512, device=DEVICE), torch.rand(batch, 1, device=DEVICE)
    indices = [torch.randint(rows, (batch * lookups,), device=DEVICE) for _ in range(tables)]
    offsets = [torch.arange(0, batch * lookups, lookups, device=DEVICE) for _ in range(tables)]
    optimizer = torch.optim.SGD(model.parameters(), 0.01, foreach=False)
    return lambda: model(dense, indices, offsets), lambda out: nn.functional.mse_loss(out, target), optimizer


TWINS = {name: image_classifier(name) for name in ("resnet18", "resnet50", "alexnet", "vgg16", "mobilenet_v2", "densenet121")}
TWINS["nvidia_deeprecommender"] = deeprecommender
TWINS["dlrm"] = dlrm


def iteration(parts, train):
    forward, loss, optimizer = parts

    def step():
        optimizer.zero_grad()
        loss(forward()).backward()
        optimizer.step()

    kept = [None]

    def infer():  # keeps its outputs until the next ones are there, as the worker does
        with torch.no_grad():
            kept[0] = forward()

    return step if train else infer


def covered(spans, begin, end):
    total, done = 0, begin
    for first, last in sorted(spans):
        first, last = max(first, done), min(last, end)
        if last > first:
            total, done = total + last - first, last
    return total


def profiled(iterate):
    """The shares of active, movement and idle, by torch.profiler."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]):  # pays for the beginning
        iterate()
        synchronize()
    windows = []
    with profile(activities=[ProfilerActivity.CUDA]) as watched:
        for _ in range(TRACED + 1):
            synchronize()
            begin = time.time_ns()
            iterate()
            synchronize()
            windows.append((begin, time.time_ns()))
    work, moves = [], []
    for event in watched.profiler.kineto_results.events():
        if event.device_type() != torch.autograd.DeviceType.CUDA:
            continue
        span = (event.start_ns(), event.start_ns() + event.duration_ns())
        name = event.name()
        (moves if name.startswith("Memcpy") and "DtoD" not in name else work).append(span)
    active = sum(covered(work, *window) for window in windows[1:])
    busy = sum(covered(work + moves, *window) for window in windows[1:])
    whole = sum(end - begin for begin, end in windows[1:])
    return active / whole, (busy - active) / whole, 1 - busy / whole


def by_twin(name, batch, train, iterations):
    torch.manual_seed(42)
    iterate = iteration(TWINS[name](batch, train), train)
    for _ in range(WARM_UP):
        iterate()
    synchronize()
    if DEVICE == "cuda":
        torch.cuda.reset_peak_memory_stats()
    samples = []
    for _ in range(iterations):
        synchronize()
        begin = time.perf_counter_ns()
        iterate()
        synchronize()
        samples.append(time.perf_counter_ns() - begin)
    if DEVICE == "cpu":
        return statistics.median(samples), 0, None
    peak = torch.cuda.max_memory_allocated()
    return statistics.median(samples), peak, profiled(iterate)


def configuration(mode):
    return f"{'gpu' if DEVICE == 'cuda' else 'cpu'}-{mode}"


def by_worker(worker, name, mode, iterations):
    command = [worker, "run", "--benchmark", name, "--configuration", configuration(mode), "--size", "paper",
               "--warmup", str(WARM_UP), "--iterations", str(iterations), "--gpu-traced", str(TRACED)]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or lines[-1]["type"] != "done":
        raise RuntimeError(lines[-1].get("message", "it ended without done") if lines else done.stderr[-300:])
    time_of = statistics.median(line["nanoseconds"] for line in lines if line["type"] == "sample")
    peak = next(line.get("gpu_peak_bytes", 0) for line in lines if line["type"] == "memory")
    parts = [lines[-1].get(f"gpu_{part}_nanoseconds") for part in ("active", "movement", "idle")]
    split = tuple(part / sum(parts) for part in parts) if None not in parts else None
    traced = sum(parts) / time_of if None not in parts else None
    return lines[0]["batch"], (time_of, peak, split, traced)


def row_of(case, rounds):
    """The table's row, and what is outside in it."""
    middle = statistics.median
    worker_time, twin_time = (middle(one[side][0] for one in rounds) for side in (0, 1))
    ratios = sorted(one[0][0] / one[1][0] for one in rounds)
    peaks = [middle(one[side][1] for one in rounds) for side in (0, 1)]
    cells = [case, f"{worker_time / 1e6:.3f}", f"{twin_time / 1e6:.3f}", f"{middle(ratios):.3f}",
             f"{ratios[0]:.3f} to {ratios[-1]:.3f}"]
    outside = ["time"] if abs(middle(ratios) - 1) > 0.03 else []
    if DEVICE == "cpu":
        return f"| {' | '.join(cells)} | | | | | | |", outside
    cells += [f"{peaks[0] / 2**20:.1f}", f"{peaks[0] / peaks[1] - 1:+.2%}"]
    if abs(peaks[0] / peaks[1] - 1) > 0.01:
        outside.append("memory")
    if any(one[0][2] is None for one in rounds):
        return f"| {' | '.join(cells)} | no split | | | |", outside + ["split"]
    shares = [[middle(one[side][2][part] for one in rounds) for part in range(3)] for side in (0, 1)]
    worst = max(abs(ours - theirs) for ours, theirs in zip(*shares))
    for side in (0, 1):
        cells.append(" / ".join(f"{share:.1%}" for share in shares[side]))
    cells += [f"{100 * worst:.1f}", f"{middle(one[0][3] for one in rounds):.2f}"]
    return f"| {' | '.join(cells)} |", outside + (["split"] if worst > 0.03 else [])


def print_head():
    print("| case | worker: ms | twin: ms | ratio | of the rounds | peak: MiB | to the twin's | active / movement / idle | "
          "torch.profiler | points apart | traced iteration to an untraced one |\n|---|--:|--:|--:|---|--:|--:|---|---|--:|--:|")


def measure(arguments):
    names = [name for name in arguments.models.split(",") if name] or list(TWINS)
    cases = [(name, mode) for name in names for mode in arguments.modes.split(",")]
    seen, left_out = {}, []
    begun = time.monotonic()
    for _ in range(arguments.rounds):
        for name, mode in cases:
            case = f"{name}/{configuration(mode)}"
            if time.monotonic() - begun > arguments.limit:
                left_out.append(case)
                continue
            try:
                batch, ours = by_worker(arguments.worker, name, mode, arguments.iterations)
                theirs = by_twin(name, batch, mode == "train", arguments.iterations)
            except RuntimeError as error:
                print(f"{case}: {error}", file=sys.stderr, flush=True)
                seen.setdefault(case, [])
                continue
            finally:
                forget()
            seen.setdefault(case, []).append((ours, theirs))
            print(row_of(case, seen[case])[0], flush=True)
    return seen, left_out


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--models", default="")
    parser.add_argument("--modes", default="infer,train")
    parser.add_argument("--limit", type=float, default=1e9)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    arguments = parser.parse_args()
    global DEVICE
    DEVICE = arguments.device
    if DEVICE == "cuda" and not torch.cuda.is_available():
        print("twins.py: this torch finds no GPU", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name() if DEVICE == 'cuda' else 'CPU'}\n")
    print_head()  # a row each time a case is done, so that nothing is lost where time runs out
    seen, left_out = measure(arguments)
    print("\nOver all rounds:\n")
    print_head()
    outside = {}
    for case, rounds in seen.items():
        if not rounds:
            outside[case] = ["failed"]
            continue
        row, beyond = row_of(case, rounds)
        print(row)
        if beyond:
            outside[case] = beyond
    told = "; ".join(f"{case}: {', '.join(what)}" for case, what in outside.items())
    print(f"\nOutside: {told or 'none'}.")
    print(f"Left out for want of time: {', '.join(left_out) or 'nothing'}.")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
