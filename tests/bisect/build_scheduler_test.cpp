#include "bisect/build_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::build_scheduler_test {

using bisect::ClassState;
using bisect::next_builds;
using bisect::Question;

namespace {

/// Readings without noise: each build says at once on which side of each culprit it lies.
class Board {
 public:
  Board(std::vector<std::size_t> culprits, std::size_t classes, std::set<std::size_t> broken = {})
      : culprits_(std::move(culprits)), broken_(std::move(broken)) {
    for (std::size_t i = 0; i < culprits_.size(); ++i) {
      Question question{0, classes - 1, std::vector<ClassState>(classes, ClassState::untried),
                        std::vector<double>(classes, 1.0), 0};
      question.states.front() = question.states.back() = ClassState::measured;
      questions.push_back(question);
    }
  }

  /// Builds until nothing is open. Gives the number of builds.
  int play(std::size_t builders = 1) {
    while (true) {
      const auto builds = next_builds(questions, builders);
      if (builds.empty()) return static_cast<int>(built_.size());
      CHECK(builds.size() <= builders);
      ++rounds;
      for (std::size_t at : builds) {
        REQUIRE(built_.insert(at).second);  // nothing twice, so it ends
        for (std::size_t i = 0; i < questions.size(); ++i) tell(questions[i], culprits_[i], at);
      }
    }
  }

  std::vector<Question> questions;
  int rounds = 0;

 private:
  void tell(Question& question, std::size_t culprit, std::size_t at) const {
    if (broken_.count(at) != 0) {
      question.states[at] = ClassState::lost;
      return;
    }
    if (question.builds_left > 0) --question.builds_left;
    if (at <= question.good || at >= question.bad) return;
    question.states[at] = ClassState::measured;
    (at < culprit ? question.good : question.bad) = at;
  }

  std::vector<std::size_t> culprits_;
  std::set<std::size_t> broken_, built_;
};

}  // namespace

TEST_CASE("Search: 70 commits take at most 7 builds, wherever the culprit is", "[bisect]") {
  double sum = 0;
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    Board board({culprit}, 71);
    const int builds = board.play();
    CHECK(builds <= 7);
    CHECK(board.questions[0].good + 1 == culprit);
    CHECK(board.questions[0].bad == culprit);
    sum += builds;
  }
  CHECK(sum / 70 < 6.2);  // of 70 leaves 58 lie 6 deep and 12 lie 7 deep: 6.17
}

TEST_CASE("Search: with four builders a fifth is left after each round", "[bisect]") {
  double rounds = 0;
  for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
    Board board({culprit}, 71);
    board.play(4);
    CHECK(board.rounds <= 3);
    rounds += board.rounds;
  }
  CHECK(rounds / 70 <= 3.0);
  const auto first = next_builds(Board({1}, 71).questions, 4);
  REQUIRE(first.size() == 4);
  std::size_t before = 0;
  for (std::size_t at : first) {  // the sum of what is told is flat about its top: a class or two to either side
    CHECK(at - before >= 12);
    CHECK(at - before <= 16);
    before = at;
  }
}

TEST_CASE("Search: of two questions four builders split both", "[bisect]") {
  Board board({3, 60}, 71);
  for (Question& question : board.questions) question.states[35] = ClassState::measured;
  board.questions[0].bad = 35;
  board.questions[1].good = 35;
  const auto builds = next_builds(board.questions, 4);
  REQUIRE(builds.size() == 4);
  CHECK(std::count_if(builds.begin(), builds.end(), [](std::size_t at) { return at < 35; }) == 2);
}

TEST_CASE("Search: expects as many builds as it takes", "[bisect]") {
  CHECK(bisect::most_builds_of(71) == 7);
  CHECK(bisect::most_builds_of(65) == 6);
  CHECK(bisect::most_builds_of(2) == 0);
  CHECK(bisect::expected_builds(Board({1}, 71).questions) == 7);
  CHECK(bisect::expected_builds(Board({1, 2, 3}, 71).questions) == 7);  // one question until they part
  CHECK(bisect::expected_builds(Board({1}, 2).questions) == 0);
}

