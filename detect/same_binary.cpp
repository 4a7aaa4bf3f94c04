#include "detect/same_binary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace tbci::detect {

namespace {

constexpr const char* unreadable = "unreadable";  // for a digest: see runner/libraries.hpp

bool is_known(const std::map<std::string, std::string>& libraries) {
  return !libraries.empty() && std::ranges::none_of(libraries, [](const auto& fact) {
    return fact.second.empty() || fact.second.find(unreadable) != std::string::npos;
  });
}

bool is_alarm(model::Verdict verdict) {
  return verdict == model::Verdict::suspect || model::is_change(verdict);
}

}  // namespace

Binaries compare_binaries(const BuildFingerprint& before, const BuildFingerprint& after) {
  if (!before.inputs.empty() && before.inputs == after.inputs) return Binaries::identical;
  if (!is_known(before.libraries) || !is_known(after.libraries)) return Binaries::unknown;
  return before.libraries == after.libraries ? Binaries::identical : Binaries::different;
}

model::Finding without_alarm(model::Finding finding, Binaries binaries) {
  const bool about_time = finding.series.metric == model::Metric::time;
  if (binaries != Binaries::identical || !about_time || !is_alarm(finding.verdict)) return finding;
  finding.reason =
      fmt::format("{}, but both builds are the same binary: not a change of the build ({} by the numbers)",
                  finding.reason.empty() ? human_change(finding.change) : finding.reason, to_string(finding.verdict));
  finding.verdict = model::Verdict::clear;
  return finding;
}

}  // namespace tbci::detect
