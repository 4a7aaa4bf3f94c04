// Commits in memory only, with faults and noise, and a Prober that stores its answers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bisect/prober.hpp"

namespace tbci::test {

/// From commit `at` on, the values of `series` are `factor` times as large (leaks: larger by `factor` bytes).
struct Fault {
  std::size_t at = 0;
  model::Series series;
  double factor = 1.2;
};

struct FakeDay {
  std::size_t commits = 71;  ///< including the good end
  std::vector<Fault> faults;
  std::set<std::size_t> broken;     ///< commits that do not build
  std::set<std::size_t> documents;  ///< commits that compile the same inputs as the commit before
  std::set<std::pair<std::size_t, model::Case>> crashing;
  std::map<std::size_t, std::size_t> reverts;               ///< commit -> the earlier commit whose files it restores
  std::map<std::pair<std::size_t, int>, double> odd_pairs;  ///< (probe, ordinal) -> factor on the probe's values
  double noise = 0;
  double slow_share = 0;
  double slow_factor = 1.5;
  unsigned seed = 1;
};

inline std::string id_of(std::size_t at) {
  return fmt::format("{:040x}", 0xabc000 + at);
}

inline std::vector<model::Commit> commits_of(const FakeDay& day) {
  std::vector<model::Commit> commits;
  for (std::size_t i = 0; i < day.commits; ++i) {
    model::Commit commit{
        id_of(i), "A. Author", "a@example.org", {}, fmt::format("commit {}", i), fmt::format("in{}", i)};
    if (day.documents.count(i) != 0) commit.inputs = commits.back().inputs;
    if (auto revert = day.reverts.find(i); revert != day.reverts.end()) commit.inputs = commits[revert->second].inputs;
    commits.push_back(commit);
  }
  return commits;
}

/// Stores its answers, as the pipeline does in its database; fresh_calls() counts the calls without a stored answer.
class FakeProber final : public bisect::Prober {
 public:
  explicit FakeProber(FakeDay day) : day_(std::move(day)) {}

  Result<bisect::Built> build(const model::Commit& commit, std::stop_token) override {
    const std::size_t at = index_of(commit);
    if (builds_.count(at) == 0) {
      TBCI_TRY(count_call());
      builds_.insert(at);
    }
    if (day_.broken.count(at) != 0) return bisect::Built{false, "kernel.cpp:7: error: expected ';'"};
    return bisect::Built{true, ""};
  }

  Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                             const model::Case& measured, int ordinal,
                                                             std::stop_token) override {
    const std::size_t good = index_of(reference), at = index_of(probe);
    if (builds_.count(good) == 0 || builds_.count(at) == 0) return fail(ErrorKind::machine, "not built");
    if (pairs_.insert({good, at, measured, ordinal}).second) {
      if (auto status = count_call(); !status) {
        pairs_.erase({good, at, measured, ordinal});
        return pass_on(std::move(status).error());
      }
    }
    if (day_.crashing.count({at, measured}) != 0) return fail(ErrorKind::failed, "killed by SIGSEGV");
    std::map<model::Series, detect::Pair> values;
    for (model::Metric metric : model::all_metrics) {
      const model::Series series{measured.benchmark, measured.configuration, metric};
      std::seed_seq seeds{day_.seed,
                          static_cast<unsigned>(good),
                          static_cast<unsigned>(at),
                          static_cast<unsigned>(ordinal),
                          static_cast<unsigned>(metric),
                          static_cast<unsigned>(measured.benchmark.size())};
      std::mt19937_64 random(seeds);
      values[series] = {value(series, good, random), value(series, at, random)};
      if (const auto odd = day_.odd_pairs.find({at, ordinal}); odd != day_.odd_pairs.end())
        values[series].after *= odd->second;
    }
    return values;
  }

  Result<std::map<model::Series, double>> measure_process(const model::Commit& commit, const model::Case& measured,
                                                          int ordinal, std::stop_token) override {
    const std::size_t at = index_of(commit);
    if (builds_.count(at) == 0) return fail(ErrorKind::machine, "not built");
    if (processes_.insert({at, measured, ordinal}).second) {
      if (auto status = count_call(); !status) {
        processes_.erase({at, measured, ordinal});
        return pass_on(std::move(status).error());
      }
    }
    if (day_.crashing.count({at, measured}) != 0) return fail(ErrorKind::failed, "killed by SIGSEGV");
    std::map<model::Series, double> values;
    for (model::Metric metric : model::all_metrics) {
      const model::Series series{measured.benchmark, measured.configuration, metric};
      std::seed_seq seeds{day_.seed,
                          static_cast<unsigned>(at),
                          static_cast<unsigned>(ordinal),
                          static_cast<unsigned>(metric),
                          static_cast<unsigned>(measured.benchmark.size()),
                          77U};
      std::mt19937_64 random(seeds);
      values[series] = value(series, at, random);
    }
    return values;
  }

  int fresh_calls() const { return calls_; }
  /// Requested builds between the ends.
  int search_builds() const { return static_cast<int>(builds_.size()) - 2; }
  const std::set<std::size_t>& builds() const { return builds_; }
  int pairs() const { return static_cast<int>(pairs_.size()); }
  /// Requested processes.
  int processes() const { return 2 * pairs() + static_cast<int>(processes_.size()); }
  /// Those of a case that were not in a pair.
  std::ptrdiff_t processes_alone(const model::Case& measured) const {
    return std::ranges::count_if(processes_, [&](const auto& one) { return std::get<1>(one) == measured; });
  }
  /// Refuses the `call`-th fresh call (from 0) and all later ones, as after a requested stop.
  void stop_at(std::optional<int> call) { stop_at_ = call; }

 private:
  static std::size_t index_of(const model::Commit& commit) {
    return std::stoul(commit.id.substr(30), nullptr, 16) - 0xabc000;
  }

  Status count_call() {
    if (stop_at_ && calls_ >= *stop_at_) return fail(ErrorKind::interrupted, "stopped");
    ++calls_;
    return {};
  }

  double value(const model::Series& series, std::size_t at, std::mt19937_64& random) const {
    std::size_t files = at;
    if (auto revert = day_.reverts.find(at); revert != day_.reverts.end()) files = revert->second;
    const bool leak = detect::is_leak(series.metric);
    double value = leak ? 0 : 1e8;
    for (const Fault& fault : day_.faults) {
      if (!(fault.series == series) || files < fault.at) continue;
      value = leak ? value + fault.factor : value * fault.factor;
    }
    if (leak) return value;
    value *= std::exp(day_.noise * std::normal_distribution<double>()(random));
    return std::uniform_real_distribution<double>()(random) < day_.slow_share ? value * day_.slow_factor : value;
  }

  FakeDay day_;
  std::set<std::size_t> builds_;
  std::set<std::tuple<std::size_t, std::size_t, model::Case, int>> pairs_;
  std::set<std::tuple<std::size_t, model::Case, int>> processes_;
  std::optional<int> stop_at_;
  int calls_ = 0;
};

}  // namespace tbci::test
