#include "runner/doctor.hpp"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is of POSIX

#include <algorithm>
#include <charconv>

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/doctor/checks.hpp"
#include "runner/environment.hpp"
#include "runner/environment/fact_reader.hpp"
#include "runner/libtorch.hpp"
#include "runner/nightly/uv_tool.hpp"
#include "runner/worker_environment.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

struct Tool {
  const char* name;
  const char* purpose;
  bool needed;
};

// The purpose is part of the finding, so that a reader can judge what a missing tool costs.
constexpr Tool tools[] = {
    {"c++", "builds the worker and commits", true},
    {"cmake", "builds the worker", true},
    {"ninja", "builds the worker", true},
    {"make", "builds the miniature", false},
    {"git", "fetches and checks out commits", true},
    {"python3", "installs nightlies with pip", true},
    {"ccache", "makes rebuilding cheap", false},
    {"mold", "links faster", false},
    {"ldd", "checks whether a LibTorch loads", true},
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

std::optional<std::string> find_uv(ProcessRunner& processes, std::stop_token stop) {
  const auto outcome = processes.run(uv_version(), std::move(stop));
  return outcome && outcome->succeeded() ? parse_uv_version(outcome->output) : std::nullopt;
}

// Debian's python3 has neither without packages of their own.
std::string python_trouble_of(const std::string& python, ProcessRunner& processes, std::stop_token stop) {
  if (python.empty()) return {};
  Command command;
  command.arguments = {python, "-I", "-c", "import pip, venv, ensurepip"};
  command.time_limit = std::chrono::seconds(60);
  const auto outcome = processes.run(command, std::move(stop));
  if (!outcome) return outcome.error().message;
  if (outcome->succeeded()) return {};
  const std::string error(trim(outcome->error));
  return python + ": " + one_line(error.substr(error.rfind('\n') + 1), 200);
}

// `MemTotal: 24617324 kB`
std::uint64_t kilobytes(const std::string& meminfo, const std::string& name) {
  const std::string value = field_of(meminfo, name);
  std::uint64_t count = 0;
  std::from_chars(value.data(), value.data() + value.size(), count);
  return count * 1024;
}

// CPU -> the other CPUs of its core.
std::map<int, std::vector<int>> siblings_of(const FactReader& reader) {
  std::map<int, std::vector<int>> siblings;
  for (const int cpu : from_list(reader.text("sys/devices/system/cpu/online"))) {
    auto others =
        from_list(reader.text(fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu)));
    std::erase(others, cpu);
    if (!others.empty()) siblings[cpu] = std::move(others);
  }
  return siblings;
}

// The CPUs that this process may use, as proc/ below the root says.
std::vector<int> usable_cpus(const FactReader& reader) {
  auto cpus = from_list(field_of(reader.text("proc/self/status"), "Cpus_allowed_list"));
  return cpus.empty() ? std::vector{0} : cpus;
}

void add_torch(MachineFacts& facts, ProcessRunner& processes, const DoctorSettings& settings, std::stop_token stop) {
  if (settings.libtorch.empty()) return;
  const auto version = read_torch_version(settings.libtorch);
  if (version) facts.libtorch = version->version;
  const Status loads = check_libtorch(processes, settings.libtorch, std::move(stop));
  if (!loads) facts.libtorch_trouble = loads.error().message;
  if (!version) facts.libtorch_trouble = version.error().message;
}

