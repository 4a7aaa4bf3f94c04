#include "pipeline/local_machine.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/log.hpp"
#include "base/text.hpp"
#include "bisect/operator_sources.hpp"
#include "bisect/rev_range.hpp"
#include "pipeline/hidden_files.hpp"
#include "runner/command_suite.hpp"
#include "runner/cpu_lock.hpp"
#include "runner/environment.hpp"
#include "runner/libtorch.hpp"
#include "runner/listing.hpp"
#include "runner/measure.hpp"
#include "runner/nightly/nightly_source.hpp"
#include "runner/nightly/pip_nightlies.hpp"
#include "runner/nightly/pip_text.hpp"
#include "runner/rank_cpus.hpp"
#include "runner/torchbench_suite.hpp"
#include "runner/worker_build.hpp"
#include "runner/worker_peaks.hpp"
#include "settings/batch_sizes.hpp"

namespace tbci::pipeline {

namespace {

constexpr int traced_iterations = 5;

class LocalMachine final : public Machine {
 public:
  explicit LocalMachine(const MachineParts& parts)
      : config_(parts.config),
        subject_(parts.subject),
        processes_(parts.processes),
        clock_(parts.clock),
        lines_(parts.lines),
        folder_(parts.config.service.state / "subjects" / parts.subject.name),
        confinement_{.folder = parts.config.service.state / "private",
                     .writable = parts.subject.writable,
                     .hidden = hidden_files(parts.config)},
        builder_(parts.subject, folder_, parts.processes, parts.clock, parts.lines, confinement_, &http_of(parts)),
        nightlies_(runner::make_nightly_source({.subject = parts.subject,
                                                .state = folder_,
                                                .builder = builder_,
                                                .processes = parts.processes,
                                                .clock = parts.clock,
                                                .http = http_of(parts),
                                                .progress = parts.lines,
                                                .confinement = confinement_})),
        measurer_(parts.processes, parts.clock, confinement_) {}

  Result<std::vector<model::Nightly>> nightlies(std::stop_token stop) override {
    return nightlies_->list(std::move(stop));
  }

  Result<model::Product> install(const model::Nightly& nightly, std::stop_token stop) override {
    TBCI_TRY(check_base(stop));
    return nightlies_->install(nightly, std::move(stop));
  }

  Result<runner::BuildOutcome> build(const std::string& commit, std::stop_token stop) override {
    TBCI_TRY(can_build());
    TBCI_TRY(check_base(stop));
    return builder_.build(commit, std::move(stop));
  }

  Result<bool> is_current(const model::Product& product, std::stop_token stop) override {
    if (!can_build()) return true;
    return builder_.is_current(product, std::move(stop));
  }

  Result<std::string> resolve(const std::string& revision, std::stop_token stop) override {
    TBCI_TRY(can_build());
    const auto commit = commit_of_main(revision, stop);
    if (commit) return *commit;
    if (commit.error().kind != ErrorKind::usage) return pass_on(commit.error());
    TBCI_ASSIGN(const auto published, nightlies_->list(stop));
    const auto found =
        std::find_if(published.begin(), published.end(), [&](const auto& n) { return n.name == revision; });
    if (found != published.end() && !found->commit.empty()) return found->commit;
    return fail(ErrorKind::usage, "'{}' is neither a commit of {} nor a nightly of {}: see `tbci nightly list`",
                one_line(revision, 80), subject_.source.repository, subject_.name);
  }

  Result<std::string> common_ancestor(const std::string& one, const std::string& other, std::stop_token stop) override {
    TBCI_TRY(can_build());
    TBCI_ASSIGN(const std::string first, commit_of_main(one, stop));
    TBCI_ASSIGN(const std::string second, commit_of_main(other, stop));
    TBCI_ASSIGN(const GitRepository mirror, builder_.worktree().mirror(stop));
    return mirror.common_ancestor(first, second).map([](const GitCommit& commit) { return commit.id; });
  }

