#include "repo_bisect/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::repo_bisect {

namespace {

constexpr int journal_version = 1;

std::string header() {
  return nlohmann::json{{"journal", journal_version}}.dump();
}

/// Build output is hostile and may not be UTF-8.
std::string dumped(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string text_in(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

constexpr const char* limit_name = "ended_after_ms";

std::chrono::milliseconds limit_in(const nlohmann::json& json) {
  const auto found = json.find(limit_name);
  const bool known = found != json.end() && found->is_number_integer();
  return std::chrono::milliseconds(known ? found->get<std::int64_t>() : 0);
}

void put_limit(std::chrono::milliseconds limit, nlohmann::json& json) {
  if (limit.count() > 0) json[limit_name] = limit.count();
}

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& path) {
  TBCI_TRY(make_directories(path.parent_path()));
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return fail(ErrorKind::machine, "cannot open the journal {}: {}", path.string(), std::strerror(errno));
  Journal journal(path, descriptor);
  TBCI_ASSIGN(std::string text, read_file(path));
  const std::size_t whole = text.rfind('\n') + 1;  // 0 if there is none
  if (whole < text.size() && ::ftruncate(descriptor, static_cast<off_t>(whole)) != 0)
    return fail(ErrorKind::machine, "cannot repair the journal {}: {}", path.string(), std::strerror(errno));
  text.resize(whole);
  TBCI_TRY(journal.read(text));
  if (text.empty()) TBCI_TRY(journal.append(header()));
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      builds_(std::move(other.builds_)),
      measurements_(std::move(other.measurements_)) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(builds_, other.builds_);
  std::swap(measurements_, other.measurements_);
  return *this;
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status Journal::read(const std::string& text) {
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    ++number;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    const bool known = number == 1 ? json == nlohmann::json{{"journal", journal_version}}
                                   : json.is_object() && (json.contains("build") || json.contains("run"));
    if (!known) {
      return fail(ErrorKind::machine, "this version does not understand line {} of {}: start over with --again", number,
                  path_.string());
    }
    if (json.contains("build")) {
      const auto buildable = json.find("buildable");
      builds_[text_in(json, "build")] = {.buildable = buildable != json.end() && *buildable == true,
                                         .reason = text_in(json, "reason"),
                                         .ended_after = limit_in(json)};
    } else if (json.contains("run")) {
      MeasurementRecord record{
          .value = std::nullopt, .failure = text_in(json, "failure"), .ended_after = limit_in(json)};
      if (const auto value = json.find("value"); value != json.end() && value->is_number()) record.value = *value;
      measurements_[text_in(json, "run")] = record;
    }
  }
  return {};
}

Status Journal::append(const std::string& line) {
  const std::string whole = line + "\n";
  // One call, so that a killed process leaves all of the line or nothing. Writes are short only on a full disk.
  const ssize_t written = ::write(descriptor_, whole.data(), whole.size());
  if (written == static_cast<ssize_t>(whole.size()) && ::fdatasync(descriptor_) == 0) return {};
  const std::string why = written < 0 ? std::strerror(errno) : "no space is left";
  return fail(ErrorKind::machine, "cannot write the journal {}: {}", path_.string(), why);
}

const BuildRecord* Journal::build(const std::string& commit) const {
  const auto found = builds_.find(commit);
  return found == builds_.end() ? nullptr : &found->second;
}

const MeasurementRecord* Journal::measurement(const std::string& key) const {
  const auto found = measurements_.find(key);
  return found == measurements_.end() ? nullptr : &found->second;
}

Status Journal::put_build(const std::string& commit, const BuildRecord& record) {
  nlohmann::json json = {{"build", commit}, {"buildable", record.buildable}};
  if (!record.reason.empty()) json["reason"] = record.reason;
  put_limit(record.ended_after, json);
  TBCI_TRY(append(dumped(json)));
  builds_[commit] = record;
  return {};
}

Status Journal::put_measurement(const std::string& key, const MeasurementRecord& record) {
  nlohmann::json json = {{"run", key}};
  if (record.value) json["value"] = *record.value;
  if (!record.failure.empty()) json["failure"] = record.failure;
  put_limit(record.ended_after, json);
  TBCI_TRY(append(dumped(json)));
  measurements_[key] = record;
  return {};
}

}  // namespace tbci::repo_bisect
