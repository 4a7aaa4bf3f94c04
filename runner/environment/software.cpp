#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/environment/control_group.hpp"
#include "runner/environment/facts.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// The kernel's mitigations of CPU vulnerabilities, as one digest: each costs time at every system call, page fault or
// context switch.
void add_mitigations(FactReader& reader) {
  std::vector<std::string> lines;
  std::error_code ignored;
  for (fs::directory_iterator at(reader.root() / "sys/devices/system/cpu/vulnerabilities", ignored), end;
       !ignored && at != end; at.increment(ignored)) {
    const auto said = read_file(at->path());
    if (said) lines.push_back(at->path().filename().string() + ": " + one_line(*said));
  }
  std::ranges::sort(lines);
  if (!lines.empty()) reader.add("mitigations", sha256_hex(join(lines, "\n")).substr(0, 16));
}

}  // namespace

void add_software_facts(FactReader& reader) {
  reader.add_file("kernel", "proc/sys/kernel/osrelease");
  add_mitigations(reader);
#ifdef __GLIBC__
  reader.add("libc", std::string("glibc ") + ::gnu_get_libc_version());
#endif
  reader.add_file("clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource");
  const GroupLimits limits = group_limits(reader.root());
  if (limits.cpus) reader.add("cpu_limit", fmt::format("{:g}", *limits.cpus));
  if (limits.memory_bytes) reader.add("memory_limit", human_bytes(static_cast<double>(*limits.memory_bytes)));
  reader.add("cpu_set", limits.cpu_list);
  reader.add("cpus_allowed", field_of(reader.text("proc/self/status"), "Cpus_allowed_list"));
}

std::map<std::string, std::string> own_variables() {
  std::map<std::string, std::string> variables;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable(*each);
    const std::size_t equals = variable.find('=');
    if (equals != std::string_view::npos) variables.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return variables;
}

std::map<std::string, std::string> steering_variables(const std::map<std::string, std::string>& variables) {
  static constexpr const char* prefixes[] = {
      "MALLOC_",  "GLIBC_TUNABLES", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_BIND_NOW", "TCMALLOC_", "OMP_",  "GOMP_",
      "KMP_",     "MKL_",           "OPENBLAS_",  "BLIS_",           "DNNL_",       "ONEDNN_",   "ATEN_", "TORCH_",
      "PYTORCH_", "C10_",           "CUDA_",      "CUBLAS_",         "CUDNN_",      "NVIDIA_",   "NCCL_"};
  // The measurer sets these for every worker.
  static constexpr std::string_view overridden[] = {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                                    "MKL_DYNAMIC"};
  static constexpr const char* secrets[] = {"TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "KEY"};
  std::map<std::string, std::string> facts;
  for (const auto& [name, value] : variables) {
    const auto begins = [&name = name](const char* prefix) { return name.starts_with(prefix); };
    const auto holds = [&name = name](const char* word) { return name.find(word) != std::string::npos; };
    if (std::ranges::none_of(prefixes, begins)) continue;
    if (std::ranges::find(overridden, name) != std::end(overridden)) continue;
    if (std::ranges::any_of(secrets, holds)) continue;
    const std::string shown = one_line(value);
    facts["variable " + one_line(name, 80)] = shown.empty() ? "(empty)" : shown;
  }
  return facts;
}

}  // namespace tbci::runner
