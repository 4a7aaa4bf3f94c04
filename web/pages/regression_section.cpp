#include "web/pages/regression_section.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "web/pages/page.hpp"

namespace tbci::web {

namespace {

using Members = std::vector<const queries::RegressionView*>;

Html culprit_html(const queries::RegressionView& one) {
  Html html;
  if (one.suspects.empty()) {
    if (!one.regression.reason.empty()) html << "<p>No culprit: " << Text{one.regression.reason} << "</p>\n";
    return html;
  }
  if (one.suspects.size() == 1) {
    html << "<p class=\"label\">Culprit</p>";
  } else {
    html << "<p class=\"label\">One of these " << Text{fmt::to_string(one.suspects.size())}
         << " commits, which cannot be told apart</p>";
  }
  html << "<ul class=\"commits\">";
  for (const model::Commit& commit : one.suspects) html << commit_html(commit);
  html << "</ul>\n";
  return html;
}

Html series_html(const queries::RegressionView& one) {
  const model::Finding& finding = one.regression.finding;
  Html html;
  html << "<li><span class=\"series\">" << Text{to_string(finding.series)} << "</span> <strong>"
       << Text{finding.before == 0 ? std::string("new") : human_change(finding.change)}
       << "</strong> <span class=\"quiet\">" << Text{model::readable(finding.series.metric, finding.before)}
       << " &rarr; " << Text{model::readable(finding.series.metric, finding.after)} << "</span> "
       << chip(progress_of(one.regression));
  if (one.ended) html << " <span class=\"quiet\">" << Text{queries::ending_text(*one.ended)} << "</span>";
  html << "</li>";
  return html;
}

Html search_html(const model::Bisection& bisection) {
  Html html;
  html << "<p class=\"quiet\">" << (bisection.finished ? Markup("The search took ") : Markup("The search has taken "))
       << Text{fmt::format("{} builds and {} measurements", bisection.builds, bisection.measurements)}
       << ", from <code>" << Text{bisection.from.substr(0, 12)} << "</code> to <code>"
       << Text{bisection.to.substr(0, 12)} << "</code>.</p>\n";
  return html;
}

Html issue_html(const queries::ReportView& view) {
  Html html;
  html << "<details id=\"report-" << Text{fmt::to_string(view.report.id)} << "\"><summary>Issue text</summary><pre>"
       << Text{view.report.body} << "</pre></details>\n";
  return html;
}

/// Regressions that share a report share a card.
Html card(const Members& members, const queries::ReportView* report) {
  const queries::RegressionView& first = *members.front();
  Html html;
  html << "<article class=\"card\"><h3>"
       << Text{report ? report->report.title : to_string(first.regression.finding.series)}
       << "</h3>\n<ul class=\"affected\">";
  for (const auto* member : members) html << series_html(*member);
  html << "</ul>\n" << culprit_html(first);
  if (first.bisection) html << search_html(*first.bisection);
  if (report) html << issue_html(*report);
  html << "</article>\n";
  return html;
}

/// A web address becomes a link, a path stays text.
Html reference_html(const std::string& reference) {
  Html html;
  if (reference.starts_with("https://") || reference.starts_with("http://")) {
    html << "<a rel=\"noreferrer noopener\" href=\"" << Text{reference} << "\">" << Text{reference} << "</a>";
  } else {
    html << "<code>" << Text{reference} << "</code>";
  }
  return html;
}

Html delivery_html(const queries::ReportView& view, const model::Delivery& delivery) {
  Html html;
  html << "<tr><th scope=\"row\">" << Text{view.report.title} << "</th><td>" << time_html(view.report.created)
       << "</td><td>" << Text{delivery.channel} << "</td><td>" << chip(to_string(delivery.state))
       << "</td><td class=\"number\">" << Text{fmt::to_string(delivery.attempts)} << "</td><td class=\"reason\">";
  if (!delivery.reference.empty()) html << reference_html(delivery.reference);
  if (!delivery.error.empty()) html << " <span class=\"wrong\">" << Text{one_line(delivery.error)} << "</span>";
  if (delivery.state == model::DeliveryState::pending) {
    html << " <span class=\"quiet\">due " << time_html(delivery.next_attempt) << "</span>";
  }
  html << "</td></tr>\n";
  return html;
}

}  // namespace

Html commit_html(const model::Commit& commit) {
  Html html;
  html << "<li><code title=\"" << Text{commit.id} << "\">" << Text{commit.id.substr(0, 12)} << "</code>";
  if (!commit.subject.empty()) html << " <span class=\"subject\">" << Text{one_line(commit.subject, 200)} << "</span>";
  if (!commit.author.empty()) {
    html << " <span class=\"quiet\">by " << Text{one_line(commit.author, 80)} << ", " << time_html(commit.time)
         << "</span>";
  }
  html << "</li>";
  return html;
}

Html regressions_section(const queries::RegressionsView& view, Markup title) {
  std::map<std::int64_t, const queries::ReportView*> reports;
  for (const auto& report : view.reports) reports[report.report.id] = &report;
  std::vector<Members> cards;
  std::map<std::int64_t, std::size_t> card_of_report;
  for (const auto& one : view.regressions) {
    const auto id = one.regression.report_id;
    if (id && card_of_report.contains(*id)) {
      cards[card_of_report[*id]].push_back(&one);
      continue;
    }
    if (id) card_of_report[*id] = cards.size();
    cards.push_back({&one});
  }
  Html html;
  html << "<section>\n<h2>" << title << "</h2>\n";
  if (cards.empty()) html << "<p class=\"empty\">None.</p>\n";
  for (const Members& members : cards) {
    const auto id = members.front()->regression.report_id;
    html << card(members, id ? reports[*id] : nullptr);
  }
  html << "</section>\n";
  return html;
}

Html nights_section(const queries::PageView& page) {
  Html html;
  html << "<section>\n<h2>Recent nights</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Recent "
          "nights\">"
          "<table><thead><tr><th scope=\"col\">Night</th><th scope=\"col\">Compared with</th><th "
          "scope=\"col\">Stage</th>"
          "<th scope=\"col\">Begun</th><th scope=\"col\" class=\"number\">Took</th><th scope=\"col\">Note</th>"
          "</tr></thead><tbody>\n";
  for (const model::Night& night : page.nights) {
    const bool chosen = page.night && page.night->night.id == night.id;
    html << "<tr" << (chosen ? Markup(" class=\"chosen\"") : Markup("")) << "><th scope=\"row\"><a href=\""
         << Text{page_address(page.subject, night.name)} << "\""
         << (chosen ? Markup(" aria-current=\"page\"") : Markup("")) << ">" << Text{night.name} << "</a></th><td>"
         << Text{night.baseline} << "</td><td>" << chip(to_string(night.stage)) << "</td><td>"
         << time_html(night.started) << "</td><td class=\"number\">";
    if (night.finished) {
      html << Text{human_duration(std::chrono::duration_cast<std::chrono::seconds>(*night.finished - night.started))};
    }
    html << "</td><td class=\"reason\">" << Text{night.note} << "</td></tr>\n";
  }
  html << "</tbody></table></div>\n</section>\n";
  return html;
}

Html deliveries_section(const std::vector<queries::ReportView>& reports) {
  Html html;
  html << "<section>\n<h2>Deliveries</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Deliveries\">"
          "<table><thead><tr><th scope=\"col\">Report</th><th scope=\"col\">Written</th><th scope=\"col\">Channel</th>"
          "<th scope=\"col\">State</th><th scope=\"col\" class=\"number\">Attempts</th><th scope=\"col\">Where</th>"
          "</tr></thead><tbody>\n";
  for (const auto& report : reports) {
    for (const auto& delivery : report.deliveries) html << delivery_html(report, delivery);
  }
  html << "</tbody></table></div>\n</section>\n";
  return html;
}

}  // namespace tbci::web