void add_libraries(MachineFacts& facts, ProcessRunner& processes, const DoctorSettings& settings,
                   std::stop_token stop) {
  if (settings.worker.empty()) return;
  // Not in the state folder, which may belong to another user than the one who asks.
  std::string folder = (fs::temp_directory_path() / "tbci-doctor-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return;
  const WorkerPlace place{.threads = settings.threads,
                          .cpus = settings.worker_cpus,
                          .confinement = {.folder = folder, .writable = {}},
                          .gpu = settings.gpu};
  auto loaded = ask_worker(processes, native_suite(settings.worker), {}, place, std::move(stop));
  if (loaded) facts.libraries = std::move(loaded->libraries);
  if (!loaded) facts.libraries_trouble = loaded.error().message;
  static_cast<void>(remove_tree(folder));
  std::error_code ignored;
  facts.gpu_half = fs::exists(settings.worker.parent_path() / "libtbci-gpu.so", ignored);
}

// A night has two environments side by side: the nightly, and the one that it is compared with.
Check check_space(const MachineFacts& facts, const DoctorSettings& settings) {
  const std::uint64_t needed =
      settings.needed_free_bytes + 2 * settings.cuda_builds.size() * settings.cuda_environment_bytes;
  const std::string what = human_bytes(static_cast<double>(facts.free_bytes)) + " free";
  if (facts.free_bytes >= needed) return passed("space", what);
  const std::string for_cuda =
      settings.cuda_builds.empty() ? "" : ", as a night has two environments with CUDA for each subject that has it";
  return problem("space",
                 fmt::format("{}, but {} are needed{}", what, human_bytes(static_cast<double>(needed)), for_cuda),
                 "free space on the file system of " + settings.state.string());
}

Check check_torch(const MachineFacts& facts) {
  if (!facts.libtorch_trouble.empty())
    return problem("libtorch", facts.libtorch_trouble,
                   "correct `torch` in [subject.source], or install a LibTorch there: deploy/deps --torch");
  return passed("libtorch", facts.libtorch.empty() ? "none is configured" : facts.libtorch);
}

Check check_sandbox(const MachineFacts& facts) {
  const SandboxSupport& sandbox = facts.sandbox;
  if (sandbox.version == 0) {
    return warning("sandbox",
                   sandbox.missing + ": builds and workers can write whatever tbci can, including its database",
                   "run tbci where nothing else of value lies, or on a kernel with Landlock");
  }
  const std::string what =
      fmt::format("Landlock {}: builds and workers write to their own folders only", sandbox.version);
  if (sandbox.missing.empty()) return passed("sandbox", what);
  return warning("sandbox", what + ", but " + sandbox.missing, "use a newer kernel");
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

MachineFacts gather_facts(ProcessRunner& processes, const Clock& clock, const DoctorSettings& settings,
                          std::stop_token stop) {
  const FactReader reader(settings.root);
  MachineFacts facts;
  facts.environment =
      read_environment(processes, {.root = settings.root, .ask_gpu = true, .variables = std::nullopt}, stop);
  facts.tools = find_tools(processes, stop);
  facts.uv = find_uv(processes, stop);
  facts.python_trouble = python_trouble_of(settings.python, processes, stop);
  facts.free_bytes = free_bytes(settings.state.empty() ? fs::path("/") : settings.state).value_or(0);
  const std::string load = reader.text("proc/loadavg");
  std::from_chars(load.data(), load.data() + load.size(), facts.load);
  facts.cpus = usable_cpus(reader);
  facts.group = group_limits(settings.root);
  const std::string meminfo = reader.text("proc/meminfo");
  facts.memory_bytes = kilobytes(meminfo, "MemTotal");
  facts.swapped_bytes =
      kilobytes(meminfo, "SwapTotal") - std::min(kilobytes(meminfo, "SwapTotal"), kilobytes(meminfo, "SwapFree"));
  facts.load_sample = sample_load(clock, settings.root, settings.sampling_time, stop);
  facts.siblings = siblings_of(reader);
  facts.counter = try_counter(settings.root);
  facts.sandbox = sandbox_support();
  facts.gpu = look_at_gpus(processes, settings.root, settings.gpu, stop);
  add_torch(facts, processes, settings, stop);
  add_libraries(facts, processes, settings, std::move(stop));
  return facts;
}

std::vector<Check> judge(const MachineFacts& facts, const DoctorSettings& settings) {
  std::vector<Check> checks;
  for (const Tool& tool : tools) {
    const auto found = facts.tools.find(tool.name);
    if (found != facts.tools.end()) {
      checks.push_back(passed(tool.name, found->second));
    } else {
      const std::string what = fmt::format("not installed ({})", tool.purpose),
                        remedy = "install it (deploy/deps does)";
      checks.push_back(tool.needed ? problem(tool.name, what, remedy) : warning(tool.name, what, remedy));
    }
  }
  checks.push_back(check_pip(facts, settings));
  checks.push_back(check_unpacker(facts, settings));
  checks.push_back(check_space(facts, settings));
  checks.push_back(check_torch(facts));
  checks.push_back(check_sandbox(facts));
  for (const auto& more : {check_processor(facts, settings), check_memory(facts, settings), check_neighbours(facts),
                           check_instruments(facts), check_gpus(facts, settings)}) {
    checks.insert(checks.end(), more.begin(), more.end());
  }
  return checks;
}

fs::path latest_worker(const fs::path& state) {
  fs::path latest;
  fs::file_time_type time;
  std::error_code ignored;
  for (fs::directory_iterator at(state / "workers", ignored), end; !ignored && at != end; at.increment(ignored)) {
    const fs::path worker = at->path() / "tbci-worker";
    std::error_code missing;
    const auto built = fs::last_write_time(at->path() / ".complete", missing);
    if (missing || !fs::exists(worker, missing) || (!latest.empty() && built <= time)) continue;
    latest = worker;
    time = built;
  }
  return latest;
}

Health worst(const std::vector<Check>& checks) {
  Health health = Health::ok;
  for (const Check& check : checks) health = std::max(health, check.health);
  return health;
}

}  // namespace tbci::runner
