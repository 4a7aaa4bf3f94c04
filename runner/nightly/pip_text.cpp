#include "runner/nightly/pip_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "runner/json_fields.hpp"

namespace tbci::runner {

namespace {

bool is_version(std::string_view text) {
  static constexpr std::string_view known = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+!_-";
  return !text.empty() && text.size() < 100 && text.front() >= '0' && text.front() <= '9' &&
         text.find_first_not_of(known) == std::string_view::npos;
}

bool is_package_name(std::string_view text) {
  static constexpr std::string_view known = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text.front() != '-' && text.find_first_not_of(known) == std::string_view::npos;
}

nlohmann::json object_field(const nlohmann::json& parent, const char* name) {
  const auto field = parent.is_object() ? parent.find(name) : parent.end();
  return parent.is_object() && field != parent.end() && field->is_object() ? *field : nlohmann::json::object();
}

std::vector<std::string> versions_in(std::string_view list) {
  std::vector<std::string> versions;
  for (const std::string& part : split(list, ',')) {
    const std::string_view version = trim(part);
    if (is_version(version)) versions.emplace_back(version);
  }
  return versions;
}

}  // namespace

Result<std::vector<std::string>> parse_pip_index(std::string_view output) {
  static constexpr std::string_view heading = "Available versions:";
  const std::size_t at = output.find(heading);
  if (at == std::string_view::npos) return fail(ErrorKind::failed, "pip listed no versions: {}", one_line(output, 200));
  const std::string_view rest = output.substr(at + heading.size());
  auto versions = versions_in(rest.substr(0, rest.find('\n')));
  std::ranges::reverse(versions);  // pip prints the newest first
  return versions;
}

Result<std::vector<std::string>> parse_pip_complaint(std::string_view error) {
  static constexpr std::string_view heading = "(from versions:";
  const std::size_t at = error.find(heading);
  if (at == std::string_view::npos) return fail(ErrorKind::failed, "pip listed no versions: {}", one_line(error, 200));
  const std::string_view rest = error.substr(at + heading.size());
  return versions_in(rest.substr(0, rest.find(')')));  // the oldest first
}

Result<std::vector<ResolvedWheel>> resolved_wheels(std::string_view report) {
  const auto parsed = nlohmann::json::parse(report.begin(), report.end(), nullptr, false);
  const auto install = parsed.is_object() ? parsed.find("install") : parsed.end();
  if (!parsed.is_object() || install == parsed.end() || !install->is_array())
    return fail(ErrorKind::failed, "pip printed an installation report that tbci cannot parse: update pip");
  std::vector<ResolvedWheel> wheels;
  for (const auto& package : *install) {
    const nlohmann::json metadata = object_field(package, "metadata");
    const nlohmann::json source = object_field(package, "download_info");
    const nlohmann::json archive = object_field(source, "archive_info");
    ResolvedWheel wheel{.name = text_field(metadata, "name", 200), .version = text_field(metadata, "version", 100)};
    if (!is_package_name(wheel.name) || !is_version(wheel.version))
      return fail(ErrorKind::failed, "pip would install '{}' of version '{}', which is not a package",
                  one_line(wheel.name, 80), one_line(wheel.version, 80));
    wheel.sha256 = text_field(object_field(archive, "hashes"), "sha256", 64);
    if (wheel.sha256.size() != 64 || wheel.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
      wheel.sha256.clear();
    wheel.url = text_field(source, "url", 2000);
    wheels.push_back(std::move(wheel));
  }
  return wheels;
}

std::vector<std::string> cuda_packages(const std::vector<ResolvedWheel>& wheels) {
  std::vector<std::string> found;
  for (const ResolvedWheel& wheel : wheels) {
    const std::string& name = wheel.name;
    if (name.starts_with("nvidia-") || name.starts_with("nvidia_") || name.starts_with("cuda-")) found.push_back(name);
  }
  return found;
}

std::string requirements_for(const std::vector<ResolvedWheel>& wheels) {
  // pip wants the digests of all, or of none.
  const bool all_known = std::ranges::none_of(wheels, [](const ResolvedWheel& wheel) { return wheel.sha256.empty(); });
  std::string lines;
  for (const ResolvedWheel& wheel : wheels) {
    lines += wheel.name + "==" + wheel.version;
    lines += all_known ? " --hash=sha256:" + wheel.sha256 + "\n" : "\n";
  }
  return lines;
}

std::string pip_conflict(std::string_view output) {
  static constexpr std::string_view heading = "The conflict is caused by:\n";
  const std::size_t at = output.find(heading);
  if (at == std::string_view::npos) return {};
  std::vector<std::string> causes;
  for (const std::string& line : split(output.substr(at + heading.size()), '\n')) {
    if (!line.starts_with("    ")) break;
    causes.emplace_back(trim(line));
  }
  return one_line(join(causes, "; "), 300);
}

std::optional<std::string> main_commit_of_nightly(std::string_view message) {
  static constexpr std::string_view words = " nightly release (";
  const std::string_view subject = trim(message.substr(0, message.find('\n')));
  const std::string_view shape = "dddd-dd-dd";
  if (subject.size() != shape.size() + words.size() + 41 || !subject.ends_with(')')) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool digit = subject[i] >= '0' && subject[i] <= '9';
    if (shape[i] == 'd' ? !digit : subject[i] != shape[i]) return std::nullopt;
  }
  if (subject.substr(shape.size(), words.size()) != words) return std::nullopt;
  const std::string_view commit = subject.substr(shape.size() + words.size(), 40);
  if (commit.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  return std::string(commit);
}

}  // namespace tbci::runner
