#include "tests/bench/thousand_nights/simulated_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace tbci::thousand {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t listed_nightlies = 60;
constexpr int iterations = 3;  // the pipeline reads their median alone
constexpr double memory_noise = 0.0005;
constexpr double troubled_share = 0.7;  // of the processes while the RAM disk is full
constexpr double leak_width = 60;       // bytes to both sides of a growth

std::string message_of(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::crashed:
      return "killed by SIGSEGV";
    case model::Outcome::timed_out:
      return "no end after 600 s";
    case model::Outcome::out_of_memory:
      return "DefaultCPUAllocator: can't allocate memory";
    case model::Outcome::exception:
      return "RuntimeError: expected scalar type Float but found Double";
    case model::Outcome::unsupported:
      return "this operator is not implemented for this device";
    default:
      return "";
  }
}

}  // namespace

SimulatedMachine::SimulatedMachine(const MachineSurroundings& surroundings)
    : size_(surroundings.size),
      history_(surroundings.history),
      weather_(surroundings.weather),
      clock_(surroundings.clock),
      mortality_(surroundings.mortality),
      folder_(surroundings.folder),
      chance_(surroundings.size.seed, 3) {
  Chance chance(size_.seed, 4);
  for (std::size_t i = 0; i < history_.cases().size(); ++i) {
    bases_.push_back({.nanoseconds = chance.scaled(2e6, 2e8),
                      .bytes = chance.scaled(400e6, 2e9),
                      .noise = chance.scaled(0.003, 0.015)});
  }
  evict();
}

void SimulatedMachine::evict() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  std::filesystem::create_directories(folder_, ignored);
}

Status SimulatedMachine::take(std::chrono::milliseconds time) {
  TBCI_TRY(mortality_.live());
  clock_.advance(time);
  return {};
}

Status SimulatedMachine::reach_git() {
  TBCI_TRY(mortality_.live());
  if (within(weather_.git, clock_.true_now()))
    return fail(ErrorKind::transient, "the repository does not answer: could not resolve host");
  return {};
}

Status SimulatedMachine::find_space() const {
  if (within(weather_.disk, clock_.true_now())) return fail(ErrorKind::machine, "no space left on device");
  return {};
}

std::vector<model::Nightly> SimulatedMachine::listed() const {
  std::vector<model::Nightly> all;
  const TimePoint now = clock_.true_now();
  for (const PublishedNightly& nightly : history_.nightlies()) {
    if (now < midnight_of(nightly.day) + std::chrono::hours(5)) break;
    if (nightly.yanked && now >= midnight_of(*nightly.yanked) + std::chrono::hours(10)) continue;
    all.push_back({nightly.name, history_.commits()[nightly.commit].id});
  }
  if (all.size() > listed_nightlies) all.erase(all.begin(), all.end() - listed_nightlies);
  return all;
}

Result<std::vector<model::Nightly>> SimulatedMachine::nightlies(std::stop_token) {
  TBCI_TRY(take(seconds(2)));
  if (within(weather_.index, clock_.true_now())) return fail(ErrorKind::transient, "the index answered 503");
  return listed();
}

Result<model::Product> SimulatedMachine::install(const model::Nightly& nightly, std::stop_token) {
  TBCI_TRY(take(minutes(1)));
  if (within(weather_.index, clock_.true_now())) return fail(ErrorKind::transient, "the index answered 503");
  const PublishedNightly* published = history_.nightly(nightly.name);
  const auto offered = listed();
  const bool is_offered = std::ranges::any_of(offered, [&](const auto& one) { return one.name == nightly.name; });
  const bool gone = published != nullptr && published->gone &&
                    clock_.true_now() >= midnight_of(*published->gone) + std::chrono::hours(10);
  if (published == nullptr || !is_offered || gone)
    return fail(ErrorKind::failed, "no matching distribution found for {}", one_line(nightly.name, 60));
  if (published->installing == Building::fails) return fail(ErrorKind::failed, "bad wheel: not a zip file");
  if (published->installing == Building::hangs) {
    TBCI_TRY(take(minutes(60)));
    return fail(ErrorKind::machine, "pip did not end within 60 min");
  }
  TBCI_TRY(take(minutes(5)));
  TBCI_TRY(find_space());
  ++effort_.installs;
  return product_at(nightly.name, history_.commits()[published->commit].id);
}

Result<runner::BuildOutcome> SimulatedMachine::build(const std::string& commit, std::stop_token) {
  TBCI_TRY(reach_git());
  const auto reverted = taken_back_.find(commit);
  std::size_t number = reverted == taken_back_.end() ? 0 : reverted->second.onto;
  if (reverted == taken_back_.end()) {
    TBCI_ASSIGN(number, known(commit));
  }
  TBCI_TRY(take(minutes(12)));
  TBCI_TRY(find_space());
  ++effort_.builds;
  if (history_.building(number) == Building::fails)
    return runner::CompileFailure{"kernel.cpp:12:3: error: expected ';' after expression", "log"};
  if (history_.building(number) == Building::hangs) {
    TBCI_TRY(take(minutes(108)));
    return fail(ErrorKind::killed, "make: the build exceeded its time limit of 2 h");
  }
  TBCI_ASSIGN(model::Product product, product_at(commit, commit));
  return product;
}