  Result<std::vector<model::Commit>> commits_between(const std::string& from, const std::string& to,
                                                     std::stop_token stop) override {
    TBCI_TRY(can_build());
    TBCI_ASSIGN(const std::string good, commit_of_main(from, stop));
    TBCI_ASSIGN(const std::string bad, commit_of_main(to, stop));
    const auto lineage = config_.bisect.every_commit ? bisect::Lineage::all : bisect::Lineage::first_parent;
    const runner::SourceSettings& source = subject_.source;
    return bisect::commits_between(builder_.worktree().mirror_path(), good, bad, source.compiled, lineage,
                                   source.laid_over.files);
  }

  Result<runner::Reverted> revert(const std::string& culprit, const std::string& onto, std::stop_token stop) override {
    TBCI_TRY(can_build());
    return builder_.worktree().revert(culprit, onto, std::move(stop));
  }

  Result<std::vector<bisect::CommitDetails>> details(const std::vector<model::Commit>& commits,
                                                     std::stop_token) override {
    TBCI_TRY(can_build());
    return bisect::details_of(builder_.worktree().mirror_path(), commits);
  }

  Result<bisect::OperatorSources> operator_sources(const std::string& commit, const std::vector<std::string>& operators,
                                                   std::stop_token stop) override {
    TBCI_TRY(can_build());
    TBCI_TRY(builder_.worktree().bring_files(commit, std::move(stop)));
    return bisect::operator_sources_at(builder_.worktree().mirror_path(), commit, subject_.source.compiled, operators);
  }

  Result<runner::Listing> benchmarks(const model::Product& product, std::stop_token stop) override {
    TBCI_ASSIGN(const auto suites, suites_for(product, stop));
    TBCI_ASSIGN(auto listing, runner::list_suites(measurer_, suites, stop));
    for (const runner::BenchmarkInfo& benchmark : listing.benchmarks) ranks_[benchmark.name] = benchmark.ranks;
    return listing;
  }

  Result<model::Measurement> measure(const model::Product& product, const model::Case& measured,
                                     const MeasureOptions& options, std::stop_token stop) override {
    TBCI_ASSIGN(const auto suite, suite_of(product, measured, stop));
    TBCI_ASSIGN(const auto worker, worker_settings(product, measured, options, stop));
    TBCI_ASSIGN(const auto lock, lock_cpus(worker.cpus, stop));
    return measurer_.measure(product, suite, measured, worker, std::move(stop));
  }

  // With more threads, those of the process that waits would spin for a while on the CPUs of the other one.
  bool alternates(const model::Case& measured) const override {
    return config_.measure.worker.threads == 1 && runner::can_alternate(measured);
  }

  Result<model::MeasurementPair> measure_pair(const model::Product& before, const model::Product& after,
                                              const model::Case& measured, const MeasureOptions& options,
                                              std::stop_token stop) override {
    if (!alternates(measured)) return Machine::measure_pair(before, after, measured, options, std::move(stop));
    TBCI_ASSIGN(const auto old_suite, suite_of(before, measured, stop));
    TBCI_ASSIGN(const auto new_suite, suite_of(after, measured, stop));
    TBCI_ASSIGN(const auto worker, worker_settings(after, measured, options, stop));
    TBCI_ASSIGN(const auto lock, lock_cpus(worker.cpus, stop));
    return measurer_.measure_alternately({before, old_suite}, {after, new_suite}, measured, worker, std::move(stop));
  }

  Result<runner::OperatorCalls> operators(const model::Product& product, const model::Case& measured,
                                          std::stop_token stop) override {
    TBCI_ASSIGN(const auto suite, suite_of(product, measured, stop));
    TBCI_ASSIGN(const auto worker, worker_settings(product, measured, {}, stop));
    TBCI_ASSIGN(const auto lock, lock_cpus(worker.cpus, stop));
    return measurer_.operators(product, suite, measured, worker, std::move(stop));
  }

