#include "daemon/faults/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "tests/catch.hpp"

namespace tbci::fault_verdict_test {

using namespace tbci::daemon::faults;

namespace {

const std::string culprit(40, 'c');
const std::string other(40, 'd');

PaperFault fault_of(const std::string& kind) {
  return chosen_faults({kind})->front();
}

const char* report =
    "dlrm is slower\n\n### Suspects\n\n| aten.mm.default | 1 | 2 |\n\n### Operators that changed\n\nProfile.\n\n"
    "| operator | before | after |\n| --- | ---: | ---: |\n| aten.copy\\_.default | 1 us | 4 us |\n"
    "| aten.\\_embedding\\_bag.default | 1 us | 3 us |\n| all others | | |\n\n### Environment\n\n| aten.x | y |\n";

CheckedNight filed() {
  CheckedNight night;
  night.changes = {
      {.series = "dlrm/cpu-infer/time", .change = 0.1, .low = 0.05, .high = 0.2, .after = 1, .confirmed = false},
      {.series = "dlrm/cpu-infer/time", .change = 0.15, .low = 0.12, .high = 0.18, .after = 1, .confirmed = true}};
  night.suspects = {{culprit}};
  night.reports = {report};
  return night;
}

const Truth truth = {.before = "2026-01-06", .after = "2026-01-07", .culprits = {culprit}};

NightVerdict verdict_on(const CheckedNight& night) {
  const PaperFault fault = fault_of("embedding-bag-bounds");
  return judge(fault, fault.nights.front(), truth, night);
}

bool complains(const NightVerdict& verdict, const std::string& part) {
  return std::ranges::any_of(verdict.complaints,
                             [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("Fault verdict: one report, the culprit, the operator and the confirmed series are right", "[daemon]") {
  const NightVerdict verdict = verdict_on(filed());
  CHECK(verdict.complaints == std::vector<std::string>{});
  CHECK(verdict.culprit);
  CHECK(verdict.name == "aten._embedding_bag.default");
  REQUIRE(verdict.measured);
  CHECK(verdict.measured->change == 0.15);
}

TEST_CASE("Fault verdict: another commit, or one more beside the culprit, is wrong", "[daemon]") {
  for (const std::vector<std::string>& suspects : {std::vector{other}, {culprit, other}, {}}) {
    CheckedNight night = filed();
    night.suspects = {{culprit}, suspects};
    const NightVerdict verdict = verdict_on(night);
    CHECK_FALSE(verdict.culprit);
    CHECK(complains(verdict, "not exactly the culprit"));
  }
}

TEST_CASE("Fault verdict: a second report, none, or one that was not delivered is wrong", "[daemon]") {
  CheckedNight two = filed();
  two.reports.emplace_back("more");
  CHECK(complains(verdict_on(two), "reports filed: 2, not 1"));
  CheckedNight kept = filed();
  kept.undelivered = 1;
  CHECK(complains(verdict_on(kept), "not delivered: 1"));
  const NightVerdict none = verdict_on({});
  CHECK(complains(none, "reports filed: 0, not 1"));
  CHECK(complains(none, "no regression"));
  CHECK(complains(none, "dlrm/cpu-infer/time is not confirmed"));
}

TEST_CASE("Fault verdict: a report that names other operators is wrong", "[daemon]") {
  CheckedNight night = filed();
  night.reports = {
      "x\n\n### Operators that changed\n\n| aten.mm.default | 1 | 2 |\n| aten.embedding\\_bag.x | 1 | 2 |\n"};
  CHECK(complains(verdict_on(night), "names none of aten._embedding_bag, aten._embedding_bag_forward_only"));
}

TEST_CASE("Fault verdict: the report of a leak names its series", "[daemon]") {
  const PaperFault fault = fault_of("memory-kept");
  CheckedNight night = filed();
  night.changes[1].series = fault.series();
  night.reports = {"x\n\n| benchmark | configuration | metric |\n| dlrm | cpu-infer | cpu\\_leak | 0 B |\n"};
  const NightVerdict verdict = judge(fault, fault.nights.front(), truth, night);
  CHECK(verdict.complaints == std::vector<std::string>{});
  CHECK(verdict.name == "dlrm/cpu-infer/cpu_leak");
  night.reports = {"x\n\n| dlrm | cpu-infer | cpu\\_memory | 0 B |\n"};
  CHECK(complains(judge(fault, fault.nights.front(), truth, night), "does not name dlrm/cpu-infer/cpu_leak"));
}

TEST_CASE("Fault verdict: where nothing may be filed, a regression is wrong, and so is a series that is missing",
          "[daemon]") {
  const PaperFault fault = fault_of("72148");
  const PlayedNight& second = fault.nights.at(1);
  CheckedNight clear;
  clear.changes = {
      {.series = fault.series(), .change = 0.01, .low = -0.01, .high = 0.02, .after = 1, .confirmed = false}};
  CHECK(judge(fault, second, truth, clear).complaints.empty());
  CheckedNight alarm = clear;
  alarm.suspects = {{}};
  CHECK(complains(judge(fault, second, truth, alarm), "a regression, where there is none"));
  CHECK(complains(judge(fault, second, truth, {}), "was not measured"));
}

TEST_CASE("Fault verdict: only the table of operators is read", "[daemon]") {
  CHECK(operators_in(report) == std::vector<std::string>{"aten.copy_.default", "aten._embedding_bag.default"});
  CHECK(operators_in("").empty());
}

TEST_CASE("Fault verdict: the answers of both programs are read, and other text is refused", "[daemon]") {
  const auto facts = read_truth(
      R"({"nightlies": [{"day": "1"}, {"day": "2"}, {"day": "3"}], "culprits": [{"indistinguishable": ["a", "b"]}]})");
  REQUIRE(facts);
  CHECK(facts->before == "2");
  CHECK(facts->after == "3");
  CHECK(facts->culprits == std::vector<std::string>{"a", "b"});

  const auto night = read_night(
      R"({"findings": [{"series": "s", "verdict": "regression", "change": null, "low": 1, "high": null, "after": 5}],
          "regressions": [{"suspects": ["a"]}],
          "reports": [{"title": "t", "body": "b", "deliveries": [{"state": "delivered"}, {"state": "pending"}]}]})");
  REQUIRE(night);
  CHECK(night->changes.at(0).confirmed);
  CHECK(std::isinf(night->changes.at(0).change));
  CHECK(night->changes.at(0).after == 5);
  CHECK(night->reports == std::vector<std::string>{"t\n\nb"});
  CHECK(night->undelivered == 1);

  for (const char* text : {"", "tbci: no", "{}", R"({"nightlies": [{"day": "1"}], "culprits": []})",
                           R"({"findings": 3, "regressions": [], "reports": []})"}) {
    CHECK_FALSE(read_truth(text));
    CHECK_FALSE(read_night(text));
  }
}

}  // namespace tbci::fault_verdict_test
