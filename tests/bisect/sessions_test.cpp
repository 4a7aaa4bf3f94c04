// The readings of the good end that a search compares with each other. Belongs to series_search.
#include "bisect/series_search.hpp"

#include "tests/bisect/watched_bisection.hpp"
#include "tests/catch.hpp"

namespace tbci::sessions_test {

using namespace tbci::bisect;
using namespace tbci::test;

TEST_CASE("Sessions: where the bad end is a commit that came again, the good end's readings count once", "[bisect]") {
  FakeDay day;
  day.commits = 4;
  day.reverts = {{2, 0}, {3, 1}};  // landed, reverted, landed again
  day.noise = 0.01;
  const auto commits = commits_of(day);
  const CommitClasses classes(commits);
  REQUIRE(classes.binary_of(classes.last()) == 1);
  FakeProber prober(day);
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) REQUIRE(prober.build(commits[at], {}));
  RecordingObserver observer;
  SearchStatus status;
  Measurements measurements(commits, prober, observer, status, {});
  const model::Series series = dlrm_memory;
  for (int pair = 0; pair < 3; ++pair)
    REQUIRE(measurements.add_pair({.reference = 0, .probe = 1, .measured = series.measured_case()}, {series}));
  const SearchSettings settings;
  const auto sessions = SeriesSearch(classes, series, settings).sessions(measurements);
  REQUIRE(sessions.size() == 1);
  CHECK(sessions.front().size() == 3);
}

}  // namespace tbci::sessions_test
