#include "daemon/cli/show.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

std::string interval_of(const model::Finding& finding) {
  if (finding.pairs == 0) return "";
  return fmt::format("{} .. {}", human_change(finding.low), human_change(finding.high));
}

}  // namespace

std::string table_of(const std::vector<model::Finding>& findings, bool all) {
  Table table({{"series"},
               {"verdict"},
               {"before", Align::right},
               {"after", Align::right},
               {"change", Align::right},
               {"interval", Align::right},
               {"pairs", Align::right},
               {"why"}});
  for (const model::Finding& finding : findings) {
    if (!all && finding.verdict == model::Verdict::clear) continue;
    const model::Metric metric = finding.series.metric;
    table.add({to_string(finding.series), std::string(to_string(finding.verdict)), readable(metric, finding.before),
               readable(metric, finding.after), human_change(finding.change), interval_of(finding),
               finding.pairs > 0 ? std::to_string(finding.pairs) : "", one_line(finding.reason, 70)});
  }
  return table.text();
}

std::string headline(const pipeline::NightResult& result) {
  std::map<model::Verdict, std::size_t> counts;
  for (const model::Finding& finding : result.findings) ++counts[finding.verdict];
  std::vector<std::string> parts = {counted(counts[model::Verdict::regression], "regression")};
  if (counts[model::Verdict::improvement] > 0)
    parts.push_back(counted(counts[model::Verdict::improvement], "improvement"));
  if (counts[model::Verdict::inconclusive] > 0)
    parts.push_back(fmt::format("{} inconclusive", counts[model::Verdict::inconclusive]));
  parts.push_back(fmt::format("{} series clear", counts[model::Verdict::clear]));
  return fmt::format("{} against {}: {}{}", result.night.name, result.night.baseline, join(parts, ", "),
                     result.checked_before ? " (checked before)" : "");
}

namespace {

std::string line_of(const std::string& series, const model::FoundStep& step) {
  const std::string change =
      fmt::format("{}, {} .. {}", human_change(step.change), human_change(step.low), human_change(step.high));
  const std::string what = step.repair ? " undoes a part of it" : "";
  const std::string before = step.prior > 0 ? fmt::format("  {:.2g}% before anything was measured: {}\n",
                                                          100 * step.prior, one_line(step.prior_reason, 200))
                                            : "";
  if (step.suspects.size() == 1)
    return fmt::format("{}: {}{} ({}; {} certain)\n{}", series, step.suspects.front(), what, change,
                       human_certainty(step.posterior), before);
  return fmt::format("{}: one of {} commits that cannot be told apart{}: {} ({})\n{}", series, step.suspects.size(),
                     what, join(step.suspects, " "), change, before);
}

}  // namespace

std::string lines_of(const model::Bisection& bisection) {
  std::string text;
  for (const model::Answer& answer : bisection.answers) {
    const std::string series = to_string(answer.series);
    for (const model::FoundStep& step : steps_of(answer)) text += line_of(series, step);
    if (answer.suspects.empty()) text += fmt::format("{}: no culprit: {}\n", series, one_line(answer.reason, 400));
  }
  return text +
         fmt::format("{}, {}\n", counted(bisection.builds, "build"), counted(bisection.measurements, "measurement"));
}

}  // namespace tbci::daemon
