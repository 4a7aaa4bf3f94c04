#include "runner/nightly/shared_packages.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.hpp"
#include "runner/json_fields.hpp"
#include "runner/nightly/package_record.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t least_shared_bytes = 64 << 10;  // smaller files are not worth a second name
constexpr std::size_t longest_list = std::size_t{1} << 20;
constexpr std::size_t longest_record = std::size_t{64} << 20;
constexpr const char* list_name = ".wheels.json";

std::vector<fs::path> infos_in(const fs::path& packages) {
  std::vector<fs::path> infos;
  std::error_code error;
  for (fs::directory_iterator at(packages, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".dist-info") infos.push_back(at->path());
  }
  return infos;
}

std::vector<RecordedFile> files_of(const fs::path& info) {
  const auto text = read_file(info / "RECORD", longest_record);
  if (!text) return {};
  auto files = parse_record(*text);
  return files ? std::move(*files) : std::vector<RecordedFile>{};
}

// `NAME-VERSION` of a `.dist-info`, as one name whatever way it is written.
std::string key_of(std::string_view name, std::string_view version) {
  return normalized_package(name) + "==" + std::string(version);
}
std::string key_of(const fs::path& info) {
  const std::string stem = info.stem().string();
  const std::size_t dash = stem.find('-');
  return dash == std::string::npos ? std::string() : key_of(stem.substr(0, dash), stem.substr(dash + 1));
}

std::vector<ResolvedWheel> wheel_list(const Venv& venv) {
  const auto text = read_file(venv.folder / list_name, longest_list);
  const auto parsed = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  std::vector<ResolvedWheel> wheels;
  if (!parsed.is_array()) return wheels;
  for (const auto& one : parsed) {
    if (!one.is_object()) continue;
    wheels.push_back({text_field(one, "name", 200), text_field(one, "version", 200), text_field(one, "sha256", 64)});
  }
  return wheels;
}

bool lies_inside(const fs::path& path) {
  return !path.empty() && !path.is_absolute() && *path.begin() != "..";
}

// The files of a package from the folder of the packages on; nothing where one lies outside, or is not a file.
std::optional<std::vector<fs::path>> files_inside(const fs::path& info) {
  std::vector<fs::path> paths;
  for (const RecordedFile& file : files_of(info)) {
    const fs::path path = fs::path(file.path).lexically_normal();
    if (!lies_inside(path)) return std::nullopt;
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(info.parent_path() / path, ignored);
    if (!fs::exists(status) && path.extension() == ".pyc") continue;
    if (!fs::is_regular_file(status)) return std::nullopt;
    paths.push_back(path);
  }
  return paths.empty() ? std::nullopt : std::optional(std::move(paths));
}

// Beside it first: a kill leaves the old file, or the new one.
void replace_by_link(const fs::path& file, const fs::path& other) {
  const fs::path beside = file.parent_path() / (file.filename().string() + ".link");
  std::error_code error;
  fs::create_hard_link(other, beside, error);
  if (!error) fs::rename(beside, file, error);
  if (error) fs::remove(beside, error);
}

}  // namespace

Status keep_wheel_list(const Venv& venv, const std::vector<ResolvedWheel>& wheels) {
  nlohmann::json list = nlohmann::json::array();
  for (const ResolvedWheel& wheel : wheels)
    list.push_back({{"name", wheel.name}, {"version", wheel.version}, {"sha256", wheel.sha256}});
  return write_file_atomically(venv.folder / list_name, list.dump(1) + "\n");
}

SharedPackages SharedPackages::read(const fs::path& venvs, const Venv& own) {
  SharedPackages shared;
  std::error_code error;
  for (fs::directory_iterator at(venvs, error), end; !error && at != end; at.increment(error)) {
    const Venv venv{at->path()};
    std::error_code ignored;
    if (venv.folder != own.folder && fs::exists(venv.marker(), ignored)) shared.add(venv);
  }
  return shared;
}

void SharedPackages::add(const Venv& venv) {
  const auto packages = venv.packages();
  if (!packages) return;
  std::map<std::string, fs::path> info_by_key;
  for (const fs::path& info : infos_in(*packages)) {
    info_by_key[key_of(info)] = info;
    for (const RecordedFile& file : files_of(info)) {
      if (!file.digest.empty()) file_by_digest_.emplace(file.digest, *packages / file.path);
    }
  }
  for (const ResolvedWheel& wheel : wheel_list(venv)) {
    const auto info = info_by_key.find(key_of(wheel.name, wheel.version));
    if (!wheel.sha256.empty() && info != info_by_key.end()) info_by_wheel_.emplace(wheel.sha256, info->second);
  }
}

bool SharedPackages::link_package(const ResolvedWheel& wheel, const fs::path& packages) const {
  const auto info = info_by_wheel_.find(wheel.sha256);
  if (wheel.sha256.empty() || info == info_by_wheel_.end()) return false;
  const auto paths = files_inside(info->second);
  if (!paths) return false;
  const fs::path other = info->second.parent_path();
  std::vector<fs::path> linked;
  std::error_code error;
  for (const fs::path& path : *paths) {
    fs::create_directories((packages / path).parent_path(), error);
    if (!error) fs::create_hard_link(other / path, packages / path, error);
    if (error) break;
    linked.push_back(packages / path);
  }
  if (!error) return true;
  for (const fs::path& path : linked) fs::remove(path, error);
  return false;
}

void SharedPackages::link_files(const fs::path& packages) const {
  for (const fs::path& info : infos_in(packages)) {
    for (const RecordedFile& file : files_of(info)) {
      const auto other = file_by_digest_.find(file.digest);
      const fs::path inside = fs::path(file.path).lexically_normal();  // the list is not checked yet
      if (file.digest.empty() || other == file_by_digest_.end() || !lies_inside(inside)) continue;
      const fs::path path = packages / inside;
      std::error_code error, of_other;
      const bool plain = fs::is_regular_file(fs::symlink_status(path, error)) &&
                         fs::is_regular_file(fs::symlink_status(other->second, of_other));
      if (!plain || fs::equivalent(path, other->second, error)) continue;
      const auto bytes = fs::file_size(path, error);
      if (!error && bytes >= least_shared_bytes && bytes == fs::file_size(other->second, of_other) && !of_other)
        replace_by_link(path, other->second);
    }
  }
}

}  // namespace tbci::runner
