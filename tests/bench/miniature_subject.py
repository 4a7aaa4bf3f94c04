"""The subject of a repository that tbci-miniature made, as configuration text."""
import json


def subject(repository, families):
    return f"""[[subject]]
name = "demo"
worker_families = {json.dumps(list(families))}
[subject.nightlies]
kind = "git-days"
[subject.source]
repository = "{repository}"
torch = "${{TBCI_LIBTORCH}}"
compiled = ["kernels/**", "Makefile"]
recipe = [["make", "-j{{jobs}}", "TORCH={{torch}}"]]
preload = ["build/libminiature.so"]
"""
