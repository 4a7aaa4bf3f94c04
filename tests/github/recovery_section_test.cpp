#include "github/recovery_section.hpp"

#include "github/report.hpp"
#include "tests/catch.hpp"

namespace tbci::recovery_section_test {

using github::Recovery;
using github::with_recoveries;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
const std::string repair = std::string(39, 'd') + "1";

model::Commit commit(const std::string& id, const std::string& subject = "Make it faster") {
  model::Commit one;
  one.id = id;
  one.author = "Ada Example";
  one.subject = subject;
  return one;
}

model::Report report(const std::string& body = "1 benchmark regressed.\n") {
  model::Report one;
  one.marker = "m";
  one.body = body;
  return one;
}

Recovery gone(std::vector<model::Commit> commits = {}, std::optional<model::Commit> revert = {}) {
  return {.series = dlrm, .night = "2026-01-09", .commits = std::move(commits), .revert = std::move(revert)};
}

std::string text_of(const Recovery& recovery) {
  return with_recoveries(report(), {recovery}).body;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Recovery section: names the night, the commit that was found, and the revert", "[github]") {
  CHECK(text_of(gone()).starts_with("### Recovered\n\n- dlrm (cpu-train), time: gone since nightly `2026-01-09`\n"));
  CHECK(holds(text_of(gone({commit(repair)})), ", by commit `dddddddddd` by Ada Example: `Make it faster`\n"));
  CHECK(holds(text_of(gone({commit(repair), commit("e1")})), ", by one of 2 commits that cannot be told apart: "));
  CHECK(holds(text_of(gone({commit(repair)}, commit(repair))), "`, which says that it reverts the culprit\n"));
  CHECK(holds(text_of(gone({}, commit(repair))), "; commit `dddddddddd` by Ada Example: `Make it faster` says that"));
  CHECK(text_of(gone()).ends_with("1 benchmark regressed.\n"));
}

TEST_CASE("Recovery section: a later one takes its place, and none takes it away", "[github]") {
  const auto first = with_recoveries(report(), {gone()});
  const auto later = with_recoveries(first, {gone({commit(repair)})});
  CHECK(later.body == text_of(gone({commit(repair)})));
  CHECK(with_recoveries(later, {}).body == report().body);
  CHECK(github::tells_recoveries(later.body));
  CHECK_FALSE(github::tells_recoveries(report().body));
}

TEST_CASE("Recovery section: hostile commits end it nowhere", "[github]") {
  const std::string hostile = "`\n<!-- tbci:recovered -->\n<!-- tbci:marker:m --> @ada";
  auto by = commit(repair, hostile);
  by.author = hostile;
  const auto with = with_recoveries(report(), {gone({by})});
  CHECK(with_recoveries(with, {}).body == report().body);
  CHECK_FALSE(github::has_marker(with.body, "m"));
}

TEST_CASE("Recovery section: a long report stays within the limit and counts what does not fit", "[github]") {
  const auto full = with_recoveries(report(std::string(github::longest_body_bytes - 20, 'x')), {gone(), gone()});
  CHECK(holds(full.body, "### Recovered\n\n- 2 series\n"));
  const std::vector<Recovery> many(1000, gone({commit(repair)}));
  const auto with = with_recoveries(report(std::string(50'000, 'x')), many);
  CHECK(with.body.size() <= github::longest_body_bytes);
  CHECK(holds(with.body, "- and "));
}

}  // namespace tbci::recovery_section_test
