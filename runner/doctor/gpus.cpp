#include "runner/doctor/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "runner/gpu_choice.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_processes = 20;

// A line of the report, with the lines that it stands below: `Max Clocks/SM`, `1980 MHz`.
struct ReportLine {
  std::string path, value;
};

// Four spaces a level. `GPU 00000000:00:06.0` has no value and stands at the margin, as does what is said of the
// driver.
class ReportReader {
 public:
  ReportLine read(const std::string& line) {
    const std::size_t indentation = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t colon = line.find(" : ");
    const std::string key = one_line(trim(line.substr(0, colon)), 80);
    path_.resize(std::min(path_.size(), indentation / 4));
    ReportLine read;
    path_.push_back(key);
    read.path = join(path_, "/");
    if (colon != std::string::npos) read.value = one_line(trim(line.substr(colon + 3)), 120);
    return read;
  }

 private:
  std::vector<std::string> path_;
};

// What `path` is behind `beginning`; empty where it begins otherwise.
std::string_view behind(std::string_view path, std::string_view beginning) {
  return path.starts_with(beginning) ? path.substr(beginning.size()) : std::string_view();
}

// Idleness is not a fault, nor are clocks that a user has set.
void add_throttling(GpuState& gpu, std::string_view reason) {
  static const std::map<std::string_view, const char*> meanings = {
      {"SW Power Cap", "power limit"},
      {"HW Slowdown", "hardware slowdown"},
      {"HW Slowdown/HW Thermal Slowdown", "heat (hardware)"},
      {"HW Slowdown/HW Power Brake Slowdown", "power brake (hardware)"},
      {"HW Thermal Slowdown", "heat (hardware)"},
      {"HW Power Brake Slowdown", "power brake (hardware)"},
      {"Sync Boost", "sync boost"},
      {"SW Thermal Slowdown", "heat (software)"},
      {"Display Clock Setting", "display clock"},
  };
  if (reason == "Idle" || reason == "Applications Clocks Setting") return;
  const auto known = meanings.find(reason);
  gpu.throttled.push_back(known == meanings.end() ? std::string(reason) : known->second);
}

void add_reason(GpuState& gpu, const ReportLine& line) {
  if (line.value != "Active") return;
  for (const std::string_view section : {"Clocks Event Reasons/", "Clocks Throttle Reasons/"}) {
    if (const auto reason = behind(line.path, section); !reason.empty()) add_throttling(gpu, reason);
  }
}

// Its name follows its number. A desktop's counts too: CUDA waits for it.
void add_process(GpuState& gpu, const ReportLine& line) {
  if (line.path == "Processes/Process ID" && gpu.processes.size() < most_processes)
    gpu.processes.push_back("process " + line.value);
  if (line.path == "Processes/Process ID/Name" && !gpu.processes.empty()) {
    std::string& last = gpu.processes.back();
    if (const auto pid = behind(last, "process "); !pid.empty()) last = fmt::format("{} ({})", line.value, pid);
  }
}

bool counts_uncorrected(std::string_view path) {
  const auto kind = behind(path, "ECC Errors/Volatile/");
  return contains(kind, "Uncorrectable") || kind == "Double Bit/Total";
}

void add_to(GpuState& gpu, const ReportLine& line) {
  const std::string& value = line.value;
  if (line.path == "Product Name") gpu.name = value;
  if (line.path == "GPU UUID") gpu.uuid = value;
  if (line.path == "Persistence Mode") gpu.persistent = value != "Disabled";
  if (line.path == "MIG Mode/Current") gpu.divided = value == "Enabled";
  if (line.path == "Clocks/SM") gpu.clock_mhz = leading_number<int>(value);
  if (line.path == "Max Clocks/SM") gpu.highest_clock_mhz = leading_number<int>(value);
  if (line.path == "Applications Clocks/Graphics") gpu.application_clock_mhz = leading_number<int>(value);
  if (counts_uncorrected(line.path)) gpu.uncorrected_errors += leading_number<std::uint64_t>(value);
  add_reason(gpu, line);
  add_process(gpu, line);
}

