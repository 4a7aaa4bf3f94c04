// A machine in memory: its builds have a speed, its measurements have noise, and it counts what it is asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "pipeline/machine.hpp"

namespace tbci::test {

/// A day of commits `c00`, `c01`, ...: the first is the old nightly, the last is the new one.
class FakeMachine final : public pipeline::Machine {
 public:
  explicit FakeMachine(int commits, unsigned seed = 7) : random_(seed) {
    for (int i = 0; i < commits; ++i) {
      model::Commit commit;
      commit.id = sha256_hex(fmt::format("commit {}", i)).substr(0, 40);
      commit.author = "Ada Example";
      commit.subject = fmt::format("Change number {}", i);
      commit.inputs = fmt::format("inputs {}", i);
      history.push_back(commit);
    }
  }

  std::vector<model::Commit> history;
  std::map<std::string, std::vector<std::pair<std::size_t, double>>> slower;  ///< benchmark -> (from commit on, factor)
  std::map<model::Backend, std::vector<std::pair<std::size_t, double>>> slower_backends;  ///< all that they run
  std::vector<model::Backend> backends = {model::Backend::eager};                         ///< of each benchmark
  std::map<std::string, std::vector<std::pair<std::size_t, double>>> leaking;  ///< the same with bytes an iteration
  std::map<std::string, std::vector<std::pair<std::size_t, double>>> larger;   ///< the same with bytes of the peak
  double growth_half_width = 8;                                                ///< of their intervals
  int growths = 0;                                                             ///< how many processes looked for leaks
  std::set<std::size_t> unbuildable;
  std::set<std::size_t> without_recipe;  ///< commits that do not build here, though the index has wheels of them
  std::map<std::string, model::Outcome>
      broken;  ///< benchmark -> how it fails, on the new end and all after `broken_from`
  std::size_t broken_from = 0, broken_until = 1 << 30;  ///< commits; from the second on they work again
  unsigned broken_percent = 100;                        ///< of the processes of a broken build that fail
  std::set<std::string> lucky;                          ///< nightlies whose processes do not show it, as it happens
  std::string broken_message = "killed by SIGSEGV", broken_details = "frame #0: kernel + 0x12";
  bool not_finite = false;  ///< the broken ones end, but with results that are not numbers
  std::size_t unlistable_from = 1 << 30, unlistable_until = 1 << 30;  ///< commits against which no worker builds
  std::vector<std::string> suite = {"alpha", "beta"};
  std::vector<runner::UnlistedSuite> left_out;  ///< of the list of benchmarks
  double noise = 0.01;
  int crash_one_in = 0;                 ///< processes; 0: none crashes by chance
  std::map<std::size_t, int> crashing;  ///< commit -> this many of its next processes crash by chance
  int without_space = 0;                ///< this many of the next processes fail, as the disk is full
  double slowness = 1;                  ///< of the machine: factor on the time of all builds
  std::size_t listed_from = 0;          ///< the index has forgotten the days before it
  std::vector<std::size_t> days;        ///< indices of the nightlies' commits; empty: the first and the last commit
  std::map<std::string, std::string> facts = {{"cpu", "fake"}};
  int side_by_side = 8;                                                  ///< samples that cost no more time than one
  int most_samples = 1 << 20;                                            ///< of which a batch fits into memory
  std::function<double(std::size_t commit, int batch)> batch_time = {};  ///< nanoseconds; nothing: by side_by_side
  std::function<Result<runner::Learned>(std::size_t commit, const runner::LearningPlan& plan)> training = {};
  std::map<std::string, std::string> machine_libraries;                     ///< that every build loads
  std::map<std::size_t, std::map<std::string, std::string>> own_libraries;  ///< commit -> those that come with it
  bool libraries_unknown = false;                                           ///< as of another suite's worker
  std::optional<std::int64_t> instructions;  ///< of an iteration; grows as the time does; nothing: not counted
  /// Called before each effect with its name: it may return an error, as a machine does that is switched off.
  std::function<Status(const std::string& effect)> before_effect;
  std::vector<std::string> effects;  ///< everything that was really done, in order
  /// As in a program that is ended before each effect, and started again.
  void refuse_each_effect_once() {
    before_effect = [this, refused_at = std::size_t{0}](const std::string&) mutable -> Status {
      if (effects.size() < refused_at) return {};
      refused_at = effects.size() + 1;
      return fail(ErrorKind::interrupted, "cut off");
    };
  }

