#include "runner/environment.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// What is asked of nvidia-smi, and the fact that each answer becomes. None moves by itself.
constexpr const char* gpu_query =
    "name,driver_version,vbios_version,memory.total,clocks.max.sm,clocks.max.memory,persistence_mode,compute_mode,"
    "power.limit,mig.mode.current";

class Reader {
 public:
  explicit Reader(const EnvironmentSettings& settings) : settings_(settings) {}

  std::map<std::string, std::string> take() { return std::move(facts_); }

  void add(const std::string& name, std::string_view value) {
    const std::string text = one_line(value, 200);
    if (!text.empty()) facts_[name] = text;
  }
  std::string text(const std::string& path) const { return read_file(settings_.root / path).value_or(std::string()); }
  void add_file(const std::string& name, const std::string& path) { add(name, text(path)); }

  // The choice in brackets: `always [madvise] never`.
  void add_chosen(const std::string& name, const std::string& path) {
    const std::string choices = text(path);
    const std::size_t begin = choices.find('['), end = choices.find(']');
    if (begin < end && end != std::string::npos) add(name, choices.substr(begin + 1, end - begin - 1));
  }

  void cpu();
  void frequency();
  void memory();
  void software();

 private:
  const EnvironmentSettings& settings_;
  std::map<std::string, std::string> facts_;
};

// `model name : X` of /proc/cpuinfo or `MemTotal: X` of /proc/meminfo.
std::string field(std::string_view text, std::string_view name) {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trim(std::string_view(line).substr(0, colon)) == name)
      return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

void Reader::cpu() {
  const std::string info = text("proc/cpuinfo");
  add("cpu", field(info, "model name"));
  add("microcode", field(info, "microcode"));
  add_file("cpus_online", "sys/devices/system/cpu/online");
  add_file("smt", "sys/devices/system/cpu/smt/active");
  add_file("numa_nodes", "sys/devices/system/node/online");
  const std::string flags = " " + field(info, "flags") + " ";
  if (!info.empty()) add("hypervisor", flags.find(" hypervisor ") != std::string::npos ? "yes" : "no");
  if (flags.size() > 2) add("cpu_flags", sha256_hex(flags).substr(0, 16));
}

void Reader::frequency() {
  std::set<std::string> governors;
  std::error_code ignored;
  for (fs::directory_iterator at(settings_.root / "sys/devices/system/cpu", ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const auto governor = read_file(at->path() / "cpufreq/scaling_governor");
    if (governor && !trim(*governor).empty()) governors.emplace(trim(*governor));
  }
  add("governor", join(std::vector<std::string>(governors.begin(), governors.end()), ","));
  add_file("cpu_driver", "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
  const std::string boost(trim(text("sys/devices/system/cpu/cpufreq/boost")));
  const std::string no_turbo(trim(text("sys/devices/system/cpu/intel_pstate/no_turbo")));
  if (!boost.empty()) add("turbo", boost == "1" ? "on" : "off");
  if (!no_turbo.empty()) add("turbo", no_turbo == "0" ? "on" : "off");
}

void Reader::memory() {
  const std::string total = field(text("proc/meminfo"), "MemTotal");
  double kib = 0;
  std::from_chars(total.data(), total.data() + total.size(), kib);
  // Rounded: the kernel's own share differs by a few MiB from boot to boot.
  if (kib > 0) add("memory", fmt::format("{:.1f} GiB", std::round(kib / (1 << 19)) / 2));
  add_chosen("huge_pages", "sys/kernel/mm/transparent_hugepage/enabled");
  add_file("swappiness", "proc/sys/vm/swappiness");
  add_file("aslr", "proc/sys/kernel/randomize_va_space");
}

void Reader::software() {
  add_file("kernel", "proc/sys/kernel/osrelease");
#ifdef __GLIBC__
  add("libc", std::string("glibc ") + ::gnu_get_libc_version());
#endif
  if (const auto limit = cpu_limit(settings_.root)) add("cpu_limit", fmt::format("{:g}", *limit));
  add_file("clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource");
  // A LibTorch that is not the wheel's takes the BLAS that these links name.
  std::error_code ignored;
  for (fs::directory_iterator at(settings_.root / "etc/alternatives", ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with("libblas.so.3") && !name.starts_with("liblapack.so.3")) continue;
    std::error_code unreadable;
    const fs::path target = fs::read_symlink(at->path(), unreadable);
    if (!unreadable) add(name.substr(0, name.find('.')).substr(3), target.string());
  }
}

void add_gpus(ProcessRunner& processes, std::map<std::string, std::string>& facts, std::stop_token stop) {
  Command command;
  command.arguments = {"nvidia-smi", fmt::format("--query-gpu={}", gpu_query), "--format=csv,noheader,nounits"};
  command.time_limit = std::chrono::seconds(30);
  const auto outcome = processes.run(command, std::move(stop));
  if (!outcome || !outcome->succeeded()) return;
  const auto names = split(gpu_query, ',');
  int number = 0;
  for (const std::string& line : split(trim(outcome->output), '\n')) {
    const auto values = split(line, ',');
    if (values.size() != names.size()) continue;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string value = one_line(values[i], 80);
      if (!value.empty() && value != "[N/A]" && value != "[Not Supported]")
        facts[fmt::format("gpu{}.{}", number, names[i])] = value;
    }
    ++number;
  }
}

}  // namespace

