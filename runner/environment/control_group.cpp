#include "runner/environment/control_group.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  return std::string(trim(read_file(path).value_or(std::string())));
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename T>
void tighten(std::optional<T>& limit, T value) {
  if (!limit || value < *limit) limit = value;
}

// `mount` and every group on the path to `group`. Inside a container the path is often the host's, so callers skip
// missing folders.
std::vector<fs::path> folders_to(const fs::path& mount, const std::string& group) {
  std::vector<fs::path> folders = {mount};
  fs::path folder = mount;
  for (const auto& part : fs::path(group).relative_path()) {
    if (part == "..") break;
    folders.push_back(folder /= part);
  }
  return folders;
}

// `nr_throttled 5` of cpu.stat, in both versions.
std::uint64_t throttled_in(const fs::path& folder) {
  for (const std::string& line : split(text_of(folder / "cpu.stat"), '\n')) {
    const auto words = split(line, ' ');
    if (words.size() == 2 && words[0] == "nr_throttled")
      return static_cast<std::uint64_t>(number(words[1]).value_or(0));
  }
  return 0;
}

void add_quota(GroupLimits& limits, std::string_view quota, std::string_view period) {
  const auto used = number(quota), of = number(period);
  if (used && of && *used > 0 && *of > 0) tighten(limits.cpus, *used / *of);
}

void add_memory(GroupLimits& limits, std::string_view text) {
  // Version 1 writes the largest number of whole pages if there is no limit.
  constexpr double no_limit = 1e18;
  const auto bytes = number(text);
  if (bytes && *bytes > 0 && *bytes < no_limit) tighten(limits.memory_bytes, static_cast<std::uint64_t>(*bytes));
}

void read_version_2(GroupLimits& limits, const fs::path& mount, const std::string& group) {
  for (const fs::path& folder : folders_to(mount, group)) {
    const auto parts = split(text_of(folder / "cpu.max"), ' ');
    if (parts.size() == 2) add_quota(limits, parts[0], parts[1]);
    add_memory(limits, text_of(folder / "memory.max"));
    if (const std::string cpus = text_of(folder / "cpuset.cpus.effective"); !cpus.empty()) limits.cpu_list = cpus;
    limits.throttled = std::max(limits.throttled, throttled_in(folder));
  }
}

void read_version_1(GroupLimits& limits, const fs::path& mount, const std::string& controllers,
                    const std::string& group) {
  for (const fs::path& folder : folders_to(mount / controllers, group)) {
    add_quota(limits, text_of(folder / "cpu.cfs_quota_us"), text_of(folder / "cpu.cfs_period_us"));
    add_memory(limits, text_of(folder / "memory.limit_in_bytes"));
    if (const std::string cpus = text_of(folder / "cpuset.cpus"); !cpus.empty()) limits.cpu_list = cpus;
    limits.throttled = std::max(limits.throttled, throttled_in(folder));
  }
}

}  // namespace

GroupLimits group_limits(const fs::path& root) {
  GroupLimits limits;
  const fs::path mount = root / "sys/fs/cgroup";
  bool found = false;
  // `0::/some/group` in version 2, `4:cpu,cpuacct:/some/group` in version 1.
  for (const std::string& line : split(read_file(root / "proc/self/cgroup").value_or(std::string()), '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    found = true;
    if (controllers.empty()) {
      read_version_2(limits, mount, group);
    } else if (controllers.find('=') == std::string::npos) {  // `name=systemd` limits nothing
      read_version_1(limits, mount, controllers, group);
    }
  }
  if (!found) read_version_2(limits, mount, "/");
  return limits;
}

}  // namespace tbci::runner