Result<ProcessOutcome> ask(ProcessRunner& processes, std::vector<std::string> arguments, std::stop_token stop) {
  Command command;
  command.arguments = {"nvidia-smi"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.time_limit = std::chrono::seconds(30);
  return processes.run(command, std::move(stop));
}

// Its own words stand on its standard output.
std::string trouble_of(const ProcessOutcome& outcome) {
  std::string said = one_line(trim(outcome.output.empty() ? outcome.error : outcome.output), 240);
  if (outcome.exit_code == 0 || (!said.empty() && outcome.signal == 0)) return said;
  return describe(outcome, std::chrono::seconds(30));
}

// The highest that is at most three quarters of its highest: one that it holds when it is warm.
int lower_clock(std::string_view supported, int highest) {
  int chosen = 0;
  for (const std::string& line : split(supported, '\n')) {
    const int clock = leading_number<int>(trim(line));
    if (clock <= highest * 3 / 4) chosen = std::max(chosen, clock);
  }
  return chosen;
}

// Of the GPUs only that one. A number is how nvidia-smi counts, also where it lists others before it.
void keep_chosen(GpuFacts& facts, ProcessRunner& processes, const std::string& gpu, std::stop_token stop) {
  if (facts.gpus.empty()) return;
  const auto chosen = find_gpu(processes, gpu, std::move(stop));
  if (!chosen) facts.not_found = chosen.error().message;
  std::erase_if(facts.gpus,
                [&](const GpuState& one) { return !chosen || std::to_string(one.number) != chosen->number; });
  for (GpuState& one : facts.gpus) one.instance = chosen->instance;
}

bool any_device(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    const auto number = behind(name, "nvidia");
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

GpuFacts parse_gpu_report(std::string_view text) {
  GpuFacts facts;
  ReportReader reader;
  for (const std::string& line : split(text, '\n')) {
    const ReportLine read = reader.read(line);
    if (read.path == "Driver Version") facts.driver_version = read.value;
    // Newer ones say which of its parts they mean: `CUDA UMD Version`.
    if (read.path.starts_with("CUDA ") && read.path.ends_with("Version") && read.value != "N/A")
      facts.cuda = read.value;
    if (line.starts_with("GPU ")) {
      GpuState gpu;
      gpu.number = static_cast<int>(facts.gpus.size());
      gpu.bus = read.path.substr(4);
      facts.gpus.push_back(std::move(gpu));
    }
    if (facts.gpus.empty()) continue;
    GpuState& gpu = facts.gpus.back();
    if (const auto path = behind(read.path, "GPU " + gpu.bus + "/"); !path.empty())
      add_to(gpu, {std::string(path), read.value});
  }
  return facts;
}

GpuFacts look_at_gpus(ProcessRunner& processes, const fs::path& root, const std::string& gpu, std::stop_token stop) {
  const auto outcome = ask(processes, {"-q"}, stop);
  GpuFacts facts;
  if (outcome && outcome->succeeded()) facts = parse_gpu_report(outcome->output);
  facts.tool = outcome.has_value();
  if (!outcome) facts.trouble = outcome.error().message;
  if (outcome && facts.gpus.empty()) facts.trouble = trouble_of(*outcome);
  if (!gpu.empty()) keep_chosen(facts, processes, gpu, stop);
  std::error_code ignored;
  facts.driver = fs::exists(root / "proc/driver/nvidia/version", ignored);
  facts.device = any_device(root / "dev");
  facts.unified_memory = fs::exists(root / "dev/nvidia-uvm", ignored);
  for (GpuState& one : facts.gpus) {
    const auto clocks = ask(
        processes,
        {"-i", std::to_string(one.number), "--query-supported-clocks=graphics", "--format=csv,noheader,nounits"}, stop);
    if (clocks && clocks->succeeded()) one.lower_clock_mhz = lower_clock(clocks->output, one.highest_clock_mhz);
  }
  return facts;
}

}  // namespace tbci::runner