std::optional<double> cpu_limit(const fs::path& root) {
  // `0::/some/group`: every group above counts too, and the tightest holds.
  std::string group;
  for (const std::string& line : split(read_file(root / "proc/self/cgroup").value_or(std::string()), '\n')) {
    if (line.starts_with("0::")) group = line.substr(3);
  }
  std::optional<double> tightest;
  fs::path folder = root / "sys/fs/cgroup";
  std::vector<fs::path> folders = {folder};
  for (const auto& part : fs::path(group).relative_path()) {
    if (part == "..") break;
    folders.push_back(folder /= part);
  }
  for (const fs::path& each : folders) {
    const auto parts = split(trim(read_file(each / "cpu.max").value_or(std::string())), ' ');
    double quota = 0, period = 0;
    if (parts.size() != 2) continue;
    std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), quota);
    std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), period);
    if (quota > 0 && period > 0 && (!tightest || quota / period < *tightest)) tightest = quota / period;
  }
  return tightest;
}

model::Environment read_environment(ProcessRunner& processes, const EnvironmentSettings& settings,
                                    std::stop_token stop) {
  Reader reader(settings);
  reader.cpu();
  reader.frequency();
  reader.memory();
  reader.software();
  model::Environment environment{reader.take()};
  if (const auto compiler = compiler_version(processes, stop); compiler && !compiler->empty())
    environment.facts["compiler"] = *compiler;
  if (settings.ask_gpu) add_gpus(processes, environment.facts, std::move(stop));
  return environment;
}

Result<std::string> compiler_version(ProcessRunner& processes, std::stop_token stop) {
  Command command;
  command.arguments = {"c++", "--version"};
  command.environment = {{"LC_ALL", "C"}};
  command.time_limit = std::chrono::seconds(30);
  const auto outcome = processes.run(command, std::move(stop));
  if (outcome && outcome->interrupted) return fail(ErrorKind::interrupted, "c++ --version: stopped");
  if (!outcome || !outcome->succeeded()) return std::string();
  const std::string_view text = trim(outcome->output);
  return one_line(text.substr(0, text.find('\n')));
}

std::string readable_diff(const model::Environment& before, const model::Environment& after) {
  std::set<std::string> names;
  for (const auto& [name, value] : before.facts) names.insert(name);
  for (const auto& [name, value] : after.facts) names.insert(name);
  const auto value_in = [](const model::Environment& environment, const std::string& name) {
    const auto found = environment.facts.find(name);
    return found == environment.facts.end() ? std::string("(unknown)") : found->second;
  };
  std::vector<std::string> changes;
  for (const std::string& name : names) {
    const std::string old_value = value_in(before, name), new_value = value_in(after, name);
    if (old_value != new_value) changes.push_back(fmt::format("{}: {} -> {}", name, old_value, new_value));
  }
  return join(changes, "; ");
}

}  // namespace tbci::runner
