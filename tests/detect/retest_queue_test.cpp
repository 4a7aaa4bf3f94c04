#include "detect/retest_queue.hpp"

#include "detect/confirm.hpp"
#include "tests/catch.hpp"

namespace tbci::retest_queue_test {

using tbci::detect::Candidate;
using tbci::detect::candidates_of;
using tbci::detect::confirm;
using tbci::detect::hidden_suspects;
using tbci::detect::Pair;
using tbci::detect::retests_after;
using tbci::detect::Suspect;
using tbci::detect::TestedCandidate;
using tbci::detect::Thresholds;
using tbci::detect::without_pairs;
using tbci::model::Configuration;
using tbci::model::Finding;
using tbci::model::Metric;
using tbci::model::Series;
using tbci::model::Verdict;

namespace {

Series series(const std::string& benchmark) {
  return {benchmark, Configuration::cpu_train, Metric::time};
}

Finding finding(const std::string& benchmark, double change, Verdict verdict = Verdict::suspect) {
  Finding finding;
  finding.series = series(benchmark);
  finding.change = change;
  finding.verdict = verdict;
  return finding;
}

Candidate candidate(const std::string& benchmark, double suspected) {
  Candidate candidate;
  candidate.series = series(benchmark);
  candidate.old_build = "monday";
  candidate.suspected = suspected;
  candidate.first_suspect = "tuesday";
  return candidate;
}

TestedCandidate looked_at(Candidate candidate, Verdict verdict, std::size_t pairs) {
  return {std::move(candidate), true, finding("x", 0.07, verdict), std::vector<Pair>(pairs, {100, 107})};
}

}  // namespace

TEST_CASE("Retest queue: tonight's suspects are asked, the worst first, in either direction", "[detect]") {
  const std::vector<Suspect> suspects = {{finding("a", 0.05), "tuesday"},
                                         {finding("b", -0.3), "tuesday"},
                                         {finding("c", 0.1), "monday"},
                                         {finding("d", 0.2, Verdict::clear), "tuesday"}};
  const auto candidates = candidates_of(suspects, {}, "wednesday");
  REQUIRE(candidates.size() == 3);
  CHECK(candidates[0].series == series("b"));
  CHECK(candidates[1].series == series("c"));
  CHECK(candidates[1].old_build == "monday");
  CHECK(candidates[2].series == series("a"));
  CHECK(candidates[2].first_suspect == "wednesday");
  CHECK(candidates[2].pairs.empty());
}

TEST_CASE("Retest queue: a series that waits is asked once, against its older build, with its pairs", "[detect]") {
  Candidate carried = candidate("a", 0.06);
  carried.pairs = {{100, 107}, {100, 106}};
  carried.nights_looked = 1;
  const auto alone = candidates_of({}, std::vector{carried}, "wednesday");
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].old_build == "monday");
  const auto again = candidates_of(std::vector<Suspect>{{finding("a", 0.2), "tuesday"}}, std::vector{carried}, "wed");
  REQUIRE(again.size() == 1);
  CHECK(again[0].old_build == "monday");
  CHECK(again[0].pairs.size() == 2);
  CHECK(again[0].nights_looked == 1);
  CHECK(again[0].first_suspect == "tuesday");
  CHECK(again[0].suspected == 0.2);  // what presses now
}

TEST_CASE("Retest queue: what a retest hid and did not find itself is asked beside its own build", "[detect]") {
  const std::vector<Suspect> suspects = {{finding("broken", 0.2), "tuesday", {{100, 120}}},
                                         {finding("clear", 0.1), "tuesday"},
                                         {finding("without time", 0.1), "tuesday"},
                                         {finding("found", 0.3), "tuesday"},
                                         {finding("the same build", 0.1), "monday"},
                                         {finding("no suspect", 0.2, Verdict::clear), "tuesday"},
                                         {finding("no retest", 0.2), "tuesday"}};
  std::vector<TestedCandidate> outcomes = {looked_at(candidate("broken", 0.06), Verdict::inconclusive, 0),
                                           looked_at(candidate("clear", 0.06), Verdict::clear, 6),
                                           {candidate("without time", 0.06), false, {}, {}},
                                           looked_at(candidate("found", 0.06), Verdict::regression, 6),
                                           looked_at(candidate("the same build", 0.06), Verdict::inconclusive, 9),
                                           looked_at(candidate("no suspect", 0.06), Verdict::inconclusive, 9)};
  const auto hidden = hidden_suspects(suspects, outcomes, "wednesday", {});
  REQUIRE(hidden.size() == 3);
  CHECK(hidden[0].series == series("broken"));
  CHECK(hidden[0].old_build == "tuesday");
  CHECK(hidden[0].first_suspect == "wednesday");
  CHECK(hidden[0].screen_pairs.size() == 1);
  CHECK(hidden[0].pairs.empty());
  CHECK(hidden[1].series == series("clear"));
  CHECK(hidden[2].series == series("without time"));
}

