// Searches for breaks, on days in memory.
#include "bisect/break_search.hpp"

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/fakes/prober.hpp"

namespace tbci::break_search_test {

using model::Series;
using test::id_of;

namespace {

const Series broken{"dlrm", model::Configuration::cpu_train, model::Metric::outcome};

/// Days of which the processes fail with one share before the break, and with another from it on.
class BreakingProber final : public bisect::Prober {
 public:
  struct Day {
    std::size_t broken_at = 40, repaired_at = 1000;
    double broken_share = 1, chance_share = 0;
    std::set<std::size_t> unbuildable, untestable;
    unsigned seed = 1;
  };
  explicit BreakingProber(Day day) : day_(std::move(day)), random_(day_.seed) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token) override {
    built.insert(commit.id);
    if (day_.unbuildable.contains(index_of(commit))) return bisect::Built{false, "a.cpp:1:1: error: no"};
    return bisect::Built{true, ""};
  }
  Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit&, const model::Commit&, const model::Case&,
                                                      int, std::stop_token) override {
    return fail(ErrorKind::usage, "a break has no pairs");
  }
  Result<std::map<Series, double>> measure_process(const model::Commit& commit, const model::Case&, int ordinal,
                                                   std::stop_token) override {
    const std::size_t at = index_of(commit);
    const auto key = std::pair(at, ordinal);
    if (!kept_.contains(key)) {
      ++tried;
      const bool is_broken = at >= day_.broken_at && at < day_.repaired_at;
      kept_[key] =
          std::uniform_real_distribution<>(0, 1)(random_) < (is_broken ? day_.broken_share : day_.chance_share);
    }
    if (kept_[key]) return fail(ErrorKind::failed, "crashed: killed by SIGSEGV");
    return std::map<Series, double>{};
  }
  Result<bisect::Trial> try_case(const model::Commit& commit, const model::Case& measured, int ordinal,
                                 std::stop_token stop) override {
    if (day_.untestable.contains(index_of(commit))) return bisect::Trial{false, "the worker does not build", true};
    return Prober::try_case(commit, measured, ordinal, stop);
  }

  std::set<std::string> built;
  int tried = 0;

 private:
  static std::size_t index_of(const model::Commit& commit) {
    return std::stoul(commit.id.substr(30), nullptr, 16) - 0xabc000;
  }
  Day day_;
  std::mt19937_64 random_;
  std::map<std::pair<std::size_t, int>, bool> kept_;
};

model::Answer search(BreakingProber& prober, const test::FakeDay& commits = {}) {
  bisect::Observer observer;
  const auto answers = bisect::bisect_breaks(test::commits_of(commits), {broken}, {}, prober, observer, {});
  REQUIRE(answers);
  return answers->at(0);
}

}  // namespace

TEST_CASE("Break search: thirty breaks have thirty exact culprits, at 0, 1 and 3% crashes a process", "[bisect]") {
  for (const double share : {0.0, 0.01, 0.03}) {
    int exact = 0, tried = 0;
    for (unsigned night = 1; night <= 30; ++night) {
      const std::size_t culprit = 1 + (night * 37) % 70;
      BreakingProber prober(
          {.broken_at = culprit, .chance_share = share, .unbuildable = {}, .untestable = {}, .seed = night});
      const auto answer = search(prober);
      INFO("night " << night << ", " << share << " crashes: " << answer.reason);
      CHECK(answer.suspects == std::vector<std::string>{id_of(culprit)});
      CHECK(answer.posterior >= 0.999);
      CHECK(prober.built.size() <= 2 + 7);
      exact += answer.suspects == std::vector<std::string>{id_of(culprit)} ? 1 : 0;
      tried += prober.tried;
    }
    CHECK(exact == 30);
    CHECK(tried < 30 * 50);
  }
}

TEST_CASE("Break search: a crash of 30% of the processes accuses no wrong commit", "[bisect]") {
  int exact = 0;
  for (unsigned night = 1; night <= 100; ++night) {
    const std::size_t culprit = 1 + (night * 37) % 70;
    BreakingProber prober({.broken_at = culprit,
                           .broken_share = 0.3,
                           .chance_share = 0.01,
                           .unbuildable = {},
                           .untestable = {},
                           .seed = night});
    const auto answer = search(prober);
    INFO("night " << night << ": " << answer.reason);
    // No culprit is an answer; another commit is a wrong one.
    if (!answer.suspects.empty()) CHECK(answer.suspects == std::vector<std::string>{id_of(culprit)});
    exact += answer.suspects == std::vector<std::string>{id_of(culprit)} ? 1 : 0;
  }
  CHECK(exact >= 97);
}