  std::function<std::string(std::size_t day)> naming = [](std::size_t day) {
    return fmt::format("2026-01-{:02}", day + 5);
  };
  std::string name_of(std::size_t day) const { return naming(day); }

  std::map<std::string, model::Availability> availability;  ///< of nightlies; without an entry: complete
  std::map<std::string, std::string> remarks;               ///< of those that are not complete
  std::set<std::size_t> unlisted;                           ///< days whose nightlies the index does not have
  std::function<Status()> before_list;  ///< called before the index is asked: it may return an error
  Result<std::vector<model::Nightly>> nightlies(std::stop_token) override {
    if (before_list) TBCI_TRY(before_list());
    std::vector<model::Nightly> all;
    for (std::size_t day = listed_from; day < day_commits().size(); ++day) {
      if (!unlisted.contains(day)) all.push_back({.name = name_of(day), .commit = history[day_commits()[day]].id});
    }
    for (model::Nightly& nightly : all) {
      const auto found = availability.find(nightly.name);
      if (found != availability.end()) nightly.availability = found->second;
      nightly.remark = remarks[nightly.name];
    }
    return all;
  }
  Result<model::Product> install(const model::Nightly& nightly, std::stop_token) override {
    TBCI_TRY(effect("install " + nightly.name));
    if (unbuildable.contains(index_of(nightly.commit))) return fail(ErrorKind::failed, "does not build");
    model::Product product = product_of(nightly.commit);
    product.version = nightly.name;
    return product;
  }
  Result<runner::BuildOutcome> build(const std::string& commit, std::stop_token) override {
    TBCI_TRY(effect("build " + commit));
    if (unbuildable.contains(index_of(commit)) || without_recipe.contains(index_of(commit)))
      return runner::CompileFailure{"error: expected ';'", "log"};
    return product_of(commit);
  }
  std::set<std::string> outdated;  ///< commits that another recipe has built
  Result<bool> is_current(const model::Product& p, std::stop_token) override { return !outdated.contains(p.commit); }
  std::size_t pushed = 1 << 30;  ///< commits from here on are not in the repository yet
  Result<std::string> resolve(const std::string& revision, std::stop_token) override {
    if (index_of(revision) < std::min(history.size(), pushed)) return revision;
    return fail(ErrorKind::usage, "'{}' is neither a commit nor a nightly", revision);
  }
  /// Commits from this one on are on a branch that left main after the commit in front of it: main was rewound.
  std::size_t rewound_from = 1 << 30, rewound_until = 1 << 30;
  Result<std::string> common_ancestor(const std::string& one, const std::string& other, std::stop_token) override {
    if (history_is_out) return fail(ErrorKind::transient, "the repository does not answer");
    const std::size_t first = std::min(index_of(one), index_of(other)), last = std::max(index_of(one), index_of(other));
    const bool rewound = first >= rewound_from && first < rewound_until && last >= rewound_until;
    return history.at(rewound ? rewound_from - 1 : first).id;
  }
  bool history_is_out = false;           ///< the repository does not answer
  std::function<void()> before_history;  ///< called before commits are listed
  Result<std::vector<model::Commit>> commits_between(const std::string& from, const std::string& to,
                                                     std::stop_token) override {
    if (before_history) before_history();
    if (history_is_out) return fail(ErrorKind::transient, "the repository does not answer");
    const std::size_t first = index_of(from), last = index_of(to);
    if (last >= pushed) return fail(ErrorKind::usage, "no commit '{}' in the repository", to);
    const bool rewound = first >= rewound_from && first < rewound_until && last >= rewound_until;
    if (first >= last || rewound) return fail(ErrorKind::usage, "{} is not an ancestor of {}", from, to);
    std::vector<model::Commit> between(history.begin() + static_cast<std::ptrdiff_t>(first),
                                       history.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    if (last < rewound_until) return between;
    std::erase_if(between, [&](const model::Commit& commit) {
      return index_of(commit.id) >= rewound_from && index_of(commit.id) < rewound_until;
    });
    return between;
  }
  /// A commit that is as `onto` without what `culprit` brought; nothing for those in `conflicting`.
  Result<runner::Reverted> revert(const std::string& culprit, const std::string& onto, std::stop_token) override {
    if (conflicting.contains(index_of(culprit))) return runner::Reverted{"", "taking it back conflicts"};
    const std::string id = sha256_hex("revert " + culprit + onto).substr(0, 40);
    taken_back_[id] = {index_of(culprit), index_of(onto)};
    return runner::Reverted{id, ""};
  }
  std::set<std::size_t> conflicting;
  std::vector<std::vector<std::string>> touched;  ///< by each commit; empty: not known
  std::map<std::size_t, std::string> reverts;     ///< commit -> the id that its message says it takes back
  std::map<std::size_t, int> pull_requests;       ///< commit -> the one that its message names
  bisect::OperatorSources sources;
  Result<std::vector<bisect::CommitDetails>> details(const std::vector<model::Commit>& commits,
                                                     std::stop_token) override {
    std::vector<bisect::CommitDetails> all;
    if (touched.empty() && reverts.empty() && pull_requests.empty()) return all;
    for (const model::Commit& commit : commits) {
      const std::size_t at = index_of(commit.id);
      const auto taken = reverts.find(at);
      const auto request = pull_requests.find(at);
      all.push_back({.touched = touched.empty() ? std::vector<std::string>() : touched[at],
                     .pull_request = request == pull_requests.end() ? std::nullopt : std::optional(request->second),
                     .reverts = taken == reverts.end() ? std::vector<std::string>() : std::vector{taken->second}});
    }
    return all;
  }
  Result<bisect::OperatorSources> operator_sources(const std::string&, const std::vector<std::string>&,
                                                   std::stop_token) override {
    return sources;
  }
  Result<runner::Listing> benchmarks(const model::Product& product, std::stop_token) override {
    const std::size_t commit = index_of(product.commit);
    if (commit >= unlistable_from && commit < unlistable_until && commit < history.size())
      return fail(ErrorKind::failed, "the worker does not build: registry.cpp:3:1: error: no member named 'sizes'");
    std::vector<runner::BenchmarkInfo> infos;
    for (const std::string& name : suite) {
      infos.push_back({.name = name,
                       .domain = "tests",
                       .task = "testing",
                       .configurations = {model::Configuration::cpu_infer, model::Configuration::gpu_infer},
                       .backends = backends,
                       .parameters = 1,
                       .source = "",
                       .batch = {}});
    }
    return runner::Listing{.benchmarks = std::move(infos), .left_out = left_out};
  }
  Result<model::Measurement> measure(const model::Product& product, const model::Case& measured,
                                     const pipeline::MeasureOptions& options, std::stop_token) override {
    if (const auto rows = options.chosen.find("rows"); rows != options.chosen.end())
      return measure_batch(product, measured, std::stoi(rows->second));
    if (options.batch) return measure_batch(product, measured, *options.batch);
    TBCI_ASSIGN(model::Measurement measurement, measure_configured(product, measured));
    if (options.leaks && measurement.outcome == model::Outcome::done) add_growth(measurement, product);
    return measurement;
  }
  bool alternating = false;  ///< its pairs take turns, iteration by iteration: what slows the machine slows both
  int alternating_pairs = 0;
  bool alternates(const model::Case& measured) const override {
    return alternating && measured.configuration == model::Configuration::cpu_infer;
  }
  Result<model::MeasurementPair> measure_pair(const model::Product& before, const model::Product& after,
                                              const model::Case& measured, const pipeline::MeasureOptions& options,
                                              std::stop_token stop) override {
    TBCI_ASSIGN(auto pair, Machine::measure_pair(before, after, measured, options, stop));
    ++alternating_pairs;
    pair.before.alternating = pair.after.alternating = true;
    for (std::size_t i = 0; i < std::min(pair.before.nanoseconds.size(), pair.after.nanoseconds.size()); ++i) {
      const double busy = alternating_level * std::exp(shared_noise * gaussian());
      for (model::Measurement* one : {&pair.before, &pair.after})
        one->nanoseconds[i] = std::llround(static_cast<double>(one->nanoseconds[i]) * busy);
    }
    return pair;
  }
  double shared_noise = 0;       ///< of two iterations that are measured in turn
  double alternating_level = 1;  ///< time of a process that takes turns, relative to one alone
  Result<runner::OperatorCalls> operators(const model::Product&, const model::Case& measured,
                                          std::stop_token) override {
    TBCI_TRY(effect(fmt::format("operators {}", to_string(measured))));
    return runner::OperatorCalls{.below_autograd = {{"aten.mm.default", 1}}, .at_any_depth = {"aten.mm.default"}};
  }
  Result<runner::Learned> learn(const model::Product& product, const model::Case&, const runner::LearningPlan& plan,
                                std::stop_token) override {
    return training(index_of(product.commit), plan);
  }
  /// All of a slowdown is in the matrix products.
  Result<model::OperatorProfile> profile(const model::Product& product, const model::Case& measured,
                                         std::stop_token) override {
    TBCI_TRY(effect(fmt::format("profile {} {}", product.commit, to_string(measured))));
    if (!profiles) return fail(ErrorKind::failed, "exit code 2: unknown command 'profile'");
    double factor = 1;
    for (const auto& [from, by] : slower[measured.benchmark]) factor *= index_of(product.commit) >= from ? by : 1.0;
    const auto time = [&](double nanoseconds) { return std::chrono::nanoseconds(std::llround(nanoseconds)); };
    const double spread = profile_noise.empty() ? 1 : profile_noise[taken_profiles_++ % profile_noise.size()];
    model::OperatorProfile profile;
    profile.measured = measured;
    profile.iterations = 10;
    profile.outside = time(1e6);
    const double share = products_of.contains(measured.benchmark) ? products_of.at(measured.benchmark) : 0.6;
    profile.operators = {{"aten.mm.default", 12, time((1e7 * share + 1e7 * (factor - 1)) * spread)},
                         {"aten.relu_.default", 4, time(1e7 * (0.9 - share))}};
    profile.iteration = time(1e7 * factor);
    return profile;
  }
  bool profiles = true;                       ///< else its workers know no `profile`
  std::map<std::string, double> products_of;  ///< part of an iteration that `mm` takes, by benchmark; else 0.6
  std::vector<double> profile_noise;          ///< factors on `mm` of successive profiles, repeated
  /// Of the build of each commit; nothing: its workers know no `timeline`.
  std::function<model::Timeline(std::size_t commit)> recorded = {};
  std::function<Result<model::Timeline>(int batch)> recorded_batch = {};  ///< where a batch is asked for
  Result<model::Timeline> timeline(const model::Product& product, const model::Case& measured,
                                   const pipeline::TimelineOptions& options, std::stop_token stop) override {
    if (options.batch && recorded_batch) {
      TBCI_TRY(effect(fmt::format("timeline {} {} batch {}", product.commit, to_string(measured), *options.batch)));
      return recorded_batch(*options.batch);
    }
    if (!recorded) return Machine::timeline(product, measured, options, std::move(stop));
    TBCI_TRY(effect(fmt::format("timeline {} {}", product.commit, to_string(measured))));
    return recorded(index_of(product.commit));
  }

  std::optional<model::Peaks> best;  ///< nothing: its workers know no `peaks`
  Result<std::vector<model::Peaks>> peaks(const model::Product& product, std::stop_token) override {
    if (!best) return std::vector<model::Peaks>{};
    TBCI_TRY(effect("peaks " + product.commit));
    return std::vector{*best};
  }
  Result<model::Environment> environment(std::stop_token) override { return model::Environment{facts}; }
  Result<runner::LibraryFacts> libraries(const model::Product& product, std::stop_token) override {
    if (libraries_unknown) return fail(ErrorKind::failed, "the worker reports no environment");
    const auto own = own_libraries.find(index_of(product.commit));
    return runner::LibraryFacts{machine_libraries,
                                own == own_libraries.end() ? std::map<std::string, std::string>() : own->second};
  }

  std::size_t index_of(const std::string& commit) const {
    for (std::size_t i = 0; i < history.size(); ++i) {
      if (history[i].id == commit) return i;
    }
    return history.size();
  }

 private:
  Result<model::Measurement> measure_configured(const model::Product& product, const model::Case& measured) {
    TBCI_TRY(effect(fmt::format("measure {} {}", product.commit, to_string(measured))));
    model::Measurement measurement;
    measurement.measured = measured;
    if (measured.configuration == model::Configuration::gpu_infer) {
      measurement.outcome = model::Outcome::unsupported;
      measurement.message = "no CUDA";
      return measurement;
    }
    const auto taken_back = taken_back_.find(product.commit);
    const std::size_t commit = taken_back == taken_back_.end() ? index_of(product.commit) : taken_back->second.onto;
    if (crash_one_in > 0 && crashes_() % static_cast<unsigned>(crash_one_in) == 0) {
      measurement.outcome = model::Outcome::crashed;
      measurement.message = "killed by SIGSEGV";
      return measurement;
    }
    if (const auto next = crashing.find(commit); next != crashing.end() && next->second > 0) {
      --next->second;
      measurement.outcome = model::Outcome::crashed;
      measurement.message = "killed by SIGSEGV";
      return measurement;
    }
    if (without_space > 0) {
      --without_space;
      measurement.outcome = model::Outcome::crashed;
      measurement.message = "exit code 1: OSError: [Errno 28] No space left on device";
      return measurement;
    }
    const bool is_broken = broken.contains(measured.benchmark) && commit >= broken_from && commit < broken_until &&
                           !lucky.contains(product.version) &&
                           (broken_percent >= 100 || crashes_() % 100 < broken_percent);
    if (is_broken && not_finite) measurement.finite = false;
    if (is_broken && !not_finite) {
      measurement.outcome = broken.at(measured.benchmark);
      measurement.message = broken_message;
      measurement.details = broken_details;
      return measurement;
    }
    double typical = 1e7 * slowness;
    for (const auto& [from, factor] : slower_backends[measured.configuration.backend]) {
      if (commit >= from) typical *= factor;
    }
    for (const auto& [from, factor] : slower[measured.benchmark]) {
      const bool gone = taken_back != taken_back_.end() && taken_back->second.culprit == from;
      typical *= commit >= from && !gone ? factor : 1.0;
    }
    const double level = typical * std::exp(noise * gaussian());
    for (int i = 0; i < 10; ++i) measurement.nanoseconds.push_back(std::llround(level * std::exp(0.002 * gaussian())));
    if (instructions)
      measurement.instructions.assign(10,
                                      std::llround(static_cast<double>(*instructions) * typical / (1e7 * slowness)));
    measurement.cpu_peak_bytes = 200 << 20;
    for (const auto& [from, bytes] : larger[measured.benchmark])
      *measurement.cpu_peak_bytes += commit >= from ? std::llround(bytes) : 0;
    return measurement;
  }
  void add_growth(model::Measurement& measurement, const model::Product& product) {
    ++growths;
    double bytes = 0;
    for (const auto& [from, leak] : leaking[measurement.measured.benchmark])
      bytes += index_of(product.commit) >= from ? leak : 0;
    measurement.cpu_growth_bytes = bytes;
    measurement.cpu_growth_interval = {bytes - growth_half_width, bytes + growth_half_width};
  }
  Result<model::Measurement> measure_batch(const model::Product& product, const model::Case& measured, int batch) {
    TBCI_TRY(effect(fmt::format("measure {} with {}", to_string(measured), batch)));
    model::Measurement measurement;
    measurement.measured = measured;
    measurement.torch_version = "fake";
    if (measured.configuration == model::Configuration::gpu_infer) measurement.outcome = model::Outcome::unsupported;
    if (batch > most_samples) measurement.outcome = model::Outcome::out_of_memory;
    if (measurement.outcome != model::Outcome::done) measurement.message = "not here";
    // A millisecond for as many samples as fit side by side.
    const int rounds = (batch + side_by_side - 1) / side_by_side;
    if (measurement.outcome == model::Outcome::done) measurement.nanoseconds.assign(10, std::int64_t{1000000} * rounds);
    if (batch_time && !measurement.nanoseconds.empty())
      measurement.nanoseconds.assign(10, std::llround(batch_time(index_of(product.commit), batch)));
    return measurement;
  }
  std::vector<std::size_t> day_commits() const {
    return days.empty() ? std::vector<std::size_t>{0, history.size() - 1} : days;
  }
  // Something that surely exists: a product whose files are gone is built again.
  model::Product product_of(const std::string& commit) const {
    return {.libtorch = std::filesystem::temp_directory_path(),
            .preload = {},
            .python = {},
            .commit = commit,
            .version = "fake"};
  }
  Status effect(const std::string& name) {
    if (before_effect) TBCI_TRY(before_effect(name));
    effects.push_back(name);
    return {};
  }
  double gaussian() {  // Box and Muller (1958): the same on every standard library
    const auto uniform = [&] { return (static_cast<double>(random_()) + 0.5) / 4294967296.0; };
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.14159265358979 * uniform());
  }

  struct TakenBack {
    std::size_t culprit, onto;
  };
  std::map<std::string, TakenBack> taken_back_;
  std::mt19937 random_;
  std::mt19937 crashes_{11};
  std::size_t taken_profiles_ = 0;
};

}  // namespace tbci::test