TEST_CASE("Retest queue: a step of tonight is asked by itself where pairs of earlier nights do not have it",
          "[detect]") {
  const std::vector<Suspect> suspects = {{finding("stepped", 0.2), "tuesday", {}},
                                         {finding("the same", 0.1), "tuesday", {}}};
  Candidate stepped = candidate("stepped", 0.06), same = candidate("the same", 0.06);
  for (int i = 0; i < 30; ++i) {
    stepped.pairs.push_back({100, 105.0 + i % 3});
    same.pairs.push_back({100, 106.5 + i % 3});
  }
  TestedCandidate mixed = looked_at(stepped, Verdict::regression, 0), steady = looked_at(same, Verdict::regression, 0);
  for (int i = 0; i < 12; ++i) {
    mixed.measured.push_back({100, 128.0 + i % 3});
    steady.measured.push_back({100, 106.0 + i % 3});
  }
  const auto hidden = hidden_suspects(suspects, std::vector{mixed, steady}, "wednesday", {});
  REQUIRE(hidden.size() == 1);
  CHECK(hidden[0].series == series("stepped"));
  CHECK(hidden[0].old_build == "tuesday");
  CHECK(hidden[0].pairs.empty());
}

TEST_CASE("Retest queue: what waits becomes more pressing each night", "[detect]") {
  std::vector<Candidate> waiting = {candidate("small", 0.05)};
  const std::vector<Suspect> large = {{finding("large", 0.12), "tuesday"}};
  int nights = 0;
  while (candidates_of(large, waiting, "x").front().series != series("small") && nights < 100) {
    waiting = retests_after(std::vector<TestedCandidate>{{waiting.front(), false, {}, {}}}, {});
    ++nights;
  }
  CHECK(nights == 2);
}

TEST_CASE("Retest queue: the undecided goes on with all its pairs, the decided does not", "[detect]") {
  Candidate earlier = candidate("a", 0.06);
  earlier.pairs = std::vector<Pair>(40, {100, 106});
  earlier.nights_looked = 1;
  earlier.nights_waited = 2;
  const std::vector<TestedCandidate> outcomes = {
      looked_at(earlier, Verdict::inconclusive, 30),
      looked_at(candidate("b", 0.1), Verdict::regression, 12),
      looked_at(candidate("c", 0.1), Verdict::clear, 12),
      looked_at(candidate("d", 0.1), Verdict::improvement, 12),
      looked_at(candidate("e", 0.1), Verdict::environment_changed, 12),
      looked_at(candidate("f", 0.1), Verdict::suspect, 5),        // stopped in the middle
      looked_at(candidate("g", 0.1), Verdict::inconclusive, 0)};  // no process gave a number
  auto carried = retests_after(outcomes, {});
  REQUIRE(carried.size() == 2);
  CHECK(carried[0].series == series("a"));
  CHECK(carried[0].pairs.size() == 70);
  CHECK(carried[0].pairs.back().after == 107);
  CHECK(carried[0].nights_looked == 2);
  CHECK(carried[0].nights_waited == 0);
  CHECK(carried[1].series == series("f"));
  TestedCandidate troubled = outcomes.back();
  troubled.machine_failed = true;
  carried = retests_after(std::vector{troubled}, {});
  REQUIRE(carried.size() == 1);
  CHECK(carried[0].nights_looked == 1);
}

