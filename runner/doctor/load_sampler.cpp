#include "runner/doctor/load_sampler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

struct CpuUse {
  std::string name;
  long ticks = 0;
};

// Clock ticks that each process has used, from /proc/PID/stat.
std::map<std::string, CpuUse> cpu_use(const fs::path& root) {
  std::map<std::string, CpuUse> use;
  std::error_code ignored;
  for (fs::directory_iterator at(root / "proc", ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string pid = at->path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos || pid == std::to_string(::getpid())) continue;
    const std::string text = read_file(at->path() / "stat").value_or(std::string());
    // The name is in parentheses and may contain anything, including parentheses.
    const std::size_t begin = text.find('('), finish = text.rfind(')');
    if (begin == std::string::npos || finish == std::string::npos || finish < begin) continue;
    const auto rest = split(trim(std::string_view(text).substr(finish + 1)), ' ');
    if (rest.size() < 13) continue;
    long user = 0, system = 0;
    std::from_chars(rest[11].data(), rest[11].data() + rest[11].size(), user);
    std::from_chars(rest[12].data(), rest[12].data() + rest[12].size(), system);
    use[pid] = {.name = one_line(text.substr(begin + 1, finish - begin - 1), 40), .ticks = user + system};
  }
  return use;
}

std::vector<BusyProcess> busy_between(const std::map<std::string, CpuUse>& before,
                                      const std::map<std::string, CpuUse>& after, std::chrono::milliseconds duration) {
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK)) * std::chrono::duration<double>(duration).count();
  std::vector<BusyProcess> busy;
  for (const auto& [pid, use] : after) {
    const auto earlier = before.find(pid);
    if (earlier == before.end() || ticks <= 0) continue;
    const double share = static_cast<double>(use.ticks - earlier->second.ticks) / ticks;
    if (share >= 0.1) busy.push_back({.name = fmt::format("{} ({})", use.name, pid), .cpu_share = share});
  }
  std::ranges::sort(busy, std::ranges::greater(), &BusyProcess::cpu_share);
  return busy;
}

}  // namespace

std::map<int, CpuTimes> cpu_times(std::string_view stat) {
  std::map<int, CpuTimes> times;
  for (const std::string& line : split(stat, '\n')) {
    if (!line.starts_with("cpu")) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    int cpu = -1;
    if (space > 3) std::from_chars(line.data() + 3, line.data() + space, cpu);
    // user nice system idle iowait irq softirq steal; user and nice already include the fields after them.
    std::array<double, 8> fields{};
    std::size_t count = 0;
    for (const std::string& word : split(std::string_view(line).substr(space), ' ')) {
      if (word.empty() || count == fields.size()) continue;
      std::from_chars(word.data(), word.data() + word.size(), fields[count++]);
    }
    times[cpu] = {.busy = fields[0] + fields[1] + fields[2] + fields[5] + fields[6],
                  .idle = fields[3] + fields[4],
                  .stolen = fields[7]};
  }
  return times;
}

LoadSample sample_load(const Clock& clock, const fs::path& root, std::chrono::milliseconds duration,
                       std::stop_token stop) {
  const auto text = [&] { return read_file(root / "proc/stat").value_or(std::string()); };
  const auto use_before = cpu_use(root);
  const auto times_before = cpu_times(text());
  clock.sleep_for(duration, std::move(stop));
  const auto times_after = cpu_times(text());
  LoadSample seen;
  seen.busy = busy_between(use_before, cpu_use(root), duration);
  for (const auto& [cpu, after] : times_after) {
    const auto before = times_before.find(cpu);
    if (before == times_before.end()) continue;
    const double busy = after.busy - before->second.busy, stolen = after.stolen - before->second.stolen;
    const double all = busy + stolen + after.idle - before->second.idle;
    if (all <= 0) continue;
    if (cpu < 0) seen.stolen = stolen / all;
    if (cpu >= 0) seen.cpus[cpu] = busy / all;
  }
  return seen;
}

}  // namespace tbci::runner
