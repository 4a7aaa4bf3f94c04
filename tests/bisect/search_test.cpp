#include "bisect/search.hpp"

#include <cmath>
#include <set>
#include <vector>

#include "tests/catch.hpp"

using namespace tbci;
using bisect::Interval;
using bisect::Knowledge;
using model::Side;

namespace {

/// Plays the builds: `culprits` one per row, `broken` classes do not build. Gives the number of builds.
int play(Knowledge& knowledge, const std::vector<std::size_t>& culprits, const std::set<std::size_t>& broken) {
  int builds = 0;
  std::set<std::size_t> built;
  while (const auto at = bisect::next(knowledge)) {
    REQUIRE(built.insert(*at).second);  // nothing twice, so it ends
    ++builds;
    for (std::size_t row = 0; row < culprits.size(); ++row) {
      Side side = *at < culprits[row] ? Side::good : Side::bad;
      if (broken.count(*at) != 0) side = Side::unbuildable;
      knowledge.rows[row][*at] = side;
    }
  }
  return builds;
}

std::vector<std::size_t> range(std::size_t first, std::size_t last) {
  std::vector<std::size_t> all;
  for (std::size_t i = first; i <= last; ++i) all.push_back(i);
  return all;
}

}  // namespace

TEST_CASE("Search: 70 commits take at most 7 builds, wherever the culprit is", "[bisect]") {
  double sum = 0;
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    Knowledge knowledge = bisect::nothing_known(1, 71);
    const int builds = play(knowledge, {culprit}, {});
    CHECK(builds <= 7);
    CHECK(bisect::suspects(knowledge.rows[0]) == std::vector<std::size_t>{culprit});
    sum += builds;
  }
  CHECK(sum / 70 < 6.3);  // log2(70) = 6.13
}

TEST_CASE("Search: expects as many builds as it takes", "[bisect]") {
  CHECK(bisect::expected_builds(bisect::nothing_known(1, 71)) == 7);
  CHECK(bisect::expected_builds(bisect::nothing_known(3, 71)) == 7);  // one question until they part
  CHECK(bisect::expected_builds(bisect::nothing_known(1, 2)) == 0);
}

TEST_CASE("Search: any stretch that does not build leaves exactly the suspects it hides", "[bisect]") {
  constexpr std::size_t classes = 24;
  for (std::size_t first = 1; first < classes - 1; ++first) {
    for (std::size_t last = first; last < classes - 1; ++last) {
      std::set<std::size_t> broken;
      for (std::size_t i = first; i <= last; ++i) broken.insert(i);
      for (std::size_t culprit = 1; culprit < classes; ++culprit) {
        Knowledge knowledge = bisect::nothing_known(1, classes);
        play(knowledge, {culprit}, broken);
        const bool hidden = culprit >= first && culprit <= last + 1;
        const auto expected = hidden ? range(first, last + 1) : range(culprit, culprit);
        CHECK(bisect::suspects(knowledge.rows[0]) == expected);
      }
    }
  }
}

TEST_CASE("Search: keeps two away from what does not build while it can", "[bisect]") {
  Knowledge knowledge = bisect::nothing_known(1, 71);
  const std::size_t first = *bisect::next(knowledge);
  knowledge.rows[0][first] = Side::unbuildable;
  const std::size_t second = *bisect::next(knowledge);
  CHECK(std::abs(static_cast<int>(second) - static_cast<int>(first)) >= 2);
}

TEST_CASE("Search: a long broken stretch costs few builds where the culprit is elsewhere", "[bisect]") {
  std::set<std::size_t> broken;
  for (std::size_t i = 25; i <= 45; ++i) broken.insert(i);
  for (std::size_t culprit : {3U, 24U, 47U, 66U}) {
    Knowledge knowledge = bisect::nothing_known(1, 71);
    CHECK(play(knowledge, {culprit}, broken) <= 14);
    CHECK(bisect::suspects(knowledge.rows[0]) == std::vector<std::size_t>{culprit});
  }
}

TEST_CASE("Search: where nothing builds each class is tried once and all stay suspects", "[bisect]") {
  Knowledge knowledge = bisect::nothing_known(2, 12);
  std::set<std::size_t> broken;
  for (std::size_t i = 1; i < 11; ++i) broken.insert(i);
  CHECK(play(knowledge, {4, 9}, broken) == 10);
  CHECK(bisect::suspects(knowledge.rows[1]) == range(1, 11));
}

TEST_CASE("Search: several culprits share builds", "[bisect]") {
  int together = 0, alone = 0;
  for (std::size_t a = 1; a <= 70; a += 3) {
    for (std::size_t b = 1; b <= 70; b += 3) {
      Knowledge both = bisect::nothing_known(2, 71), first = bisect::nothing_known(1, 71), second = first;
      together += play(both, {a, b}, {});
      alone += play(first, {a}, {}) + play(second, {b}, {});
      CHECK(bisect::suspects(both.rows[0]) == std::vector<std::size_t>{a});
      CHECK(bisect::suspects(both.rows[1]) == std::vector<std::size_t>{b});
    }
  }
  // The research notes' figures for two culprits: 12.3 alone, 10.4 together.
  CHECK(together / (24.0 * 24.0) < 10.6);
  CHECK(alone / (24.0 * 24.0) > 12);
}

TEST_CASE("Search: the interval is the first step from good to bad", "[bisect]") {
  const std::vector<Side> row = {Side::good, Side::unknown, Side::bad, Side::good, Side::unbuildable, Side::bad};
  CHECK(bisect::interval_of(row) == Interval{0, 2});
  CHECK(bisect::is_open(row));
}

TEST_CASE("Search: commits with equal inputs are one class, those without a hash stand alone", "[bisect]") {
  std::vector<model::Commit> commits(6);
  commits[0].inputs = commits[1].inputs = "a";
  commits[2].inputs = commits[3].inputs = "b";
  const auto classes = bisect::classes_of(commits);
  REQUIRE(classes.size() == 4);
  CHECK(classes[1].commits == std::vector<std::size_t>{2, 3});
  CHECK(classes[3].commits == std::vector<std::size_t>{5});
}
