#!/usr/bin/env python3
"""Writes the part of GitHub's description of its REST API that tbci uses: prepare.py DESCRIPTION OUTPUT."""
import json
import sys

USED = {
    "/user": ["get"],
    "/app": ["get"],
    "/app/installations/{installation_id}/access_tokens": ["post"],
    "/repos/{owner}/{repo}/issues": ["get", "post"],
    "/repos/{owner}/{repo}/issues/{issue_number}": ["get", "patch"],
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": ["get", "post"],
    "/repos/{owner}/{repo}/issues/comments/{comment_id}": ["patch"],
    "/repos/{owner}/{repo}/issues/{issue_number}/labels": ["get", "post"],
    "/repos/{owner}/{repo}/issues/{issue_number}/assignees": ["post"],
    "/repos/{owner}/{repo}/issues/{issue_number}/events": ["get"],
    "/repos/{owner}/{repo}/collaborators/{username}/permission": ["get"],
    "/repos/{owner}/{repo}/commits/{commit_sha}/pulls": ["get"],
}


def without_loose_nullables(node):
    """`nullable` without a `type` is not JSON Schema: prism would then accept any body."""
    if isinstance(node, list):
        return [without_loose_nullables(one) for one in node]
    if not isinstance(node, dict):
        return node
    loose = isinstance(node.get("nullable"), bool) and "type" not in node
    return {key: without_loose_nullables(value) for key, value in node.items() if not (loose and key == "nullable")}


def without_double_values(node):
    """An example whose `value` refers to an example would answer `{"value": ...}`: it is that example."""
    if isinstance(node, list):
        return [without_double_values(one) for one in node]
    if not isinstance(node, dict):
        return node
    inner = node.get("value")
    if isinstance(inner, dict) and str(inner.get("$ref", "")).startswith("#/components/examples/"):
        return inner
    return {key: without_double_values(value) for key, value in node.items()}


def with_own_media_type(responses):
    """The description knows answers as application/json alone; GitHub advises to ask for this type."""
    for response in responses.values():
        content = response.get("content", {})
        if "application/json" in content:
            content["application/vnd.github+json"] = content["application/json"]


def references(node):
    """The `#/components/KIND/NAME` in a part of the description, as pairs."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield tuple(node["$ref"].split("/")[2:])
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def used_part(whole):
    paths = {path: {method: whole["paths"][path][method] for method in methods} for path, methods in USED.items()}
    components = {}
    still = list(references(paths))
    while still:
        kind, name = still.pop()
        if name in components.setdefault(kind, {}):
            continue
        components[kind][name] = whole["components"][kind][name]
        still.extend(references(components[kind][name]))
    for operations in paths.values():
        for operation in operations.values():
            with_own_media_type(operation["responses"])
    with_own_media_type(components.get("responses", {}))
    return {"openapi": whole["openapi"], "info": whole["info"], "paths": paths, "components": components}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as description:
        part = without_double_values(without_loose_nullables(used_part(json.load(description))))
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        json.dump(part, output)
