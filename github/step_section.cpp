#include "github/step_section.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/text.hpp"
#include "github/markdown.hpp"
#include "github/report_words.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t most_parts = 8;

std::chrono::nanoseconds rounded(double nanoseconds) {
  return std::chrono::nanoseconds(std::llround(nanoseconds));
}

std::string share_text(double nanoseconds, const model::StepSplit& step) {
  return fmt::format("{:.0f}%", 100 * nanoseconds / step.difference());
}

std::string kind_text(const model::StepPart& part) {
  std::string text(to_string(part.kind));
  if (part.overhead) text += fmt::format(": {}", to_string(*part.overhead));
  return text;
}

std::string part_calls_text(const model::StepPart& part) {
  if (part.calls_before == 0 && part.calls_after == 0) return "";
  if (std::lround(part.calls_before) == std::lround(part.calls_after)) return fmt::format("{:.0f}", part.calls_after);
  return fmt::format("{:.0f} (was {:.0f})", part.calls_after, part.calls_before);
}

std::string cause_line(const model::StepSplit& step) {
  if (!step.cause) return "No single part explains the step.";
  return fmt::format("**{}**: {} ({} of the step).", kind_text(*step.cause), escaped(sentence_of(*step.cause), 300),
                     share_text(step.cause->nanoseconds, step));
}

}  // namespace

std::string step_section(const model::StepSplit& step) {
  if (step.parts.empty() || step.difference() == 0) return "";
  std::string text = fmt::format(
      "### Where the step lies\n\nAn iteration of {} took {} on the parent and {} on the culprit, recorded in {} "
      "processes each, in turn. {}\n\n"
      "| part | operator | calls | difference | of the step |\n| --- | --- | ---: | ---: | ---: |\n",
      where_text({step.measured.benchmark, step.measured.configuration, model::Metric::time}),
      human_duration(rounded(step.before)), human_duration(rounded(step.after)), step.recordings, cause_line(step));
  double rest = step.difference();
  for (std::size_t i = 0; i < step.parts.size() && i < most_parts; ++i) {
    const model::StepPart& part = step.parts[i];
    rest -= part.nanoseconds;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", kind_text(part), escaped(part.name, 100), part_calls_text(part),
                        human_difference(rounded(part.nanoseconds)), share_text(part.nanoseconds, step));
  }
  return text + fmt::format("| the rest | | | {} | {} |\n", human_difference(rounded(rest)), share_text(rest, step));
}

}  // namespace tbci::github
