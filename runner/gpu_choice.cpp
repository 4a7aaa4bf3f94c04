#include "runner/gpu_choice.hpp"

#include "base/text.hpp"

namespace tbci::runner {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The text between two others; empty where either is missing.
std::string between(std::string_view line, std::string_view before, std::string_view behind) {
  const std::size_t begin = line.find(before);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = line.substr(begin + before.size());
  const std::size_t end = rest.find(behind);
  return end == std::string_view::npos ? std::string() : std::string(trim(rest.substr(0, end)));
}

}  // namespace

std::string why_not_a_gpu(std::string_view text) {
  constexpr std::string_view letters = "0123456789abcdefABCDEF-";
  const bool uuid = text.starts_with("GPU-") || text.starts_with("MIG-");
  if (is_number(text)) return {};
  if (uuid && text.size() > 8 && text.substr(4).find_first_not_of(letters) == std::string_view::npos) return {};
  return "must be the number of a GPU, or a UUID as `nvidia-smi -L` prints it: \"GPU-...\", \"MIG-...\"";
}

std::map<std::string, std::string> gpu_variables(const std::string& gpu) {
  if (gpu.empty()) return {};
  // nvidia-smi counts in the order of the bus, CUDA otherwise by speed.
  return {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", gpu}, {"TBCI_GPU", gpu}};
}

// `GPU 0: NVIDIA H100 (UUID: GPU-...)`, and below it `  MIG 1g.10gb     Device  0: (UUID: MIG-...)`.
Result<ChosenGpu> find_gpu(std::string_view list, const std::string& gpu) {
  std::string number;
  for (const std::string& line : split(list, '\n')) {
    const std::string uuid = between(line, "(UUID: ", ")");
    if (line.starts_with("GPU ")) number = between(line, "GPU ", ":");
    if (line.starts_with("GPU ") && (number == gpu || uuid == gpu)) return ChosenGpu{.number = number};
    if (!line.starts_with("GPU ") && !uuid.empty() && uuid == gpu)
      return ChosenGpu{.number = number, .instance = between(line, "MIG ", "Device")};
  }
  return fail(ErrorKind::machine, "[measure] gpu = \"{}\" is not on this machine; nvidia-smi lists: {}", gpu,
              trim(list).empty() ? "none" : one_line(list, 300));
}

Result<ChosenGpu> find_gpu(ProcessRunner& processes, const std::string& gpu, std::stop_token stop) {
  Command command;
  command.arguments = {"nvidia-smi", "-L"};
  command.time_limit = std::chrono::seconds(30);
  TBCI_ASSIGN(const ProcessOutcome outcome, processes.run(command, std::move(stop)));
  if (outcome.interrupted) return fail(ErrorKind::interrupted, "looking for GPU {}: stopped", gpu);
  if (!outcome.succeeded()) {
    const std::string said = one_line(outcome.output.empty() ? outcome.error : outcome.output, 240);
    return fail(ErrorKind::machine, "looking for [measure] gpu = \"{}\": nvidia-smi fails: {}", gpu,
                said.empty() ? describe(outcome, command.time_limit) : said);
  }
  return find_gpu(outcome.output, gpu);
}

}  // namespace tbci::runner