Result<std::string> SimulatedMachine::resolve(const std::string& revision, std::stop_token) {
  TBCI_TRY(reach_git());
  if (history_.index_of(revision)) return revision;
  for (const model::Nightly& nightly : listed()) {
    if (nightly.name == revision) return nightly.commit;
  }
  return fail(ErrorKind::usage, "'{}' is neither a commit nor a nightly", one_line(revision, 80));
}

Result<std::string> SimulatedMachine::common_ancestor(const std::string& one, const std::string& other,
                                                      std::stop_token) {
  TBCI_TRY(reach_git());
  TBCI_ASSIGN(const std::size_t first, known(one));
  TBCI_ASSIGN(const std::size_t second, known(other));
  return first < second ? one : other;
}

Result<std::vector<model::Commit>> SimulatedMachine::commits_between(const std::string& from, const std::string& to,
                                                                     std::stop_token) {
  TBCI_TRY(reach_git());
  TBCI_ASSIGN(const std::size_t first, known(from));
  TBCI_ASSIGN(const std::size_t last, known(to));
  if (first >= last) return fail(ErrorKind::usage, "{} is not an ancestor of {}", from, to);
  const auto begin = history_.commits().begin();
  return std::vector<model::Commit>(begin + static_cast<std::ptrdiff_t>(first),
                                    begin + static_cast<std::ptrdiff_t>(last) + 1);
}

Result<runner::Listing> SimulatedMachine::benchmarks(const model::Product&, std::stop_token) {
  TBCI_TRY(take(seconds(5)));
  runner::Listing listing;
  for (const model::Case& measured : history_.cases()) {
    if (listing.benchmarks.empty() || listing.benchmarks.back().name != measured.benchmark) {
      listing.benchmarks.push_back({.name = measured.benchmark,
                                    .domain = "simulated",
                                    .task = "none",
                                    .configurations = {},
                                    .parameters = 1,
                                    .source = "",
                                    .batch = {}});
    }
    listing.benchmarks.back().configurations.push_back(measured.configuration);
  }
  return listing;
}

Result<model::Measurement> SimulatedMachine::measure(const model::Product& product, const model::Case& measured,
                                                     const pipeline::MeasureOptions& options, std::stop_token) {
  TBCI_TRY(take(seconds(options.leaks ? 8 : 6)));
  const auto number = history_.case_of(measured);
  if (!number) return fail(ErrorKind::usage, "there is no case {}", to_string(measured));
  ++effort_.processes;
  model::Measurement measurement;
  measurement.measured = measured;
  measurement.torch_version = product.version;
  measurement.started = clock_.now();
  measurement.outcome = outcome(product, *number);
  measurement.message = message_of(measurement.outcome);
  if (within(weather_.ram_disk, clock_.true_now()) && chance_.happens(troubled_share)) {
    measurement.outcome = model::Outcome::crashed;
    measurement.message = "exit code 1: OSError: [Errno 28] No space left on device: '/dev/shm/worker'";
  }
  if (measurement.outcome == model::Outcome::timed_out) clock_.advance(minutes(10));
  if (measurement.outcome == model::Outcome::done) fill(product, *number, options.leaks, measurement);
  return measurement;
}

model::Outcome SimulatedMachine::outcome(const model::Product& product, std::size_t measured) {
  const auto reverted = taken_back_.find(product.commit);
  const auto number = reverted == taken_back_.end() ? history_.index_of(product.commit) : reverted->second.onto;
  model::Outcome of_commit = history_.outcome(number.value_or(0), measured);
  const double share = history_.share(number.value_or(0), measured);
  if (share < 1 && !chance_.happens(share)) of_commit = model::Outcome::done;
  const bool crashes = weather_.crash_share > 0 && chance_.happens(weather_.crash_share);
  return of_commit == model::Outcome::done && crashes ? model::Outcome::crashed : of_commit;
}

double SimulatedMachine::level(const model::Product& product, std::size_t measured, Aspect aspect) const {
  const auto reverted = taken_back_.find(product.commit);
  if (reverted == taken_back_.end())
    return history_.level(history_.index_of(product.commit).value_or(0), measured, aspect);
  return history_.level(reverted->second.onto, measured, aspect) -
         history_.effect(reverted->second.culprit, measured, aspect);
}

