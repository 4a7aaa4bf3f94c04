"""The checks of the pages find what they look for, and only that."""

import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tree_options  # noqa: E402
import tree_pages  # noqa: E402
import markdown  # noqa: E402

LONG = "word " * 30


class Width(unittest.TestCase):
    def test_prose_over_the_limit_is_found_with_its_line(self):
        self.assertEqual([line.number for line in markdown.too_wide(f"# a\n\n{LONG}\nshort\n- {LONG}\n", 100)], [3, 5])

    def test_the_limit_itself_is_allowed_and_counts_characters(self):
        self.assertFalse(markdown.too_wide("ä" * 100, 100))
        self.assertTrue(markdown.too_wide("ä" * 101, 100))

    def test_tables_links_and_code_are_exempt(self):
        page = f"| {LONG} |\n[{LONG}](x.md)\n\n    {LONG}\n\n```\n{LONG}\n```\n"
        self.assertFalse(markdown.too_wide(page, 100))

    def test_a_list_that_is_indented_is_no_code(self):
        self.assertTrue(markdown.too_wide(f"- one\n    {LONG}\n", 100))


class Links(unittest.TestCase):
    def setUp(self):
        self.folder = TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        (self.root / "docs").mkdir()
        (self.root / "docs" / "a.md").write_text("# A page\n\n## What `tbci` does, and why\n")

    def broken(self, text):
        return len(tree_pages.broken_links(self.root, "docs/b.md", text))

    def test_a_link_leads_to_a_file_or_a_heading(self):
        good = "[a](a.md) [b](a.md#what-tbci-does-and-why) [c](../docs) [d](https://x.example/y)"
        self.assertEqual(self.broken(good), 0)
        self.assertEqual(self.broken("[a](c.md)"), 1)
        self.assertEqual(self.broken("[a](a.md#what-it-does)"), 1)
        self.assertEqual(self.broken("![a](pictures/none.png)"), 1)

    def test_code_has_no_links(self):
        self.assertEqual(self.broken("`[a](c.md)`\n\n    [a](c.md)\n"), 0)

    def test_a_path_of_an_index_exists(self):
        dead = lambda text: tree_pages.dead_paths(self.root, "docs/b.md", text)  # noqa: E731
        self.assertEqual(dead("`docs/a.md`, `docs/NAME.md`, `docs/`, `other/thing`, `a.md`"), [])
        self.assertEqual(dead("\n`docs/c.md`"), ["docs/b.md:2: no docs/c.md"])


class Rooms(unittest.TestCase):
    RULE = """table = {
      {"base", {}}, {"storage/model", {"base"}}, {"storage", {"base", "storage/model"}},
      {"daemon",
       {"base", "storage/model", "storage"}},
      {"tests", all},
  };"""

    def findings(self, *rows):
        return tree_pages.wrong_rooms(tree_pages.rooms_of_rule(self.RULE), tree_pages.rooms_of_page("\n".join(rows)))

    def test_the_page_has_the_rooms_of_the_rule(self):
        base, model = "| `base` | a | |", "| `storage/model` | b, `c` | `base` |"
        storage, extra = "| `storage` | d | `base`, `storage/model` |", "| `extra` | | |"
        self.assertEqual(self.findings(base, model, storage, "| `daemon` | | `base`, `storage` |"), [])
        self.assertEqual(self.findings(base, extra, model, storage, "| `daemon` | | all above but `extra` |"), [])

    def test_what_differs_is_found(self):
        rows = ["| `base` | a | `storage` |", "| `storage/model` | b | `base` |", "| `storage` | c | `base` |"]
        self.assertEqual(len(self.findings(*rows)), 3)  # base, storage, and no daemon


class Words(unittest.TestCase):
    def test_tics_are_found_and_words_that_hold_them_are_not(self):
        found = [tic for _, tic, _ in markdown.tics_in("Measured anew.\nIt mends so many.\nHe is told it.\nNobody was told of it.\nHeld against what could not be had.")]
        self.assertEqual(found, ["anew", "mends", "so many", "is told", "told of", "Held against", "could not be had"])
        self.assertEqual(markdown.tics_in("amended, recommend, begins_anew, is told apart, so much"), [])
        self.assertEqual([tic for _, tic, _ in markdown.tics_in("It is no fault.")], ["is no"])
        self.assertEqual(markdown.tics_in("there is no end, it is no longer"), [])


class Options(unittest.TestCase):
    def setUp(self):
        self.tbci = tree_options.Tbci.__new__(tree_options.Tbci)
        self.tbci.helps = {(): "", ("run",): "", ("suite",): "", ("suite", "list"): ""}
        self.tbci.options = {(): {"--config", "--json"}, ("run",): {"--build"}}
        self.tbci.options |= {("suite",): set(), ("suite", "list"): {"--all"}}

    def lines(self, page):
        return tree_options.in_command_lines(self.tbci, "x.md", page)

    def alone(self, page):
        return tree_options.standing_alone(Path(__file__).resolve().parents[2], self.tbci, "x.md", page)

    def test_an_option_of_a_command_line_is_that_commands(self):
        self.assertEqual(self.lines("`tbci run --build X` and `tbci --config F suite list --all --json`"), [])
        self.assertEqual(self.lines("\n    A=1 build/tbci run --build X  # --none\n"), [])
        self.assertEqual(self.lines("`tbci run --all`"), ["x.md:1: `tbci run` has no option --all"])
        self.assertEqual(self.lines("`tbci tun --build X`"), ["x.md:1: there is no command `tbci tun`"])
        self.assertEqual(self.lines("`tbci COMMAND --json`, `tbci run 2026-01-07 --build X`"), [])
        self.assertEqual(len(self.lines("\n    x && tbci suite list \\\n      --builds 'a b'\n")), 1)

    def test_other_programs_have_their_own(self):
        self.assertEqual(self.lines("`tests/bench/x.py tbci --rounds 3` and `git bisect run --none`"), [])

    def test_an_option_that_stands_alone_belongs_to_a_command_or_a_named_program(self):
        self.assertEqual(self.alone("`--build` and `--all`"), [])
        self.assertEqual(self.alone("# a\n\n`--metrics`"), ["x.md:3: no command has an option --metrics"])
        self.assertEqual(self.alone("`deploy/demo`: `--clean`"), [])
        self.assertEqual(len(self.alone("`deploy/demo`\n# b\n`--clean`")), 1)


if __name__ == "__main__":
    unittest.main()