  Result<model::OperatorProfile> profile(const model::Product& product, const model::Case& measured,
                                         std::stop_token stop) override {
    TBCI_ASSIGN(const auto suite, suite_of(product, measured, stop));
    TBCI_ASSIGN(const auto worker, worker_settings(product, measured, {}, stop));
    TBCI_ASSIGN(const auto lock, lock_cpus(worker.cpus, stop));
    return measurer_.profile(product, suite, measured, worker, std::move(stop));
  }

  Result<model::Timeline> timeline(const model::Product& product, const model::Case& measured,
                                   const TimelineOptions& options, std::stop_token stop) override {
    TBCI_ASSIGN(const auto suite, suite_of(product, measured, stop));
    TBCI_ASSIGN(const auto worker, worker_settings(product, measured, {.batch = options.batch}, stop));
    TBCI_ASSIGN(const auto lock, lock_cpus(worker.cpus, stop));
    return measurer_.timeline(product, suite, measured, worker, options.variant, std::move(stop));
  }

  Result<runner::Learned> learn(const model::Product& product, const model::Case& measured,
                                const runner::LearningPlan& plan, std::stop_token stop) override {
    TBCI_ASSIGN(const auto suite, suite_of(product, measured, stop));
    TBCI_ASSIGN(const auto worker, worker_settings(product, measured, {}, stop));
    TBCI_ASSIGN(const auto lock, lock_cpus(worker.cpus, stop));
    return measurer_.learn(product, suite, measured, worker, plan, std::move(stop));
  }

  Result<model::Environment> environment(std::stop_token stop) override {
    const runner::MeasureSettings& worker = config_.measure.worker;
    runner::EnvironmentSettings asked;
    asked.gpu = worker.gpu;
    model::Environment environment = runner::read_environment(processes_, asked, stop);
    if (stop.stop_requested()) return fail(ErrorKind::interrupted, "reading the facts of this machine: stopped");
    environment.facts["measured on CPUs"] =
        worker.cpus.empty() ? "any" : fmt::format("{}", fmt::join(worker.cpus, ","));
    environment.facts["threads"] = std::to_string(worker.threads);
    environment.facts["size"] = worker.size;
    environment.facts["iterations"] = fmt::format("{} after {} warm-ups", worker.iterations, worker.warmup);
    if (environment.facts.contains("gpu0.name")) {
      environment.facts["size on a GPU"] = worker.gpu_size;
      environment.facts["warm-up on a GPU"] = fmt::format("{} ms at least", worker.gpu_warmup_time.count());
    }
    environment.facts["batch"] = worker.batch ? std::to_string(*worker.batch) : "the benchmark's own";
    const runner::TorchBenchSettings& torchbench = subject_.torchbench;
    if (!torchbench.checkout.empty())
      environment.facts["TorchBench"] = runner::torchbench_commit(processes_, torchbench, stop);
    for (const runner::CommandSuiteSettings& suite : subject_.suites)
      environment.facts[suite.name.empty() ? "suite" : "suite " + suite.name] = runner::fingerprint_of(suite);
    if (!worker.batches.empty()) environment.facts["batch"] += ", but " + settings::fingerprint_of(worker.batches);
    environment.facts["precision"] = worker.precision;
    if (!subject_.source.repository.empty()) {
      TBCI_ASSIGN(environment.facts["recipe"], builder_.recipe_digest());
    }
    for (const auto& [name, value] : config_.runner.variables) environment.facts["variable " + name] = value;
    // A process that takes turns with another one has times of its own.
    if (config_.measure.alternate == settings::Alternate::all)
      environment.facts["screen"] = "in pairs, iteration by iteration";
    return environment;
  }

  Result<std::vector<model::Peaks>> peaks(const model::Product& product, std::stop_token stop) override {
    if (!runner::has_native_suite(subject_)) return std::vector<model::Peaks>{};
    TBCI_ASSIGN(const auto suites, suites_for(product, stop));
    TBCI_ASSIGN(const auto lock, lock_cpus(config_.measure.worker.cpus, stop));
    return runner::ask_peaks(processes_, suites.front(), product, worker_place(), std::move(stop));
  }

