#include "miniature/change.hpp"

#include "tests/catch.hpp"

namespace tbci::change_test {

using namespace tbci::miniature;

namespace {

constexpr const char* kText =
    "=== fault slow 8 one,two\n"
    "=== commit Do it\n"
    "Because.\n"
    "=== replace a.txt\n"
    "old\n"
    "=== with\n"
    "new {{amount}} {{real}}\n"
    "=== append b.txt\n"
    "more\n";

Change parsed() {
  const auto changes = parse_changes(kText);
  REQUIRE(changes);
  REQUIRE(changes->size() == 1);
  return changes->front();
}

TEST_CASE("Change: the text form is read", "[miniature]") {
  const Change change = parsed();
  CHECK(change.subject == "Do it");
  CHECK(change.body == "Because.");
  CHECK(change.fault == "slow");
  CHECK(change.amount == 8);
  CHECK(change.benchmarks == std::vector<std::string>{"one", "two"});
  CHECK(change.edits.size() == 2);
}

TEST_CASE("Change: strength scales the numbers, and a whole one is never below 1", "[miniature]") {
  Tree tree = {{"a.txt", "x\nold\ny\n"}, {"b.txt", ""}};
  REQUIRE(apply_change(with_strength(parsed(), 0.5), tree));
  CHECK(tree["a.txt"] == "x\nnew 4 4.000000\ny\n");
  CHECK(tree["b.txt"] == "more\n");

  Tree weak = {{"a.txt", "old\n"}, {"b.txt", ""}};
  REQUIRE(apply_change(with_strength(parsed(), 0.01), weak));
  CHECK(weak["a.txt"] == "new 1 0.080000\n");
}

TEST_CASE("Change: a text to replace that occurs never or twice is refused", "[miniature]") {
  Tree missing = {{"a.txt", "x\n"}, {"b.txt", ""}};
  CHECK_FALSE(apply_change(parsed(), missing));
  Tree twice = {{"a.txt", "old\nold\n"}, {"b.txt", ""}};
  CHECK_FALSE(apply_change(parsed(), twice));
  Tree no_file = {{"b.txt", ""}};
  CHECK_FALSE(apply_change(parsed(), no_file));
}

TEST_CASE("Change: the reverse of a change restores the files", "[miniature]") {
  Change change = parsed();
  change.edits.pop_back();
  Tree tree = {{"a.txt", "x\nold\n"}};
  REQUIRE(apply_change(change, tree));
  REQUIRE(apply_change(reversed(change, "Undo", ""), tree));
  CHECK(tree["a.txt"] == "x\nold\n");
}

TEST_CASE("Change: text outside of a section and unknown sections are refused", "[miniature]") {
  CHECK_FALSE(parse_changes("stray\n"));
  CHECK_FALSE(parse_changes("=== replace a\n"));
  CHECK_FALSE(parse_changes("=== commit a\n=== remove b\n"));
  CHECK_FALSE(parse_changes("=== fault a much b\n"));
}

}  // namespace

}  // namespace tbci::change_test
