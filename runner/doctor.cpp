#include "runner/doctor.hpp"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/environment.hpp"
#include "runner/libtorch.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

struct Tool {
  const char* name;
  const char* purpose;
  bool needed;
};

// What each is for stands in the finding, so that a person can judge what its absence costs.
constexpr Tool tools[] = {
    {"c++", "builds the worker and commits", true},
    {"cmake", "builds the worker", true},
    {"ninja", "builds the worker", true},
    {"make", "builds the miniature", false},
    {"git", "fetches and checks out commits", true},
    {"python3", "installs nightlies with pip", true},
    {"ccache", "makes rebuilding cheap", false},
    {"mold", "links faster", false},
    {"ldd", "tells whether a LibTorch loads", true},
};

std::string first_line(std::string_view text) {
  const std::string_view body = trim(text);
  return one_line(body.substr(0, body.find('\n')), 100);
}

std::map<std::string, std::string> find_tools(ProcessRunner& processes, std::stop_token stop) {
  std::map<std::string, std::string> found;
  for (const Tool& tool : tools) {
    Command command;
    command.arguments = {tool.name, "--version"};
    command.time_limit = std::chrono::seconds(10);
    const auto outcome = processes.run(command, stop);
    if (outcome && outcome->succeeded()) found[tool.name] = first_line(outcome->output);
  }
  return found;
}

bool counts_instructions() {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof wanted;
  wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
  wanted.disabled = 1;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  const long descriptor = ::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) return false;
  ::close(static_cast<int>(descriptor));
  return true;
}

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
    // The name stands in brackets and may hold anything, brackets too.
    const std::size_t begin = text.find('('), finish = text.rfind(')');
    if (begin == std::string::npos || finish == std::string::npos || finish < begin) continue;
    const auto rest = split(trim(std::string_view(text).substr(finish + 1)), ' ');
    if (rest.size() < 13) continue;
    long user = 0, system = 0;
    std::from_chars(rest[11].data(), rest[11].data() + rest[11].size(), user);
    std::from_chars(rest[12].data(), rest[12].data() + rest[12].size(), system);
    use[pid] = {one_line(text.substr(begin + 1, finish - begin - 1), 40), user + system};
  }
  return use;
}

std::vector<BusyProcess> watch_others(const DoctorSettings& settings, std::stop_token stop) {
  const auto before = cpu_use(settings.root);
  SystemClock().sleep_for(settings.watched, std::move(stop));
  const auto after = cpu_use(settings.root);
  const double ticks =
      static_cast<double>(::sysconf(_SC_CLK_TCK)) * std::chrono::duration<double>(settings.watched).count();
  std::vector<BusyProcess> busy;
  for (const auto& [pid, use] : after) {
    const auto earlier = before.find(pid);
    if (earlier == before.end() || ticks <= 0) continue;
    const double share = static_cast<double>(use.ticks - earlier->second.ticks) / ticks;
    if (share >= 0.1) busy.push_back({fmt::format("{} ({})", use.name, pid), share});
  }
  std::sort(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.cpu_share > b.cpu_share; });
  return busy;
}

int usable_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  return ::sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? std::max(1, CPU_COUNT(&cpus)) : 1;
}

std::string fact(const MachineFacts& facts, const std::string& name) {
  const auto found = facts.environment.facts.find(name);
  return found == facts.environment.facts.end() ? std::string() : found->second;
}

Check check_governor(const MachineFacts& facts) {
  const std::string governor = fact(facts, "governor");
  if (governor.empty()) {
    return {"governor", Health::ok, "the machine does not let us choose (as virtual machines do not)", ""};
  }
  if (governor == "performance") return {"governor", Health::ok, governor, ""};
  return {"governor", Health::warning, governor + ": the clock follows the load, and times with it",
          "cpupower frequency-set -g performance"};
}

Check check_turbo(const MachineFacts& facts) {
  if (fact(facts, "turbo") != "on") return {"turbo", Health::ok, fact(facts, "turbo").empty() ? "unknown" : "off", ""};
  return {"turbo", Health::warning, "on: the clock depends on temperature and on what the other cores do",
          "write 1 to /sys/devices/system/cpu/intel_pstate/no_turbo, or 0 to /sys/devices/system/cpu/cpufreq/boost"};
}

Check check_smt(const MachineFacts& facts) {
  if (fact(facts, "smt") != "1") return {"smt", Health::ok, fact(facts, "smt").empty() ? "unknown" : "off", ""};
  return {"smt", Health::warning, "on: two threads share a core, and slow each other",
          "write off to /sys/devices/system/cpu/smt/control, or measure on one CPU of each core"};
}

Check check_huge_pages(const MachineFacts& facts) {
  const std::string pages = fact(facts, "huge_pages");
  if (pages != "always") return {"huge pages", Health::ok, pages.empty() ? "unknown" : pages, ""};
  return {"huge pages", Health::warning, "always: whether a block gets one hangs on the memory's state",
          "write madvise to /sys/kernel/mm/transparent_hugepage/enabled"};
}

Check check_load(const MachineFacts& facts) {
  const std::string what = fmt::format("{:.2f} on {} CPUs", facts.load, facts.cpus);
  if (facts.load < 0.5 * facts.cpus) return {"load", Health::ok, what, ""};
  return {"load", Health::warning, what + ": others use the machine", "measure when nothing else runs"};
}

