"""The verdict of deploy/demo: right only when the issues name exactly what the generator did."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "deploy"))
import verdict  # noqa: E402

CULPRIT, NEIGHBOUR, OTHER = "a" * 40, "b" * 40, "c" * 40


def truth(*alike):
    return {"culprits": [{"commit": CULPRIT, "fault": "memory-kept", "indistinguishable": list(alike)}]}


def blaming(*commits):
    if len(commits) == 1:
        return (f"# dlrm is 12% slower\n\ndlrm is slower. The culprit is commit `{commits[0][:10]}` by A, 2026-01-07: `s`.\n\n"
                f"Reproduce: git checkout {OTHER}\n")
    lines = "".join(f"- [`{commit[:10]}`](https://x/commit/{commit}) by A (2026-01-07), `s`\n" for commit in commits)
    return f"# dlrm is 12% slower since one of {len(commits)} commits\n\nThese cannot be told apart.\n\n{lines}"


def judged(facts, *issues):
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
        for number, text in enumerate(issues):
            (pathlib.Path(folder) / f"{number}.md").write_text(text, encoding="utf-8")
            (pathlib.Path(folder) / f"{number}.json").write_text('{"title": "t"}', encoding="utf-8")
        return verdict.judge(facts, pathlib.Path(folder)), said.getvalue()


class Verdict(unittest.TestCase):
    def test_the_true_culprit_alone_is_right(self):
        right, said = judged(truth(), blaming(CULPRIT))
        self.assertTrue(right)
        self.assertIn("the issue names aaaaaaaaaa: right", said)

    def test_another_commit_no_issue_and_a_second_issue_are_wrong(self):
        self.assertFalse(judged(truth(), blaming(OTHER))[0])
        self.assertFalse(judged(truth())[0])
        self.assertFalse(judged(truth(), blaming(CULPRIT), blaming(OTHER))[0])

    def test_a_set_is_right_only_where_the_commits_cannot_be_told_apart(self):
        self.assertTrue(judged(truth(CULPRIT, NEIGHBOUR), blaming(CULPRIT, NEIGHBOUR))[0])
        self.assertFalse(judged(truth(), blaming(CULPRIT, NEIGHBOUR))[0])
        self.assertFalse(judged(truth(CULPRIT, NEIGHBOUR), blaming(CULPRIT, NEIGHBOUR, OTHER))[0])

    def test_it_reads_reports_as_they_are_written(self):
        golden = pathlib.Path(__file__).resolve().parents[1] / "github" / "golden"
        self.assertEqual(len(verdict.suspects((golden / "culprit.md").read_text(encoding="utf-8"))), 1)
        self.assertEqual(len(verdict.suspects((golden / "suspects.md").read_text(encoding="utf-8"))), 3)
        self.assertEqual(verdict.suspects((golden / "unattributed.md").read_text(encoding="utf-8")), set())

    def test_a_clean_day_files_nothing(self):
        self.assertTrue(judged({"culprits": []})[0])
        self.assertFalse(judged({"culprits": []}, blaming(OTHER))[0])

    def test_days_counts_the_commits_after_the_first_nightly_up_to_the_second(self):
        facts = {"nightlies": [{"day": "2026-01-05"}, {"day": "2026-01-06"}, {"day": "2026-01-07"}],
                 "commits": [{"day": "2026-01-06"}, {"day": "2026-01-07"}, {"day": "2026-01-07"}]}
        self.assertEqual(verdict.days(facts), ("2026-01-06", "2026-01-07", 2))


if __name__ == "__main__":
    unittest.main()
