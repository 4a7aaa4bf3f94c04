#include "runner/aoti_package.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/waiting_lock.hpp"
#include "runner/environment/fact_reader.hpp"
#include "runner/environment/facts.hpp"
#include "runner/json_fields.hpp"
#include "runner/judgement.hpp"
#include "runner/python_environment.hpp"
#include "runner/source/machine_trouble.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t most_details = 4000;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// Empty where there is no such program.
fs::path find_program(const fs::path& name) {
  if (name.has_parent_path()) return is_program(name) ? name : fs::path();
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (is_program(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  return {};
}

// CXX, else g++.
std::string compiler_of_torch() {
  const char* chosen = std::getenv("CXX");
  return chosen == nullptr || *chosen == '\0' ? "g++" : chosen;
}

std::string why_no_compiler() {
  const std::string compiler = compiler_of_torch();
  if (!find_program(compiler).empty()) return {};
  return fmt::format("AOTInductor needs a C++ compiler, and there is no {}: install g++, or set CXX",
                     one_line(compiler, 80));
}

std::string why_no_packages(const PackageMaker& maker) {
  std::error_code ignored;
  if (maker.python.empty())
    return "this build has no Python to make packages with: set `python` in [subject.aoti] to one with torch's "
           "dependencies";
  if (maker.python.has_parent_path() && !fs::exists(maker.python, ignored))
    return fmt::format("no Python at {}: correct `python` in [subject.aoti]", maker.python.string());
  if (!fs::exists(maker.libtorch / "__init__.py", ignored))
    return fmt::format("{} is a LibTorch without Python, which has no AOTInductor", maker.libtorch.string());
  return why_no_compiler();
}

// The packages of a Python, by the names of their folders, which have the version in them, and of an environment which
// Python it is of.
std::string python_key(const PackageMaker& maker) {
  std::error_code error;
  const fs::path prefix = find_program(maker.python).parent_path().parent_path();
  std::vector<std::string> names;
  for (const fs::path& folder : {prefix / "lib", prefix / "local/lib"}) {
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (!at->path().filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        std::error_code none;
        for (fs::directory_iterator one(at->path() / packages, none); !none && one != end; one.increment(none)) {
          const std::string name = one->path().filename().string();
          if (name.ends_with(".dist-info") || name.ends_with(".egg-info"))
            names.push_back(at->path().filename().string() + "/" + name);
        }
      }
    }
  }
  std::ranges::sort(names);
  return read_file(prefix / "pyvenv.cfg").value_or("") + "\n" + join(names, "\n");
}

// As torch asks it: CXX, else g++.
Result<std::string> compiler_key(const PackageWork& work, const std::stop_token& stop) {
  Command command;
  command.arguments = {compiler_of_torch(), "--version"};
  command.environment = {{"LC_ALL", "C"}};
  command.time_limit = std::chrono::seconds(30);
  return output_of_two_tries(work.processes, command, stop);
}

// A package for a GPU is for its architecture, and tuned for it.
std::string gpu_key(const PackageWork& work, const Command& trace, const std::stop_token& stop) {
  const bool on_gpu =
      std::ranges::any_of(trace.arguments, [](const std::string& word) { return word.starts_with("gpu-"); });
  std::string key;
  if (!on_gpu) return key;
  for (const auto& [fact, value] : gpu_facts(work.processes, {}, stop)) {
    if (fact.ends_with(".name")) key += fact + "=" + value + "\n";
  }
  return key;
}

// What compiled code depends on besides the trace: the instructions of this CPU, and how many threads it is for, which
// is a variable.
std::string machine_key(const Command& trace) {
  const std::string info = read_file("/proc/cpuinfo").value_or("");
  std::string key = field_of(info, "model name") + "\n" + field_of(info, "flags");
  for (const char* name : {"ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS", "CXX"}) {
    const char* value = std::getenv(name);
    key += fmt::format("\n{}", value == nullptr ? "" : value);
  }
  for (const auto& [name, value] : trace.environment) key += fmt::format("\n{}={}", name, value);
  return key;
}

// The files of one package. The record is written last: with it, what it names is complete.
struct Place {
  fs::path package, record, lock, work;
};

Result<Place> place_of(const PackageWork& work, const Command& trace, const std::stop_token& stop) {
  const PackageMaker& maker = work.maker;
  TBCI_ASSIGN(const std::string compiler, compiler_key(work, stop));
  std::string text = join(trace.arguments, "\n") + "\n" + maker.python.string() + "\n" + machine_key(trace);
  for (const std::string& more :
       {python_key(maker), read_file(maker.program).value_or(""), compiler, gpu_key(work, trace, stop)})
    text += "\n" + sha256_hex(more);
  const std::string key = sha256_hex(text).substr(0, 24);
  return Place{.package = maker.folder / (key + ".pt2"),
               .record = maker.folder / (key + ".json"),
               .lock = maker.folder / (key + ".lock"),
               .work = maker.folder / ("unfinished-" + key)};
}

// How long each of the two steps may take.
struct StepLimits {
  std::chrono::milliseconds tracing{}, packaging{};
};

json record_of(const Place& place) {
  const auto text = read_file(place.record);
  json record = text ? json::parse(*text, nullptr, false) : json();
  return record.is_object() ? record : json::object();
}

// A step that took too long once may have met a busy machine.
constexpr std::int64_t enough_timeouts = 2;

// A longer limit than that which was too short asks again.
std::optional<Package> recorded(const Place& place, const StepLimits& limits) {
  const json record = record_of(place);
  if (std::string why = text_field(record, "refused", 500); !why.empty()) {
    for (const auto& [field, limit] :
         {std::pair("tracing_limit", limits.tracing), std::pair("packaging_limit", limits.packaging)}) {
      const auto too_short = integer_field(record, field, 0, std::int64_t{1} << 50);  // milliseconds
      if (!too_short) continue;
      const bool once =
          integer_field(record, "timeouts", 1, enough_timeouts).value_or(enough_timeouts) < enough_timeouts;
      if (once || *too_short < limit.count()) return std::nullopt;
    }
    const auto details = record.find("details");
    return Package{.outcome = model::Outcome::unsupported,
                   .why = std::move(why),
                   .details = details != record.end() && details->is_string() ? details->get<std::string>() : ""};
  }
  const auto nanoseconds = integer_field(record, "nanoseconds", 0, std::int64_t{1} << 50);
  const auto bytes = integer_field(record, "bytes", 0, std::int64_t{1} << 50);
  std::error_code error;
  const auto there = fs::file_size(place.package, error);  // a power cut may have cut it off
  if (!nanoseconds || !bytes || error || there != static_cast<std::uintmax_t>(*bytes)) return std::nullopt;
  return Package{.file = place.package, .time = std::chrono::nanoseconds(*nanoseconds)};
}

json last_object(std::string_view output) {
  const std::string_view body = trim(output);
  const std::size_t newline = body.rfind('\n');
  json line = json::parse(newline == std::string_view::npos ? body : body.substr(newline + 1), nullptr, false);
  return line.is_object() ? line : json::object();
}

// A process that did not do its work: its own reason, or how it ended.
Package failure_of(const ProcessOutcome& ended, bool traced, std::chrono::milliseconds limit) {
  using model::Outcome;
  const char* const step = traced ? "making its package" : "tracing it";
  const json said = last_object(ended.output);
  Package none;
  none.details = last_lines(ended.error).substr(0, most_details);
  if (text_field(said, "type") == "error") {
    const std::string kind = text_field(said, "kind", 40);
    const auto own = model::outcome_from(kind);
    const bool known = own == Outcome::out_of_memory || own == Outcome::exception;
    none.outcome = known ? *own : Outcome::unsupported;
    none.why = text_field(said, "message", 500);
    if (none.why.empty()) none.why = fmt::format("{}: {}, without a message", step, to_string(none.outcome));
  } else {
    none.why = fmt::format("{}: {}: {}", step, describe(ended, limit), last_line(ended.error));
    none.outcome = ended.timed_out     ? Outcome::unsupported
                   : ended.signal == 9 ? Outcome::out_of_memory
                                       : Outcome::crashed;
    // The exit code of make_package.py for what is not the model's or the build's doing.
    if (traced && ended.exit_code == 2) none.why = fmt::format("{}: {}", python_trouble, none.why);
  }
  if (ended.timed_out || ended.signal == 9) return none;
  if (const std::string trouble = machine_trouble_of_worker(none.why + "\n" + ended.error); !trouble.empty()) {
    none.outcome = Outcome::crashed;
    if (machine_trouble_of_worker(none.why).empty()) none.why += ": " + trouble;
  }
  return none;
}

// Whether asking again would give the same answer: then it is kept.
bool is_final(const Package& none) {
  return none.outcome == model::Outcome::unsupported;
}

json refusal(const Package& none, const Place& place, const ProcessOutcome& ended, bool traced,
             std::chrono::milliseconds limit) {
  json record = {{"refused", none.why}, {"details", none.details}};
  if (ended.timed_out) {
    const char* const field = traced ? "packaging_limit" : "tracing_limit";
    const json before = record_of(place);
    const bool again = integer_field(before, field, limit.count(), limit.count()).has_value();
    record[field] = limit.count();
    record["timeouts"] = again ? enough_timeouts : 1;
  }
  return record;
}

Command python_command(const PackageMaker& maker, const Command& trace, const Place& place) {
  Command command;
  command.arguments = {maker.python.string(),
                       maker.program.string(),
                       "--trace",
                       (place.work / "trace.pt").string(),
                       "--out",
                       (place.work / "package.pt2").string(),
                       "--torch",
                       maker.libtorch.string()};
  command.environment = python_environment();
  for (const auto& [name, value] : trace.environment) command.environment[name] = value;
  command.environment["TORCHINDUCTOR_CACHE_DIR"] = (place.work / "cache").string();
  command.time_limit = maker.time_limit;
  command.cpus = trace.cpus;  // on others somebody else may measure
  return command;
}

Result<ProcessOutcome> run_step(const PackageWork& work, Command command, const Place& place,
                                const std::stop_token& stop) {
  TBCI_ASSIGN(const PrivateHome home, PrivateHome::make(work.confinement));
  home.confine(command, {place.work});
  TBCI_ASSIGN(ProcessOutcome ended, work.processes.run(command, stop));
  if (ended.interrupted && stop.stop_requested())
    return fail(ErrorKind::interrupted, "making a package of AOTInductor: stopped");
  return ended;
}

Result<Package> make(const PackageWork& work, Command trace, const Place& place, const std::stop_token& stop) {
  trace.arguments.insert(trace.arguments.end(), {"--out", (place.work / "trace.pt").string()});
  trace.memory_limit_bytes.reset();
  std::chrono::nanoseconds time{};
  for (const bool traced : {false, true}) {
    const Command command = traced ? python_command(work.maker, trace, place) : trace;
    TBCI_ASSIGN(const ProcessOutcome ended, run_step(work, command, place, stop));
    time += ended.wall;
    if (ended.succeeded()) continue;
    Package none = failure_of(ended, traced, command.time_limit);
    if (is_final(none)) {
      const json kept = refusal(none, place, ended, traced, command.time_limit);
      TBCI_TRY(write_file_atomically(place.record, kept.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"));
    }
    return none;
  }
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(place.work / "package.pt2", error)))
    return Package{.outcome = model::Outcome::crashed, .why = "making its package: it ended without a package"};
  fs::rename(place.work / "package.pt2", place.package, error);
  if (error) return fail(ErrorKind::machine, "cannot keep {}: {}", place.package.string(), error.message());
  const auto bytes = fs::file_size(place.package, error);
  if (error) return fail(ErrorKind::machine, "cannot keep {}: {}", place.package.string(), error.message());
  TBCI_TRY(write_file_atomically(place.record, json{{"nanoseconds", time.count()}, {"bytes", bytes}}.dump() + "\n"));
  return Package{.file = place.package, .time = time};
}

}  // namespace

