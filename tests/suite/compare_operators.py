#!/usr/bin/env python3
"""Counts the operators that one iteration of each native model calls below autograd, beside those of the original.

usage: compare_operators.py WORKER ORIGINALS.json [--models M,N] [--size paper|ci] [--batch N] [--all]

ORIGINALS.json: {model: {"train" | "eval": {"aten.operator.overload": calls in one iteration}}}, as TorchBench's models gave
it. Heavy operators (convolutions, matrix products, embeddings, attention, normalisations, pooling, recurrent cells) must
be called equally often, or a reason must be written in reference/operators_*.toml:

    [hf_T5.train]
    "aten.mm.default" = "why the count differs"

--all also lists the light operators that differ. Exit code 1: a heavy operator differs without a reason.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tomllib

HEAVY = re.compile(
    r"^\w+\.(_?convolution|mkldnn_convolution|conv\d|conv_|convolution_backward|addmm|mm|bmm|baddbmm|addbmm|addmv|mv|dot|embedding|"
    r"_embedding_bag|_scaled_dot_product|native_batch_norm|_native_batch_norm|native_layer_norm|native_group_norm|"
    r"_fused_rms_norm|max_pool|_?avg_pool|_?adaptive_|mkldnn_rnn|lstm|gru|rnn_|_thnn_fused|linear|_fused_moving_avg|fake_quantize)"
)
KEYS = {"train": "train", "infer": "eval"}


def counted(worker, model, mode, arguments):
    command = [worker, "operators", "--benchmark", model, "--configuration", f"cpu-{mode}", "--size", arguments.size]
    if arguments.batch:
        command += ["--batch", str(arguments.batch)]
    done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        fields = json.loads(line)
        if fields["type"] == "error":
            raise RuntimeError(f"{fields['kind']}: {fields['message']}")
        if fields["type"] == "operators":
            return fields["below_autograd"]
    raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")


def names_of(worker):
    lines = subprocess.run([worker, "list"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {fields["name"]: fields for fields in map(json.loads, lines) if fields["type"] == "benchmark"}


def reasons():
    all_of_them = {}
    for path in sorted((pathlib.Path(__file__).parent / "reference").glob("operators_*.toml")):
        all_of_them.update(tomllib.loads(path.read_text()))
    return all_of_them


def compare(model, mode, native, original, why, arguments):
    """Prints one model's row and what differs. The number of heavy operators that differ without a reason."""
    of_mode, key = original[KEYS[mode]], KEYS[mode]
    written = why.get(model, {}).get(key, {}) | why.get(model, {}).get("both", {})
    differing = [n for n in sorted(set(native) | set(of_mode)) if native.get(n, 0) != of_mode.get(n, 0)]
    heavy = [n for n in differing if HEAVY.match(n)]
    lines, unexplained = [], 0
    for name in heavy:
        reason = written.get(name)
        unexplained += reason is None
        lines.append(f"    {name}: {native.get(name, 0)}, original {of_mode.get(name, 0)}: {reason or 'NO REASON'}")
    same = sum(1 for n in set(native) & set(of_mode) if HEAVY.match(n) and native[n] == of_mode[n])
    light = [n for n in differing if not HEAVY.match(n)]
    print(f"{model:34} {mode:5}  heavy: {same} equal, {len(heavy)} differ, {unexplained} without a reason; light: {len(light)} differ", flush=True)
    print("\n".join(lines), end="\n" if lines else "")
    if arguments.all:
        print("\n".join(f"      {n}: {native.get(n, 0)}, original {of_mode.get(n, 0)}" for n in light))
    return unexplained


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("worker")
    parser.add_argument("originals")
    parser.add_argument("--models", default="")
    parser.add_argument("--size", default="paper")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    originals = json.loads(pathlib.Path(arguments.originals).read_text())
    native, why, bad = names_of(arguments.worker), reasons(), 0
    wanted = [m for m in arguments.models.split(",") if m] or sorted(set(native) & set(originals))
    for model in wanted:
        if model not in originals:
            print(f"{model:34} is not in {arguments.originals}")
            continue
        for mode in KEYS:
            if KEYS[mode] not in originals[model] or f"cpu-{mode}" not in native[model]["configurations"]:
                continue
            try:
                bad += compare(model, mode, counted(arguments.worker, model, mode, arguments), originals[model], why, arguments)
            except RuntimeError as error:
                print(f"{model:34} {mode:5}  {error}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
