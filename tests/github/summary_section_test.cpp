#include "github/summary_section.hpp"

#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::summary_section_test {

using namespace tbci::github;
using test::culprit_facts;

namespace {

std::string summary_of(const ReportFacts& facts) {
  return summary_section(facts, facts.affected);
}

model::FoundStep step_at(const std::string& commit, double posterior) {
  model::FoundStep step;
  step.suspects = {commit};
  step.posterior = posterior;
  return step;
}

}  // namespace

TEST_CASE("Report's first lines: what, where, how much with its interval, and since when", "[report]") {
  CHECK(summary_of(culprit_facts())
            .starts_with("**dlrm (cpu-train) is 31% slower** since nightly `2026-01-07` of demo: 15.7 ms instead of "
                         "12 ms (+31.0%, interval +29.0% to +33.0%). It also affects 2 other benchmarks.\n\n"));
}

TEST_CASE("Report's first lines: the culprit has links to its commit, its pull request and its lines", "[report]") {
  ReportFacts facts = culprit_facts();
  const std::string commit = "https://github.com/octo/demo/commit/" + facts.suspects[0].id;
  const std::string text = summary_of(facts);
  CHECK(text.find("- The culprit is commit [`1a2b3c4d5e`](" + commit +
                  ") ([pull request 4711](https://github.com/octo/demo/pull/4711)) by Jane Doe, 2026-01-06: `Check "
                  "bounds in embedding_bag`.\n") != std::string::npos);
  CHECK(text.find("[`aten/src/ATen/native/EmbeddingBag.cpp`](" + commit + "#diff-" +
                  sha256_hex("aten/src/ATen/native/EmbeddingBag.cpp") + ").\n") != std::string::npos);

  facts.web = "ssh://git@host/demo";  // no address for a browser
  const std::string without = summary_of(facts);
  CHECK(without.find("](") == std::string::npos);
  CHECK(without.find("`1a2b3c4d5e` (pull request 4711) by") != std::string::npos);
  CHECK(without.find("operators that changed: `aten/src/ATen/native/EmbeddingBag.cpp`.\n") != std::string::npos);
}

TEST_CASE("Report's first lines: at most five suspected files have links, and the others are counted", "[report]") {
  ReportFacts facts = culprit_facts();
  facts.origins[0].suspected_files = {"a", "b", "c", "d", "e", "f", "g"};
  const std::string text = summary_of(facts);
  CHECK(text.find("[`e`](") != std::string::npos);
  CHECK(text.find("[`f`](") == std::string::npos);
  CHECK(text.find("), and 2 more.\n") != std::string::npos);
}

TEST_CASE("Report's first lines: no file of something that is not a commit has a link", "[report]") {
  ReportFacts facts = culprit_facts();
  facts.suspects[0].id = facts.origins[0].commit = "[a](https://x.example";
  const std::string text = summary_of(facts);
  CHECK(text.find("/commit/") == std::string::npos);
  CHECK(text.find("operators that changed: `aten/src/ATen/native/EmbeddingBag.cpp`.\n") != std::string::npos);
}

TEST_CASE("Report's first lines: people are asked to answer where tbci reads it", "[report]") {
  ReportFacts facts = culprit_facts();
  CHECK(summary_of(facts).find("wanted, `tbci regressions accept` makes it the new level.\n") != std::string::npos);
  facts.is_heard = true;
  CHECK(summary_of(facts).find("wanted, the comment `/tbci accept` makes it the new level.\n") != std::string::npos);
  facts.night.clear();  // a search by hand: there is no regression to accept
  CHECK(summary_of(facts).find("wanted") == std::string::npos);
}

TEST_CASE("Report's first lines: how sure follows from the pairs, the searches and their certainty", "[report]") {
  ReportFacts facts = culprit_facts();
  CHECK(summary_of(facts).find("- How sure: measured in 10 pairs of processes, old and new in turn.\n") !=
        std::string::npos);
  facts.answers[0].steps = {step_at(facts.suspects[0].id, 0.9993)};
  CHECK(summary_of(facts).find("in turn; the commit is 99.93% certain (9 builds, 120 measurements).\n") !=
        std::string::npos);
  model::Answer second = facts.answers[0];
  second.series = facts.affected[1].series;
  model::Answer elsewhere = second;
  elsewhere.series = facts.affected[2].series;
  elsewhere.suspects = {std::string(40, 'e')};
  elsewhere.steps = {step_at(std::string(40, 'e'), 0.9999)};
  facts.answers.insert(facts.answers.end(), {second, elsewhere});
  CHECK(summary_of(facts).find("99.93% certain, and 2 searches, each of its own series, ended there (9 builds") !=
        std::string::npos);
  facts.affected[0].pairs = 0;  // nothing measured it in pairs: nothing says so
  CHECK(summary_of(facts).find("- How sure: the commit is 99.93% certain") != std::string::npos);
  facts.answers.clear();
  CHECK(summary_of(facts).find("How sure") == std::string::npos);
}

TEST_CASE("Report's first lines: what to do depends on what is known", "[report]") {
  ReportFacts facts = culprit_facts();
  CHECK(summary_of(facts).find("- What to do: repair or revert this commit") != std::string::npos);
  facts.suspects.push_back(test::commit(std::string(40, 'e'), "John Roe", "Tidy"));
  CHECK(summary_of(facts).find("- What to do: look at the suspects below; one of them did it.\n") != std::string::npos);
  facts.suspects.clear();
  CHECK(summary_of(facts).find("- What to do: repeat the comparison on another machine") != std::string::npos);
  facts.commands.clear();
  CHECK(summary_of(facts).find("What to do") == std::string::npos);
}

TEST_CASE("Report's first lines: a suspect of several has its pull request too", "[report]") {
  ReportFacts facts = culprit_facts();
  facts.suspects.push_back(test::commit(std::string(40, 'e'), "John Roe", "Tidy"));
  facts.origins.push_back({std::string(40, 'e'), 99, {}});
  CHECK(suspects_section(facts).find("`Tidy` ([pull request 99](https://github.com/octo/demo/pull/99))\n") !=
        std::string::npos);
}

}  // namespace tbci::summary_section_test
