// Searches of numbers that do not vary, such as the size of a file.
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bisect/bisection.hpp"
#include "tests/bisect/watched_bisection.hpp"
#include "tests/catch.hpp"

namespace tbci::exact_search_test {

using model::Series;
using test::dlrm;
using test::id_of;
using test::ids;

namespace {

/// A number for each commit. Counts what it is asked for; `reading` may spoil the n-th reading of a commit.
class NumberProber final : public bisect::Prober {
 public:
  explicit NumberProber(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token) override {
    builds.insert(index_of(commit));
    return bisect::Built{true, ""};
  }
  Result<std::map<Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                      const model::Case&, int, std::stop_token) override {
    const double before = read(reference);
    return std::map<Series, detect::Pair>{{dlrm, {before, read(probe)}}};
  }
  Result<std::map<Series, double>> measure_process(const model::Commit& commit, const model::Case&, int,
                                                   std::stop_token) override {
    return std::map<Series, double>{{dlrm, read(commit)}};
  }

  std::function<double(std::size_t at, int nth, double number)> reading;
  std::set<std::size_t> builds;
  std::map<std::size_t, int> readings;
  int processes = 0;

  /// Those with the number of the commit before touch nothing that is compiled.
  std::vector<model::Commit> commits() const {
    test::FakeDay day;
    day.commits = numbers_.size();
    for (std::size_t at = 1; at < numbers_.size(); ++at) {
      if (numbers_[at] == numbers_[at - 1]) day.documents.insert(at);
    }
    return test::commits_of(day);
  }

 private:
  static std::size_t index_of(const model::Commit& commit) {
    return std::stoul(commit.id.substr(30), nullptr, 16) - 0xabc000;
  }
  double read(const model::Commit& commit) {
    ++processes;
    const std::size_t at = index_of(commit);
    const int nth = readings[at]++;
    return reading ? reading(at, nth, numbers_[at]) : numbers_[at];
  }

  std::vector<double> numbers_;
};

/// Bytes of a file over a day's commits: those of `steps` change it by a share, of the others one in `one_in` adds or
/// removes a few.
std::vector<double> sizes(std::size_t commits, const std::map<std::size_t, double>& steps, unsigned one_in = 1) {
  std::mt19937 random(3);
  double size = 151224;
  std::vector<double> all = {size};
  for (std::size_t at = 1; at < commits; ++at) {
    const auto step = steps.find(at);
    if (step != steps.end()) {
      size = std::round(size * (1 + step->second));
    } else if (at % one_in == 0) {
      size += 8.0 * static_cast<double>(random() % 4) - 12;
    }
    all.push_back(size);
  }
  return all;
}

Result<model::Answer> search(NumberProber& prober, const bisect::SearchSettings& settings) {
  test::RecordingObserver observer;
  TBCI_ASSIGN(auto answers, bisect::bisect(prober.commits(), {dlrm}, settings, prober, observer, {}));
  return answers.at(0);
}

bisect::SearchSettings unchecked() {
  bisect::SearchSettings settings;
  settings.exact_check_pairs = 0;
  return settings;
}

}  // namespace

TEST_CASE("Exact search: four steps of 280 commits are named in at most 30 processes, with their exact changes",
          "[bisect]") {
  const std::map<std::size_t, double> steps = {{37, 0.043}, {104, -0.019}, {188, 0.016}, {251, 0.029}};
  const std::vector<double> numbers = sizes(281, steps, 3);  // the others touch documents and tests
  NumberProber prober(numbers);
  const auto answer = search(prober, unchecked());
  REQUIRE(answer);
  INFO(prober.builds.size() << " builds, " << prober.processes << " processes");
  REQUIRE(answer->steps.size() == 4);
  auto step = steps.begin();
  for (const model::FoundStep& found : answer->steps) {
    const std::size_t at = (step++)->first;
    CHECK(found.suspects == ids(at, at));
    const double change = numbers[at] / numbers[at - 1] - 1;  // commit and parent: nothing in between
    CHECK(found.change == test::Approx(change).epsilon(1e-9));
    CHECK(found.low == found.change);
    CHECK(found.high == found.change);
    CHECK(found.posterior == 1);
    CHECK(found.repair == (change < 0));
  }
  CHECK(answer->suspects == ids(37, 37));
  CHECK(answer->reason.empty());
  CHECK(prober.processes <= 30);
  for (const auto& [at, count] : prober.readings) CHECK(count <= 2);
}

