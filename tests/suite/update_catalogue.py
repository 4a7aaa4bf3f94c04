#!/usr/bin/env python3
"""Rewrites suite/catalogue.csv from the list of a worker that has all models.

usage: update_catalogue.py WORKER
"""

import json
import pathlib
import subprocess
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    suite = pathlib.Path(__file__).resolve().parents[2] / "suite"
    lines = subprocess.run([sys.argv[1], "list"], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = ["family,name,domain,task,parameters,train,infer,listed"]
    for fields in map(json.loads, lines):
        if fields["type"] != "benchmark":
            continue
        has = {mode: str(f"cpu-{mode}" in fields["configurations"]).lower() for mode in ("train", "infer")}
        rows.append(",".join([fields["family"], fields["name"], fields["domain"], fields["task"], str(fields["parameters"]), has["train"], has["infer"], fields["listed"]]))
    (suite / "catalogue.csv").write_text("\n".join(rows) + "\n")


main()