  Result<runner::LibraryFacts> libraries(const model::Product& product, std::stop_token stop) override {
    const auto known = libraries_.find(key_of(product));
    if (known != libraries_.end()) return known->second;
    TBCI_ASSIGN(const auto suites, suites_for(product, stop));
    const runner::WorkerPlace place = worker_place();
    auto loaded = runner::ask_worker(processes_, suites.front(), product, place, stop);
    // A second time: a fact that is missing in one night would be a changed machine.
    if (!loaded && loaded.error().kind != ErrorKind::interrupted)
      loaded = runner::ask_worker(processes_, suites.front(), product, place, stop);
    if (!loaded) return pass_on(loaded.error());
    runner::LibraryDigests digests(config_.service.state / "libraries.sha256");
    auto facts = runner::library_facts(*loaded, runner::folders_of(product, subject_.torch_base), digests);
    if (const Status saved = digests.save(); !saved) runner::send_line(lines_, saved.error().message);
    return libraries_[key_of(product)] = std::move(facts);
  }

 private:
  // For one process: another tbci on this machine, with CPUs in common, measures before it or after it. Where no lock
  // can be had it is measured all the same, and the log says so.
  Result<std::optional<runner::CpuLock>> lock_cpus(const std::vector<int>& pinned, std::stop_token stop) {
    auto lock = runner::CpuLock::take({.folder = runner::cpu_lock_folder(),
                                       .cpus = pinned.empty() ? allowed_cpus() : pinned,
                                       .on_wait = [](const std::string& text) { log::info("{}", text); }},
                                      clock_, std::move(stop));
    if (lock) return std::optional(std::move(*lock));
    if (lock.error().kind != ErrorKind::machine) return pass_on(lock.error());
    if (!lock_missed_) log::warning("{}: another tbci on this machine is not noticed", lock.error().message);
    lock_missed_ = true;
    return std::optional<runner::CpuLock>{};
  }

  runner::WorkerPlace worker_place() const {
    const runner::MeasureSettings& worker = config_.measure.worker;
    return {.threads = worker.threads, .cpus = worker.cpus, .confinement = confinement_, .gpu = worker.gpu};
  }

  // Of the build's list, which is asked for where nobody has asked for it yet: a search that goes on has its cases.
  Result<int> ranks_of(const model::Product& product, const std::string& benchmark, std::stop_token stop) {
    if (!ranks_.contains(benchmark)) {
      const auto listing = benchmarks(product, std::move(stop));
      if (!listing && listing.error().kind == ErrorKind::interrupted) return pass_on(listing.error());
      ranks_.try_emplace(benchmark, 1);  // what cannot be listed says so when it is measured
    }
    return ranks_.at(benchmark);
  }

  Result<runner::MeasureSettings> worker_settings(const model::Product& product, const model::Case& measured,
                                                  const MeasureOptions& options, std::stop_token stop) {
    runner::MeasureSettings worker = config_.measure.worker;
    TBCI_ASSIGN(const int ranks, ranks_of(product, measured.benchmark, std::move(stop)));
    if (ranks > 1) worker.cpus = runner::cpus_for_ranks(worker.cpus, allowed_cpus(), ranks * worker.threads);
    // Batches are those of a case in eager mode, whatever its backend.
    if (options.batch)
      worker.batches = {{{measured.benchmark, with(model::Backend::eager, measured.configuration)}, *options.batch}};
    if (options.gpu_split) worker.gpu_traced = traced_iterations;
    worker.chosen = options.chosen;
    if (options.leaks) worker.leak_iterations = config_.measure.leak_iterations;
    return worker;
  }

  static std::string key_of(const model::Product& product) {
    std::string key = product.libtorch.string() + "\n" + product.folder.string();
    for (const auto& library : product.preload) key += "\n" + library.string();
    return key;
  }

  // A nightly may be built from a commit of the `nightly` branch, whose message names the one of main.
  Result<std::string> commit_of_main(const std::string& revision, std::stop_token stop) {
    TBCI_ASSIGN(const GitCommit commit, builder_.worktree().commit(revision, stop));
    const auto named = runner::main_commit_of_nightly(commit.message);
    if (!named) return commit.id;
    return builder_.worktree().commit(*named, stop).map([](const GitCommit& main) { return main.id; });
  }

