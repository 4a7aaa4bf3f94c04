#include "web/pages/series_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "web/http/message.hpp"
#include "web/pages/page.hpp"
#include "web/pages/series_plot.hpp"
#include "web/queries/improvements.hpp"

namespace tbci::web {

namespace {

using queries::HistoryNight;
using queries::HistoryView;

Html link(const std::string& address, std::string_view text, bool chosen) {
  Html html;
  html << "<li><a href=\"" << Text{address} << "\"" << (chosen ? Markup(" aria-current=\"page\"") : Markup("")) << ">"
       << Text{text} << "</a></li>";
  return html;
}

bool is_of_gpu(model::Metric metric) {
  using enum model::Metric;
  return metric == gpu_memory || metric == gpu_leak || metric == gpu_reserved;
}

/// Links to the other configurations and metrics of the benchmark, and to more or fewer nights.
Html choices(const SeriesPage& page) {
  const HistoryView& view = page.history;
  Html html;
  html << "<nav class=\"choices\" aria-label=\"Other series\"><ul>";
  for (const model::Case& one : page.cases) {
    if (one.benchmark != view.series.benchmark) continue;
    model::Series series = view.series;
    series.configuration = one.configuration;
    if (is_of_gpu(series.metric) && !is_on_gpu(one.configuration)) series.metric = model::Metric::time;
    html << link(series_address(view.subject, series), to_string(one.configuration),
                 one.configuration == view.series.configuration);
  }
  html << "</ul><ul>";
  for (const model::Metric metric : model::all_metrics) {
    if (is_of_gpu(metric) && !is_on_gpu(view.series.configuration)) continue;
    model::Series series = view.series;
    series.metric = metric;
    html << link(series_address(view.subject, series), to_string(metric), metric == view.series.metric);
  }
  html << "</ul><ul>";
  for (const int nights : {90, 365, queries::most_history_nights}) {
    html << link(fmt::format("{}&nights={}", series_address(view.subject, view.series), nights),
                 nights == queries::most_history_nights ? "all nights" : fmt::format("{} nights", nights),
                 nights == page.nights);
  }
  html << "</ul></nav>\n";
  return html;
}

Html facts(const HistoryView& view) {
  Html html;
  html << "<p class=\"facts\"><strong>" << Text{fmt::to_string(view.nights.size())} << "</strong> nights on <strong>"
       << Text{view.runner} << "</strong>";
  if (view.earlier > 0) html << ", and " << Text{fmt::to_string(view.earlier)} << " older ones";
  if (!view.nights.empty()) {
    html << "; latest <strong>" << Text{readable(view.series.metric, view.nights.back().value)}
         << "</strong> on <a href=\"" << Text{page_address(view.subject, view.nights.back().name)} << "\">"
         << Text{view.nights.back().name} << "</a>";
  }
  html << ".";
  for (const std::string& runner : view.other_runners) {
    html << " <a href=\"" << Text{series_address(view.subject, view.series)}
         << "&amp;runner=" << Text{http::percent_encoded(runner)} << "\">On " << Text{runner} << "</a>.";
  }
  html << "</p>\n";
  return html;
}

Html legend() {
  Html html;
  html
      << "<ul class=\"legend\"><li><i class=\"key point\"></i>a night: median over its processes, with their range</li>"
         "<li><i class=\"key level\"></i>level between change points</li>"
         "<li><i class=\"key slow\"></i>confirmed regression</li>"
         "<li><i class=\"key moved\"></i>the machine changed</li></ul>\n";
  return html;
}

/// The cells of a row of the table of marks.
struct Mark {
  std::string_view kind;
  double before = 0, after = 0, change = 0;
  bool has_numbers = false;
  std::string detail;
};

std::vector<Mark> marks_of(const HistoryView& view, std::size_t i) {
  const HistoryNight& night = view.nights[i];
  std::vector<Mark> marks;
  for (const auto& point : view.change_points) {
    if (point.night != i) continue;
    marks.push_back({"change point", point.before, point.after, point.change, true,
                     fmt::format("p = {:.2g}; where the level changed, not a verdict", point.p)});
  }
  if (night.regression) {
    const model::Finding& finding = night.regression->finding;
    std::string detail(to_string(night.regression->state));
    const auto& suspects = night.regression->suspects;
    if (suspects.size() == 1) detail += ", culprit " + suspects.front();
    if (suspects.size() > 1) detail += ", culprit among " + join(suspects, ", ");
    if (!night.regression->reason.empty()) detail += ": " + night.regression->reason;
    marks.push_back({"regression", finding.before, finding.after, finding.change, true, detail});
  }
  if (night.improvement) {
    const model::Finding& finding = night.improvement->finding;
    marks.push_back(
        {"improvement", finding.before, finding.after, finding.change, true, queries::commit_text(*night.improvement)});
  }
  if (!night.ended.empty()) marks.push_back({"recovered", 0, 0, 0, false, night.ended});
  if (!night.environment_change.empty())
    marks.push_back({"environment-changed", 0, 0, 0, false, night.environment_change});
  return marks;
}

Html mark_row(const HistoryView& view, const HistoryNight& night, const Mark& mark) {
  const model::Metric metric = view.series.metric;
  Html html;
  html << "<tr><th scope=\"row\"><a href=\"" << Text{page_address(view.subject, night.name)} << "\">"
       << Text{night.name} << "</a></th><td>" << chip(mark.kind) << "</td>";
  for (const std::string& text : {mark.has_numbers ? readable(metric, mark.before) : std::string(),
                                  mark.has_numbers ? readable(metric, mark.after) : std::string(),
                                  mark.has_numbers ? human_change(mark.change) : std::string()}) {
    html << "<td class=\"number\">" << Text{text} << "</td>";
  }
  html << "<td class=\"reason\">" << Text{one_line(mark.detail, 600)} << "</td></tr>\n";
  return html;
}

Html marks_section(const HistoryView& view) {
  Html rows;
  for (std::size_t i = view.nights.size(); i-- > 0;) {
    for (const Mark& mark : marks_of(view, i)) rows << mark_row(view, view.nights[i], mark);
  }
  Html html;
  html << "<section>\n<h2>What changed</h2>\n";
  if (rows.empty()) {
    html << "<p class=\"empty\">No change point, no regression, and no change of the machine.</p>\n";
  } else {
    html << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"What changed\"><table><thead><tr>"
            "<th scope=\"col\">Night</th><th scope=\"col\">What</th><th scope=\"col\" class=\"number\">Before</th>"
            "<th scope=\"col\" class=\"number\">After</th><th scope=\"col\" class=\"number\">Change</th>"
            "<th scope=\"col\">Detail</th></tr></thead><tbody>\n"
         << rows << "</tbody></table></div>\n";
  }
  html << "</section>\n";
  return html;
}

Html nights_section(const HistoryView& view) {
  const model::Metric metric = view.series.metric;
  Html html;
  html << "<section><details id=\"nights\"><summary>All " << Text{fmt::to_string(view.nights.size())}
       << " nights</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All nights\"><table>"
          "<thead><tr><th scope=\"col\">Night</th><th scope=\"col\" class=\"number\">Value</th>"
          "<th scope=\"col\" class=\"number\">Lowest</th><th scope=\"col\" class=\"number\">Highest</th>"
          "<th scope=\"col\" class=\"number\">Processes</th><th scope=\"col\">Verdict</th></tr></thead><tbody>\n";
  for (auto night = view.nights.rbegin(); night != view.nights.rend(); ++night) {
    html << "<tr><th scope=\"row\"><a href=\"" << Text{page_address(view.subject, night->name)} << "\">"
         << Text{night->name} << "</a></th>";
    for (const double value : {night->value, night->lowest, night->highest})
      html << "<td class=\"number\">" << Text{readable(metric, value)} << "</td>";
    html << "<td class=\"number\">" << Text{fmt::to_string(night->processes)} << "</td><td>";
    if (night->finding) html << chip(to_string(night->finding->verdict));
    html << "</td></tr>\n";
  }
  html << "</tbody></table></div></details></section>\n";
  return html;
}

Html footer(const SeriesPage& page) {
  std::string address = "/api" + series_address(page.history.subject, page.history.series);
  address += fmt::format("&nights={}", page.nights);
  Html html;
  html << "<footer>\n<p>As of " << time_html(page.status.now) << ". As JSON: <a href=\"" << Text{address}
       << "\">this series</a>.</p>\n</footer>\n";
  return html;
}

}  // namespace

std::string series_html(const SeriesPage& page) {
  const HistoryView& view = page.history;
  const std::string name = to_string(view.series);
  Html html;
  html << head(name + " - " + view.subject + " - tbci") << "<body>\n"
       << header(page.status, view.subject) << "<main id=\"live\">\n<section>\n<h1>" << Text{view.series.benchmark}
       << " <span class=\"quiet\">" << Text{to_string(view.series.configuration)} << " "
       << Text{to_string(view.series.metric)} << "</span></h1>\n"
       << choices(page);
  if (view.nights.empty()) {
    html << "<p class=\"empty\">No values of this series yet.</p>\n</section>\n";
  } else {
    html << facts(view) << "<div class=\"scroll plot\" tabindex=\"0\" role=\"region\" aria-label=\"Drawing\">"
         << series_plot(view) << "</div>\n"
         << legend() << "</section>\n"
         << marks_section(view) << nights_section(view);
  }
  html << footer(page) << "</main>\n</body>\n</html>\n";
  return html.string();
}

}  // namespace tbci::web
