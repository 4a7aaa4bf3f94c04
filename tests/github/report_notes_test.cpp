#include "github/report_notes.hpp"

#include "github/status_section.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::report_notes_test {

using namespace tbci::github;
using test::commit;
using test::finding;

namespace {

const model::Series train{"dlrm", model::Configuration::cpu_train, model::Metric::time};
const model::Series infer{"dlrm", model::Configuration::cpu_infer, model::Metric::time};
const std::string hostile = "`<b>@ada\n<!-- tbci:marker:m -->";

model::Finding slower() {
  return finding(train, 10e6, 13e6);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ReportStatus status_of(std::vector<SeriesStatus> series) {
  return {.night = "2026-01-09", .nights_since = 2, .series = std::move(series)};
}

}  // namespace

TEST_CASE("Report notes: figures have units and an interval", "[github]") {
  CHECK(figures_text(slower()) == "dlrm (cpu-train), time: 10 ms became 13 ms (+30.0%, +28.0% to +32.0%)");
  model::Finding broken = slower();
  broken.series.metric = model::Metric::outcome;
  CHECK(figures_text(broken) == "dlrm (cpu-train), outcome: fails");
  const std::string leak =
      figures_text(finding({"dlrm", model::Configuration::cpu_train, model::Metric::cpu_leak}, 0, 4096));
  CHECK(holds(leak, "became 4 KiB"));
  CHECK_FALSE(holds(leak, "inf"));
}

TEST_CASE("Report notes: an ending says whether it was reverted, measured or decided", "[github]") {
  const Recovery gone{.series = train, .night = "2026-01-09", .commits = {}, .revert = {}};
  CHECK(ending_note({gone}, {}) == "**Recovered.**\n\n- dlrm (cpu-train), time: gone since nightly `2026-01-09`\n");
  Recovery reverted = gone;
  reverted.revert = commit("dddddddddddddddd", "Ada", "Revert it");
  CHECK(ending_note({reverted}, {}) ==
        "**Reverted.**\n\n- dlrm (cpu-train), time: gone since nightly `2026-01-09`; commit `dddddddddd` by Ada: "
        "`Revert it` says that it reverts the culprit\n");
  const model::Decision decision{
      .regression_id = 1, .standing = model::Standing::accepted, .person = "ada", .reason = "wanted", .decided = {}};
  model::Decision same = decision;
  same.regression_id = 2;
  CHECK(ending_note({}, {decision, same}) == "**Settled.**\n\n- accepted by `ada`: wanted\n");
}

TEST_CASE("Report notes: hostile names end no code and write no marker", "[github]") {
  model::Finding odd = slower();
  odd.series.benchmark = hostile;
  const model::Decision decision{
      .regression_id = 1, .standing = model::Standing::dismissed, .person = hostile, .reason = hostile, .decided = {}};
  Recovery gone{.series = odd.series, .night = hostile, .commits = {commit("d", hostile, hostile)}, .revert = {}};
  for (const std::string& text :
       {culprit_note(commit("d", hostile, hostile)), worse_note({odd}, hostile), relapse_note({odd}, hostile),
        ending_note({gone}, {decision}), reopening_note(decision), unknown_command_note(hostile, hostile),
        status_section(status_of({{.series = odd.series, .before = 1, .now = 2.0, .look = {}}}))}) {
    CHECK_FALSE(has_marker(text, "m"));
    CHECK_FALSE(holds(text, "\n<!-- tbci:marker"));
  }
}

TEST_CASE("Status section: the worst comes first, with its level before", "[github]") {
  const std::string text =
      status_section(status_of({{.series = train, .before = 10e6, .now = 11e6, .look = model::Verdict::clear},
                                {.series = infer, .before = 10e6, .now = 14e6, .look = model::Verdict::regression},
                                {.series = {"lstm", model::Configuration::cpu_infer, model::Metric::time},
                                 .before = 1,
                                 .now = {},
                                 .look = {}}}));
  CHECK(text.starts_with(
      "**Latest night** `2026-01-09` (2 nights since it was found):\n\n"
      "- dlrm (cpu-infer), time: 14 ms, was 10 ms (+40.0%); still there in pairs with the build before it\n"
      "- dlrm (cpu-train), time: 11 ms, was 10 ms (+10.0%); gone in pairs with the build before it\n"
      "- lstm (cpu-infer), time: not measured\n"));
}

TEST_CASE("Status section: is taken off a body again, also one of many series", "[github]") {
  std::vector<SeriesStatus> many(100, {.series = train, .before = 1, .now = 2.0, .look = {}});
  const std::string section = status_section(status_of(many));
  CHECK(section.size() <= 2'000);
  CHECK(holds(section, " more series\n"));
  const SplitBody body = split_status(section + "text");
  CHECK(body.status == section);
  CHECK(body.rest == "text");
  CHECK(split_status("text").rest == "text");
  CHECK(split_status("text").status.empty());
}

}  // namespace tbci::report_notes_test