Check check_others(const MachineFacts& facts) {
  if (facts.busy.empty()) return {"other processes", Health::ok, "none uses a tenth of a CPU", ""};
  std::vector<std::string> names;
  for (const BusyProcess& process : facts.busy) {
    if (names.size() < 3) names.push_back(fmt::format("{} uses {:.0f}%", process.name, 100 * process.cpu_share));
  }
  return {"other processes", Health::warning, join(names, ", "), "stop them while measuring"};
}

Check check_cpu_limit(const MachineFacts& facts) {
  if (!facts.cpu_limit) return {"cpu limit", Health::ok, "none", ""};
  const std::string what = fmt::format("{:g} CPUs for the control group", *facts.cpu_limit);
  const bool throttles = *facts.cpu_limit < facts.cpus || *facts.cpu_limit != static_cast<int>(*facts.cpu_limit);
  if (!throttles) return {"cpu limit", Health::ok, what, ""};
  return {"cpu limit", Health::warning, what + ": the scheduler stops a process that used up its share",
          "give the container whole CPUs (--cpuset-cpus) and no quota"};
}

Check check_space(const MachineFacts& facts, const DoctorSettings& settings) {
  const std::string what = human_bytes(static_cast<double>(facts.free_bytes)) + " free";
  if (facts.free_bytes >= settings.needed_free_bytes) return {"space", Health::ok, what, ""};
  return {"space", Health::problem,
          fmt::format("{}, {} are needed", what, human_bytes(static_cast<double>(settings.needed_free_bytes))),
          "make space on the file system of " + settings.state.string()};
}

Check check_counters(const MachineFacts& facts) {
  if (facts.counts_instructions) return {"instruction counter", Health::ok, "there", ""};
  return {"instruction counter", Health::warning, "none: no instructions are counted beside the times",
          "on a machine of your own: sysctl kernel.perf_event_paranoid=2; a virtual machine often has none"};
}

Check check_gpu(const MachineFacts& facts) {
  const std::string name = fact(facts, "gpu0.name");
  if (name.empty()) return {"gpu", Health::ok, "none: the GPU configurations are reported as unsupported", ""};
  const std::string what = name + ", driver " + fact(facts, "gpu0.driver_version");
  if (fact(facts, "gpu0.persistence_mode") != "Disabled") return {"gpu", Health::ok, what, ""};
  return {"gpu", Health::warning, what + ", persistence mode off: the driver starts anew for each process",
          "nvidia-smi -pm 1"};
}

Check check_torch(const MachineFacts& facts) {
  if (!facts.libtorch_trouble.empty())
    return {"libtorch", Health::problem, facts.libtorch_trouble, "install it anew: tbci nightly install"};
  if (facts.libtorch.empty()) return {"libtorch", Health::ok, "none is configured", ""};
  return {"libtorch", Health::ok, facts.libtorch, ""};
}

}  // namespace

std::string_view to_string(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warning:
      return "warning";
    case Health::problem:
      break;
  }
  return "problem";
}

MachineFacts gather_facts(ProcessRunner& processes, const DoctorSettings& settings, std::stop_token stop) {
  MachineFacts facts;
  facts.environment = read_environment(processes, {settings.root, true}, stop);
  facts.tools = find_tools(processes, stop);
  facts.free_bytes = free_bytes(settings.state.empty() ? fs::path("/") : settings.state).value_or(0);
  const std::string load = read_file(settings.root / "proc/loadavg").value_or(std::string());
  std::from_chars(load.data(), load.data() + load.size(), facts.load);
  facts.cpus = usable_cpus();
  facts.cpu_limit = cpu_limit(settings.root);
  facts.busy = watch_others(settings, stop);
  facts.counts_instructions = counts_instructions();
  if (!settings.libtorch.empty()) {
    const auto version = read_torch_version(settings.libtorch);
    if (version) facts.libtorch = version->version;
    const Status loads = check_libtorch(processes, settings.libtorch, stop);
    if (!loads) facts.libtorch_trouble = loads.error().message;
    if (!version) facts.libtorch_trouble = version.error().message;
  }
  return facts;
}

std::vector<Check> judge(const MachineFacts& facts, const DoctorSettings& settings) {
  std::vector<Check> checks;
  for (const Tool& tool : tools) {
    const auto found = facts.tools.find(tool.name);
    if (found != facts.tools.end()) {
      checks.push_back({tool.name, Health::ok, found->second, ""});
    } else {
      checks.push_back({tool.name, tool.needed ? Health::problem : Health::warning,
                        fmt::format("not installed ({})", tool.purpose), "install it, as deploy/deps does"});
    }
  }
  checks.push_back(check_space(facts, settings));
  checks.push_back(check_torch(facts));
  checks.push_back(check_governor(facts));
  checks.push_back(check_turbo(facts));
  checks.push_back(check_smt(facts));
  checks.push_back(check_huge_pages(facts));
  checks.push_back(check_load(facts));
  checks.push_back(check_others(facts));
  checks.push_back(check_cpu_limit(facts));
  checks.push_back(check_counters(facts));
  checks.push_back(check_gpu(facts));
  return checks;
}

Health worst(const std::vector<Check>& checks) {
  Health health = Health::ok;
  for (const Check& check : checks) health = std::max(health, check.health);
  return health;
}

}  // namespace tbci::runner