PackageMaker package_maker(const AotiSettings& settings, const model::Product& product,
                           const std::filesystem::path& worker) {
  PackageMaker maker{.python = settings.python.empty() ? product.python : settings.python,
                     .program = settings.program,
                     .libtorch = product.libtorch.empty() ? fs::path() : fs::absolute(product.libtorch),
                     .folder = worker.parent_path() / "packages",
                     .time_limit = settings.time_limit};
  maker.unavailable_reason = why_no_packages(maker);
  return maker;
}

Result<Package> ensure_package(const PackageWork& work, Command trace, std::stop_token stop) {
  if (!work.maker.unavailable_reason.empty())
    return Package{.outcome = model::Outcome::unsupported, .why = work.maker.unavailable_reason};
  TBCI_ASSIGN(const Place place, place_of(work, trace, stop));
  const StepLimits limits{.tracing = trace.time_limit, .packaging = work.maker.time_limit};
  if (auto known = recorded(place, limits)) return std::move(*known);
  TBCI_TRY(make_directories(work.maker.folder));
  TBCI_ASSIGN(const FileLock lock,
              wait_for_lock(place.lock, "another process that makes the same package", work.clock, stop));
  if (auto known = recorded(place, limits)) return std::move(*known);
  std::error_code ignored;
  fs::remove_all(place.work, ignored);
  TBCI_TRY(make_directories(place.work));
  auto made = make(work, std::move(trace), place, stop);
  fs::remove_all(place.work, ignored);
  return made;
}

}  // namespace tbci::runner