TEST_CASE("Break search: commits that do not build, or cannot be tried, make a set of suspects", "[bisect]") {
  BreakingProber prober({.broken_at = 40, .unbuildable = {39}, .untestable = {38}});
  const auto answer = search(prober);
  CHECK(answer.suspects == std::vector<std::string>{id_of(38), id_of(39), id_of(40)});
  CHECK(answer.reason.find("the worker does not build") != std::string::npos);
  CHECK(answer.change == 1);
}

TEST_CASE("Break search: documents share a build with the commit before them and are not suspects", "[bisect]") {
  BreakingProber prober({.broken_at = 40, .unbuildable = {}, .untestable = {}});
  test::FakeDay day;
  day.documents = {38, 39, 41};
  CHECK(search(prober, day).suspects == std::vector<std::string>{id_of(40)});
}

TEST_CASE("Break search: source builds that all run, or all fail, have no culprit and say so", "[bisect]") {
  BreakingProber runs({.broken_at = 1000, .unbuildable = {}, .untestable = {}});
  const auto none = search(runs);
  CHECK(none.suspects.empty());
  CHECK(none.reason.find("the source builds do not differ") == 0);
  CHECK(runs.built.size() == 2);
  BreakingProber fails({.broken_at = 0, .unbuildable = {}, .untestable = {}});
  const auto both = search(fails);
  CHECK(both.suspects.empty());
  CHECK(both.reason.find("the source build of the good end fails as well") == 0);
  CHECK(both.reason.find("SIGSEGV") != std::string::npos);
}

TEST_CASE("Break search: a case that was broken, repaired and broken again has a commit that broke it", "[bisect]") {
  // Broken at 20, repaired at 45; the ends of the range: broken again at 60.
  class Twice final : public bisect::Prober {
   public:
    Result<bisect::Built> build(const model::Commit&, std::stop_token) override { return bisect::Built{true, ""}; }
    Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit&, const model::Commit&, const model::Case&,
                                                        int, std::stop_token) override {
      return fail(ErrorKind::usage, "a break has no pairs");
    }
    Result<std::map<Series, double>> measure_process(const model::Commit& commit, const model::Case&, int,
                                                     std::stop_token) override {
      const std::size_t at = std::stoul(commit.id.substr(30), nullptr, 16) - 0xabc000;
      if ((at >= 20 && at < 45) || at >= 60) return fail(ErrorKind::failed, "killed by SIGSEGV");
      return std::map<Series, double>{};
    }
  } prober;
  bisect::Observer observer;
  const auto answers = bisect::bisect_breaks(test::commits_of({}), {broken}, {}, prober, observer, {});
  REQUIRE(answers);
  REQUIRE(answers->at(0).suspects.size() == 1);
  const std::string culprit = answers->at(0).suspects.front();
  CHECK((culprit == id_of(20) || culprit == id_of(60)));
}

TEST_CASE("Break search: it goes the same way again with the answers that are kept", "[bisect]") {
  BreakingProber prober(
      {.broken_at = 33, .broken_share = 0.5, .chance_share = 0.03, .unbuildable = {}, .untestable = {}});
  const auto first = search(prober);
  const int tried = prober.tried;
  const auto again = search(prober);
  CHECK(again.suspects == first.suspects);
  CHECK(again.posterior == first.posterior);
  CHECK(prober.tried == tried);
}

TEST_CASE("Break search: of a long stretch that does not build it tries the edges and a few inside", "[bisect]") {
  test::FakeDay commits;
  commits.commits = 300;
  BreakingProber::Day day;
  day.broken_at = 150;
  for (std::size_t at = 40; at < 240; ++at) day.unbuildable.insert(at);
  BreakingProber prober(day);
  const auto answer = search(prober, commits);
  CHECK(answer.suspects.size() == 201);
  CHECK(answer.suspects.front() == id_of(40));
  CHECK(answer.suspects.back() == id_of(240));
  CHECK(prober.built.size() <= 32);  // with the ends
  CHECK(answer.reason.starts_with("200 commits before "));
  CHECK(answer.reason.find(" were tried; ") != std::string::npos);
}

}  // namespace tbci::break_search_test
