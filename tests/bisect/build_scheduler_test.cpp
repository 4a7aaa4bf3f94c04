#include "bisect/build_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "bisect/commit_classes.hpp"
#include "tests/catch.hpp"

namespace tbci::build_scheduler_test {

using bisect::ClassState;
using bisect::next_builds;
using bisect::OpenStep;

namespace {

/// A search without noise: each build shows at once on which side of each culprit it lies.
class Board {
 public:
  Board(std::vector<std::size_t> culprits, std::size_t classes, std::set<std::size_t> broken = {})
      : culprits_(std::move(culprits)), broken_(std::move(broken)) {
    for (std::size_t i = 0; i < culprits_.size(); ++i) {
      OpenStep open_step{.good = 0,
                         .bad = classes - 1,
                         .states = std::vector<ClassState>(classes, ClassState::untried),
                         .weights = std::vector<double>(classes, 1.0)};
      open_step.states.front() = open_step.states.back() = ClassState::measured;
      open_steps.push_back(open_step);
    }
  }

  /// Builds until no step is open. Returns the number of builds.
  int play(std::size_t builders = 1) {
    while (true) {
      const auto builds = next_builds(open_steps, builders);
      if (builds.empty()) return static_cast<int>(built_.size());
      CHECK(builds.size() <= builders);
      ++rounds;
      for (std::size_t at : builds) {
        REQUIRE(built_.insert(at).second);  // never the same class twice, so it ends
        for (std::size_t i = 0; i < open_steps.size(); ++i) update(open_steps[i], culprits_[i], at);
      }
    }
  }

  std::vector<OpenStep> open_steps;
  int rounds = 0;

 private:
  void update(OpenStep& open_step, std::size_t culprit, std::size_t at) const {
    if (broken_.count(at) != 0) {
      open_step.states[at] = ClassState::lost;
      return;
    }
    if (open_step.builds_left > 0) --open_step.builds_left;
    if (at <= open_step.good || at >= open_step.bad) return;
    open_step.states[at] = ClassState::measured;
    (at < culprit ? open_step.good : open_step.bad) = at;
  }

  std::vector<std::size_t> culprits_;
  std::set<std::size_t> broken_, built_;
};

}  // namespace

TEST_CASE("Build scheduler: 70 commits take at most 7 builds, wherever the culprit is", "[bisect]") {
  double sum = 0;
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    Board board({culprit}, 71);
    const int builds = board.play();
    CHECK(builds <= 7);
    CHECK(board.open_steps[0].good + 1 == culprit);
    CHECK(board.open_steps[0].bad == culprit);
    sum += builds;
  }
  CHECK(sum / 70 < 6.2);  // of 70 leaves 58 lie 6 deep and 12 lie 7 deep: 6.17
}

TEST_CASE("Build scheduler: four builders leave a fifth after each round", "[bisect]") {
  double rounds = 0;
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    Board board({culprit}, 71);
    board.play(4);
    CHECK(board.rounds <= 3);
    rounds += board.rounds;
  }
  CHECK(rounds / 70 <= 3.0);
  const auto first = next_builds(Board({1}, 71).open_steps, 4);
  REQUIRE(first.size() == 4);
  std::size_t before = 0;
  for (std::size_t at : first) {  // the information is flat near its maximum: a class or two to either side
    CHECK(at - before >= 12);
    CHECK(at - before <= 16);
    before = at;
  }
}

TEST_CASE("Build scheduler: four builders split both of two open steps", "[bisect]") {
  Board board({3, 60}, 71);
  for (OpenStep& open_step : board.open_steps) open_step.states[35] = ClassState::measured;
  board.open_steps[0].bad = 35;
  board.open_steps[1].good = 35;
  const auto builds = next_builds(board.open_steps, 4);
  REQUIRE(builds.size() == 4);
  CHECK(std::ranges::count_if(builds, [](std::size_t at) { return at < 35; }) == 2);
}

TEST_CASE("Build scheduler: it estimates the number of builds", "[bisect]") {
  CHECK(bisect::most_builds_of(71) == 7);
  CHECK(bisect::most_builds_of(65) == 6);
  CHECK(bisect::most_builds_of(2) == 0);
  CHECK(bisect::expected_builds(Board({1}, 71).open_steps) == 7);
  CHECK(bisect::expected_builds(Board({1, 2, 3}, 71).open_steps) == 7);  // one open step until they differ
  CHECK(bisect::expected_builds(Board({1}, 2).open_steps) == 0);
}