void SimulatedMachine::fill(const model::Product& product, std::size_t measured, bool leaks,
                            model::Measurement& measurement) {
  const Base& base = bases_[measured];
  double slower = level(product, measured, Aspect::time) + weather_.slower_at(clock_.true_now());
  if (weather_.slow_share > 0 && chance_.happens(weather_.slow_share)) slower += std::log1p(chance_.between(0.1, 0.5));
  const double typical = base.nanoseconds * std::exp(slower + base.noise * chance_.gaussian());
  for (int i = 0; i < iterations; ++i) measurement.nanoseconds.push_back(std::llround(typical * (1 + 0.001 * (i - 1))));
  const double bytes = level(product, measured, Aspect::memory) + memory_noise * chance_.gaussian();
  measurement.cpu_peak_bytes = std::llround(base.bytes * std::exp(bytes));
  measurement.wall = std::chrono::seconds(6);
  if (!leaks) return;
  const double growth = level(product, measured, Aspect::leak) + 10 * chance_.gaussian();
  measurement.cpu_growth_bytes = growth;
  measurement.cpu_growth_interval = {growth - leak_width, growth + leak_width};
}

Result<runner::Reverted> SimulatedMachine::revert(const std::string& culprit, const std::string& onto,
                                                  std::stop_token) {
  TBCI_TRY(reach_git());
  TBCI_ASSIGN(const std::size_t taken, known(culprit));
  TBCI_ASSIGN(const std::size_t top, known(onto));
  const std::string id = sha256_hex("revert " + culprit + onto).substr(0, 40);
  taken_back_[id] = {taken, top};
  return runner::Reverted{id, ""};
}

Result<std::vector<bisect::CommitDetails>> SimulatedMachine::details(const std::vector<model::Commit>& commits,
                                                                     std::stop_token) {
  TBCI_TRY(reach_git());
  std::vector<bisect::CommitDetails> all;
  for (const model::Commit& commit : commits) {
    TBCI_ASSIGN(const std::size_t number, known(commit.id));
    all.push_back({.touched = {fmt::format("kernels/file{}.cpp", number % 97)}, .pull_request = {}, .reverts = {}});
    if (!history_.reverted_by(number).empty()) all.back().reverts = {history_.reverted_by(number)};
  }
  return all;
}

Result<bisect::OperatorSources> SimulatedMachine::operator_sources(const std::string&, const std::vector<std::string>&,
                                                                   std::stop_token) {
  TBCI_TRY(reach_git());
  return bisect::OperatorSources{{"aten.mm.default", {"kernels/file1.cpp"}}};
}

Result<runner::OperatorCalls> SimulatedMachine::operators(const model::Product&, const model::Case&, std::stop_token) {
  TBCI_TRY(take(seconds(10)));
  return runner::OperatorCalls{.below_autograd = {{"aten.mm.default", 1}}, .at_any_depth = {"aten.mm.default"}};
}

Result<model::OperatorProfile> SimulatedMachine::profile(const model::Product& product, const model::Case& measured,
                                                         std::stop_token) {
  TBCI_TRY(take(seconds(20)));
  const auto number = history_.case_of(measured);
  if (!number || outcome(product, *number) != model::Outcome::done)
    return fail(ErrorKind::failed, "{} cannot be profiled", to_string(measured));
  const double typical = bases_[*number].nanoseconds, whole = typical * std::exp(level(product, *number, Aspect::time));
  const auto time = [](double nanoseconds) { return std::chrono::nanoseconds(std::llround(nanoseconds)); };
  model::OperatorProfile profile;
  profile.measured = measured;
  profile.iterations = 10;
  profile.iteration = time(whole);
  profile.outside = time(0.1 * typical);
  const double relu = std::min(0.3 * typical, 0.5 * whole);
  profile.operators = {{"aten.mm.default", 12, time(std::max(whole - relu - 0.1 * typical, 0.0))},
                       {"aten.relu_.default", 4, time(relu)}};
  return profile;
}

Result<model::Environment> SimulatedMachine::environment(std::stop_token) {
  TBCI_TRY(take(seconds(1)));
  return model::Environment{
      {{"cpu", "simulated"}, {"kernel", fmt::format("6.1.{}", weather_.facts_at(clock_.true_now()))}}};
}

Result<runner::LibraryFacts> SimulatedMachine::libraries(const model::Product&, std::stop_token) {
  TBCI_TRY(mortality_.live());
  return runner::LibraryFacts{{{"library.openmp", "libgomp.so.1 0123456789abcdef"}}, {}};
}

Result<model::Product> SimulatedMachine::product_at(const std::string& name, const std::string& commit) const {
  const std::filesystem::path place = folder_ / name;
  std::error_code error;
  std::filesystem::create_directories(place, error);
  if (error) return fail(ErrorKind::machine, "cannot make {}: {}", place.string(), error.message());
  return model::Product{.libtorch = place, .preload = {}, .python = {}, .commit = commit, .version = "simulated"};
}

Result<std::size_t> SimulatedMachine::known(const std::string& commit) const {
  if (const auto number = history_.index_of(commit)) return *number;
  return fail(ErrorKind::usage, "there is no commit {}", one_line(commit, 40));
}

}  // namespace tbci::thousand
