"""The subject of a repository that tbci-miniature made, as configuration text. It is built as the demo's is."""
import json
import pathlib

DEMO = pathlib.Path(__file__).parents[2] / "configs" / "demo.toml"


def subject(repository, families):
    text = DEMO.read_text()
    source = text[text.index("[subject.source]"):].replace("${TBCI_DEMO_REPOSITORY}", str(repository))
    return f"""[[subject]]
name = "demo"
worker_families = {json.dumps(list(families))}
worker_optimized = false
[subject.nightlies]
kind = "git-days"
{source}"""
