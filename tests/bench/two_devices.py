#!/usr/bin/env python3
"""Two devices on one machine: whether what the second one costs follows what a model consists of.

usage: two_devices.py BUILD_DIR [--models NAME=FAMILY ...] [--precision fp32] [--rounds 2] [--processes 3]
                      [--iterations 10] [--warmup 3] [--variables NAME=VALUE ...] [--state FOLDER]

BUILD_DIR has the program `tbci`; the LibTorch is that of TBCI_LIBTORCH (deploy/deps --print-torch). Two configuration
files share a state folder. The second runner's workers know no vectors in LibTorch's own kernels
(ATEN_CPU_CAPABILITY=default), and MKL and oneDNN use AVX2 at most there; on a CPU that has no more than that,
--variables names others. Each model is measured by `tbci run`, on the one runner and then on the other, in rounds; then
`tbci compare --runners` gives the ratios. The share is what `tbci-worker profile` says on the first runner: the own time
of matrix products and convolutions, of an iteration. A folder to go on in is for one precision and these variables.

Printed: the table, the peaks and the difference of the environments as tbci says them, how busy the machine was, and
Spearman's rank correlation of ratio and share. Exit code 1 where its absolute value is below 0.6.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

VARIABLES = {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}

# Of different kinds: convolutions, products, tables, recurrent layers, equations of elements alone.
MODELS = {"alexnet": "alexnet", "resnet18": "resnet", "squeezenet1_1": "squeezenet", "mobilenet_v2": "mobilenet",
          "dcgan": "dcgan", "dlrm": "dlrm", "nvidia_deeprecommender": "deeprecommender", "lennard_jones": "lennard_jones",
          "soft_actor_critic": "soft_actor_critic", "tts_angular": "tts_angular", "hf_Bert": "hf_bert",
          "pyhpc_equation_of_state": "pyhpc_equation_of_state", "pyhpc_isoneutral_mixing": "pyhpc_isoneutral_mixing"}

# Attention and recurrent layers are products, too.
COMPUTING = ("mm.", "addmm.", "bmm.", "baddbmm.", "convolution", "_slow_conv", "linear.", "matmul.", "lstm", "gru",
             "mkldnn_rnn", "_scaled_dot_product", "addmv.", "mv.")

CONFIG = """[service]
state = "{state}"
[runner]
name = "{name}"
{environment}
[measure]
processes = {processes}
processes_at_most = {processes}
iterations = {iterations}
warmup = {warmup}
leak_iterations = 0
[report]
channels = ["folder"]
[[subject]]
name = "devices"
worker_families = {families}
worker_optimized = false
[subject.nightlies]
kind = "git-days"
[subject.source]
repository = "{repository}"
torch = "{torch}"
recipe = [["cc", "-shared", "-o", "none.so", "-x", "c", "none.c"]]
preload = ["none.so"]
"""


def git(folder: pathlib.Path, *arguments: str) -> None:
    names = {f"GIT_{who}_{what}": "bench@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env={**os.environ, **names})


def make_subject(folder: pathlib.Path) -> pathlib.Path:
    """A repository whose build adds nothing to the LibTorch."""
    repository = folder / "repository"
    if not repository.exists():
        repository.mkdir(parents=True)
        git(repository, "init", "--quiet", "--initial-branch=main")
        (repository / "none.c").write_text("")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--message", "Nothing")
    return repository


def variables_of(options: argparse.Namespace) -> dict[str, str]:
    return VARIABLES | dict(pair.split("=", 1) for pair in options.variables)


def write_configs(folder: pathlib.Path, options: argparse.Namespace, models: dict[str, str]) -> list[pathlib.Path]:
    torch = os.environ.get("TBCI_LIBTORCH") or sys.exit("set TBCI_LIBTORCH to a LibTorch (deploy/deps --print-torch)")
    variables = ", ".join(f"{name} = {json.dumps(value)}" for name, value in variables_of(options).items())
    files = []
    for name, environment in (("with-vectors", ""), ("without-vectors", f"environment = {{ {variables} }}")):
        file = folder / f"{name}.toml"
        file.write_text(CONFIG.format(state=folder / "state", name=name, environment=environment, torch=torch,
                                      processes=options.processes, iterations=options.iterations,
                                      warmup=options.warmup, repository=make_subject(folder),
                                      families=json.dumps(sorted(set(models.values())))))
        files.append(file)
    return files


def tbci(options: argparse.Namespace, config: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess:
    done = subprocess.run([str(options.build / "tbci"), *arguments, "--config", str(config)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(f"tbci {' '.join(arguments)}: {done.stderr[-3000:]}")
    return done


def measure(options: argparse.Namespace, configs: list[pathlib.Path], models: dict[str, str]) -> None:
    for turn in range(options.rounds):
        for model in models:
            for config in configs:
                tbci(options, config, "run", "--build", "main", "--benchmarks", model, "--configurations", "cpu-infer",
                     "--precision", options.precision)
            print(f"round {turn + 1}: {model}", file=sys.stderr, flush=True)


def share_of(workers: list[pathlib.Path], model: str, precision: str) -> float:
    """A folder that went on with other models has several workers, each with some of the models."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    for worker in workers:
        done = subprocess.run([str(worker), "profile", "--benchmark", model, "--configuration", "cpu-infer",
                               "--precision", precision], text=True, stdout=subprocess.PIPE, env=environment)
        if done.returncode == 0:
            break
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    whole = next(line for line in lines if line["type"] == "profile")["iteration_nanoseconds"]
    computing = sum(line["self_nanoseconds"] for line in lines if line["type"] == "operator"
                    and any(word in line["name"].removeprefix("aten.") for word in COMPUTING))
    return computing / whole


