#!/usr/bin/env python3
"""Writes suite/catalogue.csv anew from the files in suite/models/ and the list of a worker that has all of them.

usage: update_catalogue.py WORKER
"""

import json
import pathlib
import re
import subprocess
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    suite = pathlib.Path(__file__).resolve().parents[2] / "suite"
    sources = {path.stem: path.read_text() for path in sorted(suite.glob("models/*/*.cpp"))}
    lines = subprocess.run([sys.argv[1], "list"], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = ["family,name,domain,task,parameters,train,infer,listed"]
    for fields in map(json.loads, lines):
        if fields["type"] != "benchmark":
            continue
        families = [stem for stem, text in sources.items() if re.search(rf'"{re.escape(fields["name"])}"', text)]
        if len(families) != 1:
            sys.exit(f"the name {fields['name']} stands in {families}: it must be in one family's file")
        has = {mode: str(f"cpu-{mode}" in fields["configurations"]).lower() for mode in ("train", "infer")}
        rows.append(",".join([families[0], fields["name"], fields["domain"], fields["task"], str(fields["parameters"]), has["train"], has["infer"], fields["listed"]]))
    (suite / "catalogue.csv").write_text("\n".join(rows) + "\n")


main()
