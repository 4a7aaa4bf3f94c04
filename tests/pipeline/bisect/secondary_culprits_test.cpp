#include "pipeline/bisect/secondary_culprits.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::secondary_culprits_test {

using namespace tbci::test;

using model::Metric;
using pipeline::secondary_culprits;

namespace {

const std::string first(40, '1'), second(40, '2'), third(40, '3');

model::Finding found_in(Metric metric, double before) {
  model::Finding finding;
  finding.series = {"dlrm", model::Configuration::cpu_infer, metric};
  finding.verdict = model::Verdict::regression;
  finding.before = before;
  return finding;
}

model::FoundStep step_at(const std::string& commit, double change) {
  return {.suspects = {commit},
          .posterior = 0.9995,
          .change = change,
          .low = change - 0.01,
          .high = change + 0.01,
          .repair = change < 0,
          .reason = ""};
}

model::Answer answer_of(const model::Finding& whole, std::vector<model::FoundStep> steps, const std::string& largest) {
  return {.series = whole.series, .suspects = {largest}, .reason = "", .steps = std::move(steps)};
}

}  // namespace

TEST_CASE("Secondary culprits: those beside the largest, with what the series was before and after each",
          "[reporting]") {
  const model::Finding whole = found_in(Metric::time, 1e7);
  const auto further = secondary_culprits(
      whole, answer_of(whole, {step_at(first, 0.1), step_at(second, 0.5), step_at(third, 0.2)}, second), {});
  REQUIRE(further.size() == 2);
  CHECK(further[0].suspects == std::vector{first});
  CHECK(further[0].finding.before == 1e7);
  CHECK(further[0].finding.after == Approx(1.1e7));
  CHECK(further[1].suspects == std::vector{third});
  CHECK(further[1].finding.before == Approx(1.65e7));
  CHECK(further[1].finding.after == Approx(1.98e7));
  CHECK(further[1].finding.low == Approx(0.19));
  CHECK(further[1].finding.verdict == model::Verdict::regression);
}

TEST_CASE("Secondary culprits: a repair, and what is under the threshold, is reported with the largest only",
          "[reporting]") {
  const model::Finding whole = found_in(Metric::time, 1e7);
  CHECK(secondary_culprits(
            whole, answer_of(whole, {step_at(first, 0.04), step_at(second, 0.5), step_at(third, -0.2)}, second), {})
            .empty());
  detect::Thresholds strict;
  strict.relative = 0.03;
  CHECK(secondary_culprits(whole, answer_of(whole, {step_at(first, 0.04), step_at(second, 0.5)}, second), strict)
            .size() == 1);
}

TEST_CASE("Secondary culprits: memory has to grow by its floor as well, and leaks have none", "[reporting]") {
  const double mib = 1024 * 1024;
  const model::Finding small = found_in(Metric::cpu_memory, 100 * mib), large = found_in(Metric::cpu_memory, 300 * mib);
  const std::vector steps = {step_at(first, 0.1), step_at(second, 0.5)};
  CHECK(secondary_culprits(small, answer_of(small, steps, second), {}).empty());
  CHECK(secondary_culprits(large, answer_of(large, steps, second), {}).size() == 1);
  const model::Finding leak = found_in(Metric::cpu_leak, 4096);
  CHECK(secondary_culprits(leak, answer_of(leak, steps, second), {}).empty());
}

TEST_CASE("Secondary culprits: two commits that slow the same series make two reports, each of its own step",
          "[pipeline][long]") {
  const TemporaryDirectory folder;
  FakeMachine machine(71);
  machine.slower["beta"] = {{20, 1.2}, {50, 1.4}};
  machine.refuse_each_effect_once();
  std::optional<pipeline::NightResult> result;
  for (int attempt = 0; attempt < 1000 && !result; ++attempt) {
    Bench bench(folder.path(), machine);
    auto checked = pipeline::check_night(bench.context());
    if (checked) result = std::move(*checked);
  }
  REQUIRE(result);
  REQUIRE(result->regressions.size() == 2);
  const model::Regression& largest = result->regressions[0];
  const model::Regression& further = result->regressions[1];
  CHECK(largest.suspects == std::vector{machine.history[50].id});
  CHECK(largest.finding.change > 0.6);  // what the night found: both together
  CHECK(further.suspects == std::vector{machine.history[20].id});
  CHECK(further.finding.change > 0.17);
  CHECK(further.finding.change < 0.23);
  REQUIRE(result->reports.size() == 2);
  CHECK(*largest.report_id != *further.report_id);
  for (const model::Report& report : result->reports) {
    CHECK(report.body.find(machine.history[20].id.substr(0, 10)) != std::string::npos);
    CHECK(report.body.find(machine.history[50].id.substr(0, 10)) != std::string::npos);
  }
}

}  // namespace tbci::secondary_culprits_test