TEST_CASE("Retest queue: after three nights it stays inconclusive; waiting does not count", "[detect]") {
  Thresholds thresholds;
  thresholds.most_nights = 3;
  std::vector<Candidate> open = {candidate("a", 0.07)};
  for (int night = 0; night < 5; ++night)
    open = retests_after(std::vector<TestedCandidate>{{open.front(), false, {}, {}}}, thresholds);
  REQUIRE(open.size() == 1);
  CHECK(open[0].nights_looked == 0);
  for (int night = 0; night < 2; ++night) {
    open = retests_after(std::vector{looked_at(open.front(), Verdict::inconclusive, 40)}, thresholds);
    REQUIRE(open.size() == 1);
  }
  CHECK(retests_after(std::vector{looked_at(open.front(), Verdict::inconclusive, 40)}, thresholds).empty());
}

TEST_CASE("Retest queue: what no night has time for ends after thirty nights", "[detect]") {
  std::vector<Candidate> waiting = {candidate("a", 0.1)};
  for (int night = 1; night <= 30; ++night) {
    INFO(night);
    waiting = retests_after(std::vector{TestedCandidate{waiting.front(), false, {}, {}}}, Thresholds());
    REQUIRE(waiting.size() == 1);
  }
  CHECK(retests_after(std::vector{TestedCandidate{waiting.front(), false, {}, {}}}, Thresholds()).empty());
}

TEST_CASE("Retest queue: pairs of another machine are dropped, the candidate is not", "[detect]") {
  Candidate carried = candidate("a", 0.07);
  carried.pairs = {{1, 2}};
  const auto stripped = without_pairs(std::vector{carried});
  REQUIRE(stripped.size() == 1);
  CHECK(stripped[0].pairs.empty());
  CHECK(stripped[0].old_build == "monday");
}

TEST_CASE("Retest queue: a night with earlier pairs has its own first and most pairs", "[detect]") {
  Thresholds thresholds;
  thresholds.most_pairs = 20;
  // 20 pairs that could not be decided: around the threshold, and wide.
  std::vector<Pair> pairs;
  for (int i = 0; i < 20; ++i) pairs.push_back({100, i % 2 == 0 ? 116.0 : 98.0});
  CHECK(confirm(series("a"), pairs, thresholds).finding.verdict == Verdict::inconclusive);
  const auto begun = confirm(series("a"), pairs, thresholds, 20);
  CHECK(begun.finding.verdict == Verdict::suspect);
  CHECK(begun.pairs_wanted == thresholds.first_pairs);
  for (int i = 0; i < 20; ++i) pairs.push_back({100, i % 2 == 0 ? 116.0 : 98.0});
  CHECK(confirm(series("a"), pairs, thresholds, 20).pairs_wanted == 0);
  CHECK(confirm(series("a"), pairs, thresholds, 20).finding.pairs == 40);
}

TEST_CASE("Retest queue: the screen's pairs belong to the candidate of the same old build, for that night alone",
          "[detect]") {
  detect::Suspect suspect;
  suspect.finding.series = {"a", Configuration::cpu_train, Metric::time};
  suspect.finding.verdict = Verdict::suspect;
  suspect.finding.change = 0.1;
  suspect.old_build = "n1";
  suspect.pairs = {{100, 110}, {100, 111}};
  const auto fresh = candidates_of({&suspect, 1}, {}, "n2");
  REQUIRE(fresh.size() == 1);
  CHECK(fresh[0].screen_pairs.size() == 2);
  CHECK(fresh[0].pairs.empty());

  Candidate carried = fresh[0];
  carried.screen_pairs.clear();
  for (const auto& [old_build, counted] : {std::pair("n1", 2), std::pair("n0", 0)}) {
    carried.old_build = old_build;
    const auto again = candidates_of({&suspect, 1}, {&carried, 1}, "n3");
    REQUIRE(again.size() == 1);
    CHECK(again[0].screen_pairs.size() == static_cast<std::size_t>(counted));
  }

  detect::TestedCandidate waiting;
  waiting.candidate = fresh[0];
  const auto queued = retests_after({&waiting, 1}, {});
  REQUIRE(queued.size() == 1);
  CHECK(queued[0].screen_pairs.empty());
}

}  // namespace tbci::retest_queue_test
