#include "runner/worker_peaks.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "runner/json_fields.hpp"
#include "runner/worker_question.hpp"

namespace tbci::runner {

namespace {

constexpr int unknown_command = 2;  // a worker's exit code

Result<model::Peaks> peaks_in(const nlohmann::json& line) {
  const auto count = [&](const char* name) {
    return integer_field(line, name, 1, std::numeric_limits<std::int64_t>::max());
  };
  const std::string device = text_field(line, "device");
  const auto fp32 = count("fp32_flops_per_second"), bytes = count("bytes_per_second");
  const bool valid = (device == "cpu" || device == "gpu") && fp32 && bytes;
  if (!valid) return fail(ErrorKind::failed, "the worker's peaks lack a device or a number above 0");
  return model::Peaks{.gpu = device == "gpu",
                      .fp32_flops_per_second = *fp32,
                      .bf16_flops_per_second = count("bf16_flops_per_second"),
                      .bytes_per_second = *bytes};
}

}  // namespace

Result<std::vector<model::Peaks>> parse_peaks(std::string_view output) {
  std::vector<model::Peaks> all;
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).empty()) continue;
    TBCI_ASSIGN(const nlohmann::json parsed, answer_line(line));
    if (text_field(parsed, "type") != "peaks") continue;
    TBCI_ASSIGN(const model::Peaks peaks, peaks_in(parsed));
    const bool twice = std::ranges::any_of(all, [&](const model::Peaks& one) { return one.gpu == peaks.gpu; });
    if (twice) return fail(ErrorKind::failed, "the worker tells the peaks of one device twice");
    all.push_back(peaks);
  }
  if (all.empty()) return fail(ErrorKind::failed, "the worker did not tell its peaks");
  return all;
}

Result<std::vector<model::Peaks>> ask_peaks(ProcessRunner& processes, const Suite& suite, const model::Product& product,
                                            const WorkerPlace& place, std::stop_token stop) {
  const Command command = worker_question("peaks", suite, product, place);
  TBCI_ASSIGN(const ProcessOutcome ended, ask(processes, command, place, std::move(stop)));
  if (ended.exit_code == unknown_command) return std::vector<model::Peaks>{};
  if (ended.output.empty() && !ended.succeeded())
    return fail(ended.left_behind ? ErrorKind::machine : ErrorKind::failed, "{}: {}",
                describe(ended, command.time_limit), one_line(ended.error));
  return parse_peaks(ended.output);
}

}  // namespace tbci::runner