def ranks(values: list[float]) -> list[float]:
    """From 1; equal values share their mean rank."""
    return [sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
            for value in values]


def correlation(one: list[float], other: list[float]) -> float:
    mean_one, mean_other = sum(one) / len(one), sum(other) / len(other)
    both = sum((a - mean_one) * (b - mean_other) for a, b in zip(one, other))
    squares = sum((a - mean_one) ** 2 for a in one) * sum((b - mean_other) ** 2 for b in other)
    return both / squares ** 0.5 if squares > 0 else 0.0


def show(compared: dict, workers: list[pathlib.Path], precision: str) -> float:
    print("| model | ratio | interval | share of products and convolutions |\n|---|--:|---|--:|")
    rows = []
    for case in compared["cases"]:
        time = case["runners"][0]["time"]
        if time is not None:
            rows.append((share_of(workers, case["benchmark"], precision), time, case["benchmark"]))
    for share, time, model in sorted(rows, key=lambda row: row[:1]):
        print(f"| {model} | {time['ratio']:.2f} | {time['low']:.2f} to {time['high']:.2f} | {100 * share:.0f}% |")
    rank = correlation(ranks([time["ratio"] for _, time, _ in rows]), ranks([share for share, _, _ in rows]))
    print(f"\n{len(rows)} models; Spearman's rank correlation of ratio and share: {rank:.2f} (asked: 0.6 at least)\n")
    for runner in compared["peaks"]:
        for peaks in runner["devices"]:
            bf16 = peaks.get("bf16_flops_per_second")
            print(f"{runner['runner']}: {peaks['fp32_flops_per_second'] / 1e9:.1f} GFLOP/s in fp32, "
                  f"{f'{bf16 / 1e9:.1f}' if bf16 else 'none'} in bf16, {peaks['bytes_per_second'] / 1e9:.1f} GB/s copied")
    for difference in compared["differences"]:
        print(f"{difference['runner']}, in {difference['cases']} cases: {difference['what']}")
    return rank


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--models", nargs="+", metavar="NAME=FAMILY", default=[])
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--variables", nargs="+", metavar="NAME=VALUE", default=[], help="of the second runner")
    parser.add_argument("--state", type=pathlib.Path, help="a folder to go on in; default: a new one, which goes away")
    options = parser.parse_args()
    models = dict(pair.split("=", 1) for pair in options.models) or MODELS
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.state or pathlib.Path(temporary)).resolve()
        configs = write_configs(folder, options, models)
        loads = [os.getloadavg()[0]]
        measure(options, configs, models)
        loads.append(os.getloadavg()[0])
        done = tbci(options, configs[0], "compare", "--build", commit_of(folder), "--runners",
                    "with-vectors,without-vectors", "--json")
        workers = sorted((folder / "state" / "workers").glob("*/tbci-worker"))
        rank = show(json.loads(done.stdout), workers, options.precision)
        print(f"load of the machine, {os.cpu_count()} CPUs: {loads[0]:.1f} at the begin, {loads[1]:.1f} at the end"
              f"{'; other work ran beside it' if max(loads) > 1.5 else ''}")
    return 0 if abs(rank) >= 0.6 else 1


def commit_of(folder: pathlib.Path) -> str:
    return subprocess.run(["git", "-C", str(folder / "repository"), "rev-parse", "main"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
