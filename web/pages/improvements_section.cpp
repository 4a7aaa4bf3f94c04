#include "web/pages/improvements_section.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "web/pages/page.hpp"
#include "web/pages/regression_section.hpp"

namespace tbci::web {

namespace {

using Group = std::vector<const queries::ImprovementView*>;

Html improved_series(const queries::ImprovementView& one) {
  const model::Finding& finding = one.improvement.finding;
  Html html;
  html << "<li><span class=\"series\">" << Text{to_string(finding.series)} << "</span> <strong>"
       << Text{human_change(finding.change)} << "</strong> <span class=\"quiet\">"
       << Text{model::readable(finding.series.metric, finding.before)} << " &rarr; "
       << Text{model::readable(finding.series.metric, finding.after)} << "</span> "
       << chip(to_string(one.improvement.state)) << "</li>";
  return html;
}

Html improving_commits(const queries::ImprovementView& one) {
  Html html;
  if (one.suspects.empty()) {
    html << "<p class=\"quiet\">" << Text{queries::commit_text(one.improvement)} << "</p>\n";
    return html;
  }
  html << "<p class=\"label\">"
       << Text{one.suspects.size() == 1
                   ? std::string("Commit")
                   : fmt::format("One of these {} commits, which cannot be told apart", one.suspects.size())}
       << "</p><ul class=\"commits\">";
  for (const model::Commit& commit : one.suspects) html << commit_html(commit);
  html << "</ul>\n";
  return html;
}

}  // namespace

Html improvements_section(const std::vector<queries::ImprovementView>& improvements) {
  std::map<std::pair<std::vector<std::string>, std::string>, Group> groups;  // by what is said of the commit
  for (const queries::ImprovementView& one : improvements)
    groups[{one.improvement.suspects, queries::commit_text(one.improvement)}].push_back(&one);
  Html html;
  if (groups.empty()) return html;
  html << "<section>\n<h2>Improvements of this night</h2>\n";
  for (const auto& [what, group] : groups) {
    html << "<article class=\"card\"><ul class=\"affected\">";
    for (const auto* one : group) html << improved_series(*one);
    html << "</ul>\n" << improving_commits(*group.front()) << "</article>\n";
  }
  html << "</section>\n";
  return html;
}

}  // namespace tbci::web
