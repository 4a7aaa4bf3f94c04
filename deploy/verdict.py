"""What deploy/demo asks about the generator's truth and the issues that were filed.

    verdict.py days TRUTH            the last two nightlies and how many commits lie between them
    verdict.py judge TRUTH ISSUES    0 if the issues name exactly the culprits of the truth, else 1
"""

import json
import pathlib
import re
import sys


def days(truth):
    before, after = truth["nightlies"][-2:]
    between = sum(before["day"] < commit["day"] <= after["day"] for commit in truth["commits"])
    return before["day"], after["day"], between


def suspects(issue):
    """The commits that an issue blames, abbreviated: its culprit, or its list of those that look alike."""
    one = re.search(r"^.*The culprit is commit \[?`([0-9a-f]{10})`", issue, re.MULTILINE)
    if one:
        return {one.group(1)}
    return set(re.findall(r"^- \[?`([0-9a-f]{10})`\S* by ", issue, re.MULTILINE))


def judge(truth, folder):
    issues = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    for path, text in issues.items():
        title = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["title"]
        print(f"Filed: {path}\n       {title}")
    culprits = truth["culprits"]
    if not culprits:
        print("The generator put no fault in; an issue was filed: WRONG" if issues else
              "The generator put no fault in, and nothing was filed: right")
        return not issues
    blamed = [suspects(text) for text in issues.values()]
    right = len(issues) == len(culprits)
    if not right:
        print(f"Issues that should have been filed: {len(culprits)}; that were filed: {len(issues)}: WRONG")
    for culprit in culprits:
        alike = {commit[:10] for commit in culprit["indistinguishable"]} | {culprit["commit"][:10]}
        named = next((names for names in blamed if culprit["commit"][:10] in names), set())
        found = bool(named) and named <= alike
        right = right and found
        answer = "the issue names " + ", ".join(sorted(named)) if named else "no issue names it"
        print(f"The generator put {culprit['fault']} in {culprit['commit'][:10]}; "
              f"{answer}: {'right' if found else 'WRONG'}")
    return right


def main(arguments):
    truth = json.loads(pathlib.Path(arguments[1]).read_text(encoding="utf-8"))
    if arguments[0] == "days":
        print(*days(truth))
        return 0
    return 0 if judge(truth, pathlib.Path(arguments[2])) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
