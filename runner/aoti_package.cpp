#include "runner/aoti_package.hpp"

#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/waiting_lock.hpp"
#include "runner/environment/fact_reader.hpp"
#include "runner/json_fields.hpp"
#include "runner/judgement.hpp"
#include "runner/python_environment.hpp"
#include "runner/source/machine_trouble.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

bool is_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name);
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (is_program(fs::path(folder) / name)) return true;
  }
  return false;
}

// As torch chooses it: CXX, else g++.
std::string why_no_compiler() {
  const char* chosen = std::getenv("CXX");
  const std::string compiler = chosen == nullptr || *chosen == '\0' ? "g++" : chosen;
  if (is_on_path(compiler)) return {};
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

Place place_of(const PackageMaker& maker, const Command& trace) {
  const std::string key =
      sha256_hex(join(trace.arguments, "\n") + "\n" + maker.python.string() + "\n" + machine_key(trace)).substr(0, 24);
  return {.package = maker.folder / (key + ".pt2"),
          .record = maker.folder / (key + ".json"),
          .lock = maker.folder / (key + ".lock"),
          .work = maker.folder / ("unfinished-" + key)};
}

// How long each of the two steps may take.
struct StepLimits {
  std::chrono::milliseconds tracing{}, packaging{};
};

// A longer limit than that which was too short asks again.
std::optional<Package> recorded(const Place& place, const StepLimits& limits) {
  const auto text = read_file(place.record);
  const json record = text ? json::parse(*text, nullptr, false) : json();
  if (!record.is_object()) return std::nullopt;
  if (std::string why = text_field(record, "refused", 500); !why.empty()) {
    for (const auto& [field, limit] :
         {std::pair("tracing_limit", limits.tracing), std::pair("packaging_limit", limits.packaging)}) {
      const auto too_short = integer_field(record, field, 0, std::int64_t{1} << 50);  // milliseconds
      if (too_short && *too_short < limit.count()) return std::nullopt;
    }
    return Package{.outcome = model::Outcome::unsupported, .why = std::move(why)};
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
Package failure_of(const ProcessOutcome& ended, const char* step, std::chrono::milliseconds limit) {
  const json said = last_object(ended.output);
  Package none;
  if (text_field(said, "type") == "error") {
    none.outcome = model::outcome_from(text_field(said, "kind", 40)).value_or(model::Outcome::unsupported);
    none.why = text_field(said, "message", 500);
    return none;
  }
  none.why = fmt::format("{}: {}: {}", step, describe(ended, limit), last_line(ended.error));
  const bool of_machine = !machine_trouble_of_worker(ended.error).empty();  // then it says nothing about the build
  none.outcome = ended.timed_out                       ? model::Outcome::unsupported
                 : ended.signal == 9                   ? model::Outcome::out_of_memory
                 : ended.exit_code == 2 && !of_machine ? model::Outcome::unsupported
                                                       : model::Outcome::crashed;
  return none;
}

// Whether asking again would give the same answer: then it is kept.
bool is_final(const Package& none, const ProcessOutcome& ended) {
  return none.outcome == model::Outcome::unsupported && ended.exit_code != 2 &&
         machine_trouble_of_worker(none.why).empty();
}

json refusal(const Package& none, const ProcessOutcome& ended, bool traced, std::chrono::milliseconds limit) {
  json record = {{"refused", none.why}};
  if (ended.timed_out) record[traced ? "packaging_limit" : "tracing_limit"] = limit.count();
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
    Package none = failure_of(ended, traced ? "making its package" : "tracing it", command.time_limit);
    if (is_final(none, ended)) {
      TBCI_TRY(write_file_atomically(place.record, refusal(none, ended, traced, command.time_limit).dump() + "\n"));
    }
    return none;
  }
  std::error_code error;
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
  const Place place = place_of(work.maker, trace);
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
