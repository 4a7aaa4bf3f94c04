// `[report] without_culprit`: what is delivered where no commit was found. Belongs to reporting.
#include <utility>

#include "pipeline/night/regression_decisions.hpp"
#include "pipeline/night/waiting_nights.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::without_culprit_test {

using namespace tbci::test;

namespace {

/// beta is slower from night 6 on, and no search can find the commit.
struct Unfound : Nights {
  explicit Unfound(bool without_culprit) : Nights(16) {
    bench->config().report.without_culprit = without_culprit;
    machine.slower["beta"] = {{6 * commits_a_day - 1, 1.25}};
    repository = std::exchange(where(), "");
    check_all(1, 6);
  }
  std::string& where() { return bench->config().subjects.front().source.repository; }
  model::Report report() {
    const auto all = bench->stores().reports.list("fake", 9).value();
    REQUIRE(all.size() == 1);
    return all.front();
  }
  std::size_t deliveries() { return bench->stores().reports.deliveries(report().id).value().size(); }

  std::string repository;
};

}  // namespace

TEST_CASE("Without culprit: a report is delivered, unless the configuration wants a commit", "[nights]") {
  Unfound usual(true);
  CHECK(usual.report().culprits.empty());
  CHECK(usual.deliveries() == usual.bench->config().report.channels.size());
  Unfound strict(false);
  CHECK(strict.report().culprits.empty());
  CHECK(strict.deliveries() == 0);
}

TEST_CASE("Without culprit: what is kept stays so on the nights after it", "[nights]") {
  Unfound strict(false);
  const int revision = strict.report().revision;
  strict.check(7);
  CHECK(strict.report().revision > revision);
  CHECK(strict.deliveries() == 0);
}

TEST_CASE("Without culprit: what waited for its commit is delivered when a search finds it", "[nights]") {
  Unfound nights(false);
  nights.where() = nights.repository;
  REQUIRE(pipeline::search_again(nights.bench->stores(), nights.report().id).value() == 1);
  const auto searched = pipeline::search_waiting_night(nights.bench->context());
  REQUIRE(searched);
  REQUIRE(searched->worked);
  CHECK(nights.report().culprits == std::vector{nights.commit(6 * commits_a_day - 1)});
  CHECK(nights.deliveries() == nights.bench->config().report.channels.size());
}

}  // namespace tbci::without_culprit_test