TEST_CASE("Search: any stretch that does not build leaves exactly the suspects it hides", "[bisect]") {
  constexpr std::size_t classes = 24;
  for (std::size_t first = 1; first < classes - 1; ++first) {
    for (std::size_t last = first; last < classes - 1; ++last) {
      std::set<std::size_t> broken;
      for (std::size_t i = first; i <= last; ++i) broken.insert(i);
      for (std::size_t culprit = 1; culprit < classes; ++culprit) {
        Board board({culprit}, classes, broken);
        board.play();
        const bool hidden = culprit >= first && culprit <= last + 1;
        CHECK(board.questions[0].good + 1 == (hidden ? first : culprit));
        CHECK(board.questions[0].bad == (hidden ? last + 1 : culprit));
      }
    }
  }
}

TEST_CASE("Search: keeps two away from what does not build while it can", "[bisect]") {
  Board board({50}, 71);
  const std::size_t first = next_builds(board.questions, 1).front();
  board.questions[0].states[first] = ClassState::lost;
  for (std::size_t next : next_builds(board.questions, 4))
    CHECK(std::abs(static_cast<int>(next) - static_cast<int>(first)) >= 2);
}

TEST_CASE("Search: a long broken stretch costs few builds where the culprit is elsewhere", "[bisect]") {
  std::set<std::size_t> broken;
  for (std::size_t i = 25; i <= 45; ++i) broken.insert(i);
  for (std::size_t culprit : {3U, 24U, 47U, 66U}) {
    Board board({culprit}, 71, broken);
    CHECK(board.play() <= 14);
    CHECK(board.questions[0].bad == culprit);
  }
}

TEST_CASE("Search: where nothing builds each class is tried once and all stay suspects", "[bisect]") {
  std::set<std::size_t> broken;
  for (std::size_t i = 1; i < 11; ++i) broken.insert(i);
  Board board({4, 9}, 12, broken);
  CHECK(board.play() == 10);
  CHECK(board.questions[1].good == 0);
  CHECK(board.questions[1].bad == 11);
}

TEST_CASE("Search: several culprits share builds", "[bisect]") {
  int together = 0, alone = 0;
  for (std::size_t a = 1; a <= 70; a += 3) {
    for (std::size_t b = 1; b <= 70; b += 3) {
      together += Board({a, b}, 71).play();
      alone += Board({a}, 71).play() + Board({b}, 71).play();
    }
  }
  // The research notes' figures for two culprits: 12.3 alone, 10.4 together.
  CHECK(together / (24.0 * 24.0) < 10.6);
  CHECK(alone / (24.0 * 24.0) > 12);
}

TEST_CASE("Search: a prior draws the builds to what it points at", "[bisect]") {
  Board board({20}, 71);
  for (std::size_t at = 1; at < 71; ++at) board.questions[0].weights[at] = at == 20 ? 50 : 1;
  CHECK(board.play() <= 3);
}

TEST_CASE("Search: no prior costs more than its bound of builds", "[bisect]") {
  for (std::size_t believed : {1U, 2U, 35U, 69U, 70U}) {
    for (std::size_t culprit = 1; culprit <= 70; ++culprit) {
      Board board({culprit}, 71);
      for (std::size_t at = 1; at < 71; ++at)  // as steep as it gets, far beyond what bisect/prior.hpp gives
        board.questions[0].weights[at] = std::exp2(-std::abs(static_cast<double>(at) - static_cast<double>(believed)));
      board.questions[0].builds_left = 9;
      CHECK(board.play() <= 9);
      CHECK(board.questions[0].bad == culprit);
    }
  }
}

TEST_CASE("Search: nothing is built where all classes are known", "[bisect]") {
  CHECK(next_builds({}, 3).empty());
  CHECK(next_builds(Board({1}, 2).questions, 3).empty());
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

}  // namespace tbci::build_scheduler_test