TEST_CASE("Exact search: a build is read once, the ends twice", "[bisect]") {
  NumberProber prober(sizes(71, {{23, 0.09}}));
  const auto answer = search(prober, unchecked());
  REQUIRE(answer);
  CHECK(answer->suspects == ids(23, 23));
  CHECK(prober.processes == static_cast<int>(prober.builds.size()) + 2);
  for (const auto& [at, count] : prober.readings) CHECK(count == (at == 0 || at == 70 ? 2 : 1));
}

TEST_CASE("Exact search: one wrong reading names nobody", "[bisect]") {
  // Whichever commit is read wrongly the first time, and in whichever direction: the neighbours of the culprit, and
  // commits that are built early and late.
  const std::vector<double> numbers = sizes(71, {{23, 0.09}});
  for (const std::size_t wrong : {1U, 8U, 17U, 20U, 22U, 23U, 24U, 26U, 35U, 36U, 52U, 69U}) {
    for (const double factor : {1.05, 1.09, 1.2, 0.9}) {
      for (const int check : {0, 1}) {
        NumberProber prober(numbers);
        prober.reading = [&](std::size_t at, int nth, double number) {
          return at == wrong && nth == 0 ? std::round(number * factor) : number;
        };
        bisect::SearchSettings settings;
        settings.exact_check_pairs = check;
        const auto answer = search(prober, settings);
        REQUIRE(answer);
        INFO("commit " << wrong << " times " << factor << ", " << check << " pairs: " << answer->reason);
        // Without a check, a wrong reading that equals the other level cannot be told from it.
        if (check == 0 && factor != 1.2) continue;
        CHECK((answer->suspects.empty() || answer->suspects == ids(23, 23)));
      }
    }
  }
}

TEST_CASE("Exact search: a number that varies after all is searched like any other", "[bisect]") {
  std::mt19937 random(5);
  NumberProber prober(sizes(71, {{23, 0.09}}));
  prober.reading = [&](std::size_t at, int nth, double number) {
    const bool steady = nth < 2 && (at == 0 || at == 70);
    return steady ? number : number * (1 + 0.002 * (static_cast<double>(random() % 100) / 50 - 1));
  };
  const auto answer = search(prober, {});
  REQUIRE(answer);
  CHECK(answer->suspects == ids(23, 23));
  CHECK(answer->low < answer->change);
  CHECK(answer->high > answer->change);
}

TEST_CASE("Exact search: a change in small parts has no culprit, and the answer says so", "[bisect]") {
  std::map<std::size_t, double> parts;
  for (std::size_t at = 1; at < 71; ++at) parts[at] = 0.0015;
  NumberProber prober(sizes(71, parts));
  const auto answer = search(prober, {});
  REQUIRE(answer);
  CHECK(answer->suspects.empty());
  CHECK(answer->reason.find("no single commit") != std::string::npos);
  CHECK(prober.processes <= 30);
}

TEST_CASE("Exact search: a number with few digits is read as one with noise", "[bisect]") {
  std::vector<double> numbers = sizes(71, {{23, 0.09}});
  for (double& number : numbers) number = std::round(number / 1000) / 100;  // 1.51
  NumberProber prober(numbers);
  const auto answer = search(prober, {});
  REQUIRE(answer);
  CHECK(answer->suspects == ids(23, 23));
  CHECK(answer->low < answer->change);
  CHECK(prober.processes > static_cast<int>(prober.builds.size()) + 4);
}

}  // namespace tbci::exact_search_test
