#include "github/operators_section.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t most_operators = 12;
constexpr double least_step = 0.01;  // of the iteration: shares of a smaller change mean nothing

// Share of the iteration's change; `-` if that is too small to divide.
std::string share_text(const model::OperatorComparison& compared, nanoseconds difference) {
  const auto step = static_cast<double>(compared.difference().count());
  if (std::abs(step) < least_step * static_cast<double>(compared.before.count())) return "-";
  return fmt::format("{:.0f}%", 100 * static_cast<double>(difference.count()) / step);
}

std::string calls_text(const model::OperatorChange& change) {
  if (change.name == model::in_no_operator) return "";
  if (change.calls_before == change.calls_after) return fmt::format("{}", change.calls_after);
  return fmt::format("{} (was {})", change.calls_after, change.calls_before);
}

}  // namespace

std::string operators_section(const ReportFacts& facts) {
  if (!facts.operators) return "";
  const model::OperatorComparison& compared = *facts.operators;
  std::string text = fmt::format(
      "### Operators that changed\n\nProfile of {} ({}), the culprit compared with its parent: one iteration took {} "
      "before and takes {} now (medians of {} processes). Times {}.\n\n",
      escaped(compared.measured.benchmark, 100), model::to_string(compared.measured.configuration),
      human_duration(compared.before), human_duration(compared.after), compared.processes,
      is_on_gpu(compared.measured.configuration)
          ? fmt::format("are of the GPU's work, by the operator that launched it; in {} it had no work",
                        model::in_no_operator)
          : "exclude the operators that an operator calls");
  if (compared.changed.empty())
    return text + "No operator changed by more than 1% of the iteration and more than its own spread.\n";
  text +=
      "| operator | before | after | difference | share of the change | calls |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n";
  nanoseconds rest = compared.difference();
  for (std::size_t i = 0; i < compared.changed.size() && i < most_operators; ++i) {
    const model::OperatorChange& change = compared.changed[i];
    rest -= change.difference();
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", escaped(change.name, 100), human_duration(change.before),
                        human_duration(change.after), human_difference(change.difference()),
                        share_text(compared, change.difference()), calls_text(change));
  }
  return text + fmt::format("| all others | | | {} | {} | |\n", human_difference(rest), share_text(compared, rest));
}

}  // namespace tbci::github