TEST_CASE("Build scheduler: a stretch that does not build leaves exactly the suspects that it hides", "[bisect]") {
  constexpr std::size_t classes = 24;
  for (std::size_t first = 1; first < classes - 1; ++first) {
    for (std::size_t last = first; last < classes - 1; ++last) {
      std::set<std::size_t> broken;
      for (std::size_t i = first; i <= last; ++i) broken.insert(i);
      for (std::size_t culprit = 1; culprit < classes; ++culprit) {
        Board board({culprit}, classes, broken);
        board.play();
        const bool hidden = culprit >= first && culprit <= last + 1;
        CHECK(board.open_steps[0].good + 1 == (hidden ? first : culprit));
        CHECK(board.open_steps[0].bad == (hidden ? last + 1 : culprit));
      }
    }
  }
}

TEST_CASE("Build scheduler: it avoids the neighbours of classes that do not build", "[bisect]") {
  Board board({50}, 71);
  const std::size_t first = next_builds(board.open_steps, 1).front();
  board.open_steps[0].states[first] = ClassState::lost;
  for (std::size_t next : next_builds(board.open_steps, 4))
    CHECK(std::abs(static_cast<int>(next) - static_cast<int>(first)) >= 2);
}

TEST_CASE("Build scheduler: a long broken stretch costs few builds where the culprit is elsewhere", "[bisect]") {
  std::set<std::size_t> broken;
  for (std::size_t i = 25; i <= 45; ++i) broken.insert(i);
  for (std::size_t culprit : {3U, 24U, 47U, 66U}) {
    Board board({culprit}, 71, broken);
    CHECK(board.play() <= 14);
    CHECK(board.open_steps[0].bad == culprit);
  }
}

TEST_CASE("Build scheduler: if nothing builds, each class is tried once and all stay suspects", "[bisect]") {
  std::set<std::size_t> broken;
  for (std::size_t i = 1; i < 11; ++i) broken.insert(i);
  Board board({4, 9}, 12, broken);
  CHECK(board.play() == 10);
  CHECK(board.open_steps[1].good == 0);
  CHECK(board.open_steps[1].bad == 11);
}

TEST_CASE("Build scheduler: several culprits share their builds", "[bisect]") {
  int together = 0, alone = 0;
  for (std::size_t a = 1; a <= 70; a += 3) {
    for (std::size_t b = 1; b <= 70; b += 3) {
      together += Board({a, b}, 71).play();
      alone += Board({a}, 71).play() + Board({b}, 71).play();
    }
  }
  // Expected for two culprits: 12.3 builds alone, 10.4 together.
  CHECK(together / (24.0 * 24.0) < 10.6);
  CHECK(alone / (24.0 * 24.0) > 12);
}

TEST_CASE("Build scheduler: a prior pulls the builds towards its commit", "[bisect]") {
  Board board({20}, 71);
  for (std::size_t at = 1; at < 71; ++at) board.open_steps[0].weights[at] = at == 20 ? 50 : 1;
  CHECK(board.play() <= 3);
}

TEST_CASE("Build scheduler: no prior exceeds the limit on builds", "[bisect]") {
  for (std::size_t believed : {1U, 2U, 35U, 69U, 70U}) {
    for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
      Board board({culprit}, 71);
      for (std::size_t at = 1; at < 71; ++at)  // far steeper than any prior of bisect/prior.hpp
        board.open_steps[0].weights[at] = std::exp2(-std::abs(static_cast<double>(at) - static_cast<double>(believed)));
      board.open_steps[0].builds_left = 9;
      CHECK(board.play() <= 9);
      CHECK(board.open_steps[0].bad == culprit);
    }
  }
}

TEST_CASE("Build scheduler: nothing is built once all classes are known", "[bisect]") {
  CHECK(next_builds({}, 3).empty());
  CHECK(next_builds(Board({1}, 2).open_steps, 3).empty());
}

TEST_CASE("Commit classes: commits with equal inputs form one class, a commit without a hash forms its own",
          "[bisect]") {
  std::vector<model::Commit> commits(6);
  commits[0].inputs = commits[1].inputs = "a";
  commits[2].inputs = commits[3].inputs = "b";
  const auto classes = bisect::classes_of(commits);
  REQUIRE(classes.size() == 4);
  CHECK(classes[1].commits == std::vector<std::size_t>{2, 3});
  CHECK(classes[3].commits == std::vector<std::size_t>{5});
}

}  // namespace tbci::build_scheduler_test