  Status can_build() const {
    if (!subject_.source.repository.empty()) return {};
    return fail(ErrorKind::usage, "the subject {} names no repository: add [subject.source] with repository and recipe",
                subject_.name);
  }

  // A LibTorch that libraries are laid over has to load, before anything is built on it.
  Status check_base(std::stop_token stop) {
    if (base_checked_ || subject_.torch_base.empty()) return {};
    Status loads = runner::check_libtorch(processes_, subject_.torch_base, std::move(stop));
    // It is the machine's, and no build's.
    if (!loads && loads.error().kind == ErrorKind::failed) return fail(ErrorKind::machine, "{}", loads.error().message);
    TBCI_TRY(loads);
    base_checked_ = true;
    return {};
  }

  Result<std::filesystem::path> worker_for(const model::Product& product, std::stop_token stop) {
    const auto known = workers_.find(product.libtorch);
    if (known != workers_.end()) return known->second;
    const runner::WorkerBuildSettings settings{.source = subject_.worker_source,
                                               .cache = config_.service.state / "workers",
                                               .confinement = confinement_,
                                               .families = subject_.worker_families,
                                               .models = subject_.worker_models,
                                               .optimized = subject_.worker_optimized,
                                               .jobs = subject_.jobs,
                                               .shared_libtorch = subject_.torch_base};
    TBCI_ASSIGN(const auto worker,
                runner::ensure_worker(processes_, clock_, settings, product, lines_, std::move(stop)));
    workers_[product.libtorch] = worker;
    return worker;
  }

  Result<std::vector<runner::Suite>> suites_for(const model::Product& product, std::stop_token stop) {
    std::filesystem::path worker;
    if (runner::has_native_suite(subject_)) {
      TBCI_ASSIGN(worker, worker_for(product, std::move(stop)));
    }
    auto suites = runner::suites_of(subject_, product, worker);
    for (runner::Suite& suite : suites) {
      for (const auto& [name, value] : config_.runner.variables) suite.environment[name] = value;
    }
    return suites;
  }

  // The one with the longest prefix that the benchmark's name begins with.
  Result<runner::Suite> suite_of(const model::Product& product, const model::Case& measured, std::stop_token stop) {
    TBCI_ASSIGN(const auto suites, suites_for(product, std::move(stop)));
    const runner::Suite* best = nullptr;
    for (const runner::Suite& suite : suites) {
      if (!suite.own_name(measured.benchmark)) continue;
      if (best == nullptr || suite.prefix.size() > best->prefix.size()) best = &suite;
    }
    if (best == nullptr)
      return fail(ErrorKind::usage, "no suite of {} has '{}': see `tbci suite list`", subject_.name,
                  one_line(measured.benchmark, 80));
    return *best;
  }

  HttpClient& http_of(const MachineParts& parts) { return parts.http != nullptr ? *parts.http : own_http_; }

  const settings::Config& config_;
  const settings::SubjectConfig& subject_;
  ProcessRunner& processes_;
  const Clock& clock_;
  runner::LineSink lines_;
  std::filesystem::path folder_;
  runner::Confinement confinement_;  // before what is confined
  CurlHttpClient own_http_;
  runner::SourceBuilder builder_;
  std::unique_ptr<runner::NightlySource> nightlies_;
  runner::Measurer measurer_;
  std::map<std::filesystem::path, std::filesystem::path> workers_;
  std::map<std::string, runner::LibraryFacts> libraries_;  // by what key_of names
  std::map<std::string, int> ranks_;                       // by benchmark
  bool base_checked_ = false;
  bool lock_missed_ = false;  // and the log says so
};

}  // namespace

std::unique_ptr<Machine> make_local_machine(const MachineParts& parts) {
  return std::make_unique<LocalMachine>(parts);
}

}  // namespace tbci::pipeline
