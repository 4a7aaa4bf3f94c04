#include "detect/retest_queue.hpp"

#include "detect/confirm.hpp"
#include "tests/catch.hpp"

namespace tbci::retest_queue_test {

using tbci::detect::begun_anew;
using tbci::detect::carried_on;
using tbci::detect::confirm;
using tbci::detect::Outcome;
using tbci::detect::Pair;
using tbci::detect::Question;
using tbci::detect::questions_of;
using tbci::detect::Suspect;
using tbci::detect::Thresholds;
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

Question question(const std::string& benchmark, double suspected) {
  Question question;
  question.series = series(benchmark);
  question.old_build = "monday";
  question.suspected = suspected;
  question.first_suspect = "tuesday";
  return question;
}

Outcome looked_at(Question question, Verdict verdict, std::size_t pairs) {
  return {std::move(question), true, finding("x", 0.07, verdict), std::vector<Pair>(pairs, {100, 107})};
}

}  // namespace

TEST_CASE("Carry-over: tonight's suspects are asked, the worst first, in either direction", "[detect]") {
  const std::vector<Suspect> suspects = {{finding("a", 0.05), "tuesday"},
                                         {finding("b", -0.3), "tuesday"},
                                         {finding("c", 0.1), "monday"},
                                         {finding("d", 0.2, Verdict::clear), "tuesday"}};
  const auto questions = questions_of(suspects, {}, "wednesday");
  REQUIRE(questions.size() == 3);
  CHECK(questions[0].series == series("b"));
  CHECK(questions[1].series == series("c"));
  CHECK(questions[1].old_build == "monday");
  CHECK(questions[2].series == series("a"));
  CHECK(questions[2].first_suspect == "wednesday");
  CHECK(questions[2].pairs.empty());
}

TEST_CASE("Carry-over: a carried series is asked once, against its older build, with its pairs", "[detect]") {
  Question carried = question("a", 0.06);
  carried.pairs = {{100, 107}, {100, 106}};
  carried.nights_looked = 1;
  const auto alone = questions_of({}, std::vector{carried}, "wednesday");
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].old_build == "monday");
  const auto again = questions_of(std::vector<Suspect>{{finding("a", 0.2), "tuesday"}}, std::vector{carried}, "wed");
  REQUIRE(again.size() == 1);
  CHECK(again[0].old_build == "monday");
  CHECK(again[0].pairs.size() == 2);
  CHECK(again[0].nights_looked == 1);
  CHECK(again[0].first_suspect == "tuesday");
  CHECK(again[0].suspected == 0.2);  // what presses now
}

TEST_CASE("Carry-over: what waits becomes more pressing each night", "[detect]") {
  std::vector<Question> waiting = {question("small", 0.05)};
  const std::vector<Suspect> large = {{finding("large", 0.12), "tuesday"}};
  int nights = 0;
  while (questions_of(large, waiting, "x").front().series != series("small") && nights < 100) {
    waiting = carried_on(std::vector<Outcome>{{waiting.front(), false, {}, {}}}, {});
    ++nights;
  }
  CHECK(nights == 2);
}

TEST_CASE("Carry-over: the undecided goes on with all its pairs, the decided does not", "[detect]") {
  Question earlier = question("a", 0.06);
  earlier.pairs = std::vector<Pair>(40, {100, 106});
  earlier.nights_looked = 1;
  earlier.nights_waited = 2;
  const std::vector<Outcome> outcomes = {
      looked_at(earlier, Verdict::inconclusive, 30),
      looked_at(question("b", 0.1), Verdict::regression, 12),
      looked_at(question("c", 0.1), Verdict::clear, 12),
      looked_at(question("d", 0.1), Verdict::improvement, 12),
      looked_at(question("e", 0.1), Verdict::environment_changed, 12),
      looked_at(question("f", 0.1), Verdict::suspect, 5),        // stopped in the middle
      looked_at(question("g", 0.1), Verdict::inconclusive, 0)};  // no process gave a number
  const auto carried = carried_on(outcomes, {});
  REQUIRE(carried.size() == 2);
  CHECK(carried[0].series == series("a"));
  CHECK(carried[0].pairs.size() == 70);
  CHECK(carried[0].pairs.back().after == 107);
  CHECK(carried[0].nights_looked == 2);
  CHECK(carried[0].nights_waited == 0);
  CHECK(carried[1].series == series("f"));
}

TEST_CASE("Carry-over: after three nights it stays inconclusive; waiting does not count", "[detect]") {
  Thresholds thresholds;
  thresholds.most_nights = 3;
  std::vector<Question> open = {question("a", 0.07)};
  for (int night = 0; night < 5; ++night)
    open = carried_on(std::vector<Outcome>{{open.front(), false, {}, {}}}, thresholds);
  REQUIRE(open.size() == 1);
  CHECK(open[0].nights_looked == 0);
  for (int night = 0; night < 2; ++night) {
    open = carried_on(std::vector{looked_at(open.front(), Verdict::inconclusive, 40)}, thresholds);
    REQUIRE(open.size() == 1);
  }
  CHECK(carried_on(std::vector{looked_at(open.front(), Verdict::inconclusive, 40)}, thresholds).empty());
}

TEST_CASE("Carry-over: pairs of another machine are dropped, the question is not", "[detect]") {
  Question carried = question("a", 0.07);
  carried.pairs = {{1, 2}};
  const auto anew = begun_anew(std::vector{carried});
  REQUIRE(anew.size() == 1);
  CHECK(anew[0].pairs.empty());
  CHECK(anew[0].old_build == "monday");
}

TEST_CASE("Carry-over: a night with earlier pairs has its own first and most pairs", "[detect]") {
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

}  // namespace tbci::retest_queue_test
