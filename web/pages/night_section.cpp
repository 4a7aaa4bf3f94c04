#include "web/pages/night_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "web/pages/page.hpp"

namespace tbci::web {

namespace {

constexpr double threshold = 0.07;

std::string change_text(double change) {
  if (std::isnan(change)) return "unknown";
  return std::isinf(change) ? (change > 0 ? "new" : "gone") : human_change(change);
}

std::string interval_text(const model::Finding& finding) {
  if (!std::isfinite(finding.low) || !std::isfinite(finding.high)) return {};
  return fmt::format("{:+.1f} to {:+.1f}%", finding.low * 100, finding.high * 100);
}

/// The change with its interval as a small drawing from -20% to +60%, with marks at 0 and at the threshold. Larger
/// changes are drawn at the edge. Hidden from screen readers, which read the numbers.
Html picture(const model::Finding& finding) {
  static constexpr double lowest = -0.2, highest = 0.6, width = 120;
  const auto place = [](double fraction) {
    return fmt::format("{:.1f}", (std::clamp(fraction, lowest, highest) - lowest) / (highest - lowest) * width);
  };
  Html html;
  if (!std::isfinite(finding.change) || !std::isfinite(finding.low) || !std::isfinite(finding.high)) return html;
  html << "<svg class=\"interval\" viewBox=\"-4 0 128 16\" width=\"128\" height=\"16\" aria-hidden=\"true\">"
       << "<line class=\"zero\" x1=\"" << Text{place(0)} << "\" x2=\"" << Text{place(0)} << "\" y1=\"1\" y2=\"15\"/>"
       << "<line class=\"limit\" x1=\"" << Text{place(threshold)} << "\" x2=\"" << Text{place(threshold)}
       << "\" y1=\"1\" y2=\"15\"/><line class=\"range\" x1=\"" << Text{place(finding.low)} << "\" x2=\""
       << Text{place(finding.high)} << "\" y1=\"8\" y2=\"8\"/><circle cx=\"" << Text{place(finding.change)}
       << "\" cy=\"8\" r=\"3.5\"/></svg>";
  return html;
}

Html row_html(const queries::SeriesRow& row, const std::string& subject) {
  const model::Finding& finding = row.finding;
  const std::string interval = interval_text(finding);
  Html html;
  html << "<tr class=\"" << Text{to_string(finding.verdict)} << "\"><th scope=\"row\"><a href=\""
       << Text{series_address(subject, finding.series)} << "\">" << Text{finding.series.benchmark} << "</a></th><td>"
       << Text{to_string(finding.series.configuration)} << "</td><td>" << Text{to_string(finding.series.metric)}
       << "</td><td class=\"number\">" << Text{model::readable(finding.series.metric, finding.before)}
       << "</td><td class=\"number\">" << Text{model::readable(finding.series.metric, finding.after)}
       << "</td><td class=\"number change\"><strong>" << Text{change_text(finding.change)} << "</strong>";
  if (!interval.empty()) html << "<span class=\"between\">" << Text{interval} << "</span>";
  html << "</td><td class=\"drawing\">" << picture(finding) << "</td><td class=\"number pairs\">";
  if (finding.pairs > 0) {
    html << Text{fmt::to_string(finding.pairs)};
  } else {
    html << "<span class=\"quiet\">screen</span>";
  }
  html << "</td><td class=\"reason\">" << chip(to_string(finding.verdict));
  if (!finding.reason.empty()) html << " <span class=\"why\">" << Text{finding.reason} << "</span>";
  html << "</td></tr>\n";
  return html;
}

Html table_html(const queries::NightView& view, bool clear) {
  Html html;
  html
      << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Findings\"><table "
         "class=\"findings\"><thead><tr>"
         "<th scope=\"col\">Benchmark</th><th scope=\"col\">Configuration</th><th scope=\"col\">Metric</th>"
         "<th scope=\"col\" class=\"number\">Before</th><th scope=\"col\" class=\"number\">After</th>"
         "<th scope=\"col\" class=\"number\">Change</th><th scope=\"col\"><span class=\"unseen\">Drawing</span></th>"
         "<th scope=\"col\" class=\"number\">Pairs</th><th scope=\"col\">Verdict and reason</th></tr></thead><tbody>\n";
  for (const auto& row : view.rows) {
    if ((row.finding.verdict == model::Verdict::clear) == clear) html << row_html(row, view.night.subject);
  }
  html << "</tbody></table></div>\n";
  return html;
}

/// Cases that failed for the same reason: without a GPU, half of the suite.
struct UnmeasuredGroup {
  const queries::UnmeasuredCase* first = nullptr;
  std::vector<std::string> benchmarks;
  int failed = 0, processes = 0;
};

std::vector<UnmeasuredGroup> grouped(const std::vector<queries::UnmeasuredCase>& unmeasured) {
  std::map<std::tuple<model::Configuration, model::Outcome, std::string>, UnmeasuredGroup> groups;
  for (const auto& one : unmeasured) {
    UnmeasuredGroup& group = groups[{one.measured.configuration, one.outcome, one.reason}];
    if (!group.first) group.first = &one;
    group.benchmarks.push_back(one.measured.benchmark);
    group.failed += one.failed;
    group.processes += one.processes;
  }
  std::vector<UnmeasuredGroup> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

Html unmeasured_html(const std::vector<queries::UnmeasuredCase>& unmeasured) {
  Html html;
  html << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Not measured\"><table><thead><tr>"
          "<th scope=\"col\">Configuration</th><th scope=\"col\">Outcome</th><th scope=\"col\" class=\"number\">"
          "Processes</th><th scope=\"col\">Reason</th><th scope=\"col\">Benchmarks</th></tr></thead><tbody>\n";
  for (const UnmeasuredGroup& group : grouped(unmeasured)) {
    html << "<tr><th scope=\"row\">" << Text{to_string(group.first->measured.configuration)} << "</th><td>"
         << chip(to_string(group.first->outcome)) << "</td><td class=\"number\">"
         << Text{fmt::format("{} of {}", group.failed, group.processes)} << "</td><td class=\"reason\">"
         << Text{one_line(group.first->reason, 400)} << "</td><td class=\"reason\">"
         << Text{join(group.benchmarks, ", ")} << "</td></tr>\n";
  }
  html << "</tbody></table></div>\n";
  return html;
}

Html summary_html(const queries::NightView& view) {
  std::map<model::Verdict, int> counts;
  for (const auto& row : view.rows) ++counts[row.finding.verdict];
  Html html;
  html << "<ul class=\"summary\" aria-label=\"Verdicts\">";
  for (const model::Verdict verdict :
       {model::Verdict::regression, model::Verdict::suspect, model::Verdict::inconclusive,
        model::Verdict::environment_changed, model::Verdict::improvement, model::Verdict::clear}) {
    if (!counts.contains(verdict)) continue;
    html << "<li><strong>" << Text{fmt::to_string(counts[verdict])} << "</strong> " << chip(to_string(verdict))
         << "</li>";
  }
  html << "</ul>\n";
  return html;
}

Html facts_html(const queries::NightView& view) {
  const model::Night& night = view.night;
  Html html;
  html << "<p class=\"facts\">" << chip(to_string(night.stage));
  if (!night.baseline.empty()) html << " compared with <strong>" << Text{night.baseline} << "</strong>";
  html << ", started " << time_html(night.started);
  if (night.finished) {
    html << ", took "
         << Text{human_duration(std::chrono::duration_cast<std::chrono::seconds>(*night.finished - night.started))};
  }
  if (!view.runner.empty()) html << ", on <strong>" << Text{view.runner} << "</strong>";
  html << ".</p>\n";
  const std::string gap = queries::gap_text(view.skipped);
  if (!gap.empty()) html << "<p class=\"note\">The range is wider, as " << Text{gap} << ".</p>\n";
  if (!night.note.empty()) html << "<p class=\"note\">" << Text{night.note} << "</p>\n";
  return html;
}

Html environment_html(const queries::NightView& view) {
  Html html;
  if (view.environment.empty()) return html;
  if (!view.environment_change.empty()) {
    html << "<p class=\"note\">The machine has changed since the night before: " << Text{view.environment_change}
         << ".</p>\n";
  }
  html << "<details id=\"machine\"><summary>The machine</summary><dl class=\"machine\">";
  for (const auto& [name, value] : view.environment) {
    html << "<dt>" << Text{name} << "</dt><dd>" << Text{value} << "</dd>";
  }
  html << "</dl></details>\n";
  return html;
}

}  // namespace

Html night_section(const queries::PageView& page) {
  const queries::NightView& view = *page.night;
  const auto clear = std::ranges::count(view.rows, model::Verdict::clear,
                                        [](const queries::SeriesRow& row) { return row.finding.verdict; });
  const bool all_clear = clear == static_cast<std::ptrdiff_t>(view.rows.size());
  Html html;
  html << "<section>\n<h1><span class=\"quiet\">Night</span> " << Text{view.night.name} << "</h1>\n"
       << facts_html(view) << summary_html(view);
  if (view.rows.empty()) {
    html << "<p class=\"empty\">" << (view.night.finished ? Markup("No findings.") : Markup("No findings yet."))
         << "</p>\n";
  } else if (!all_clear) {
    html << table_html(view, false);
  }
  if (clear > 0) {
    html << "<details id=\"clear\"" << (all_clear ? Markup(" open") : Markup("")) << "><summary>"
         << Text{fmt::format("{} clear series", clear)} << "</summary>" << table_html(view, true) << "</details>\n";
  }
  if (!view.unmeasured.empty()) {
    html << "<details id=\"not-measured\" open><summary>"
         << Text{fmt::format("{} cases with failed or unsupported processes", view.unmeasured.size())} << "</summary>"
         << unmeasured_html(view.unmeasured) << "</details>\n";
  }
  html << environment_html(view) << "</section>\n";
  return html;
}

}  // namespace tbci::web
