#include "web/pages/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "web/http/message.hpp"
#include "web/pages/assets.hpp"
#include "web/pages/improvements_section.hpp"
#include "web/pages/night_section.hpp"
#include "web/pages/regression_section.hpp"

namespace tbci::web {

namespace {

Html subject_link(const queries::SubjectView& subject, const std::string& chosen) {
  Html html;
  html << "<li><a href=\"" << Text{page_address(subject.name)} << "\"";
  if (subject.name == chosen) html << " aria-current=\"page\"";
  html << ">" << Text{subject.name};
  if (subject.open_regressions > 0) {
    const std::string count = fmt::to_string(subject.open_regressions);
    html << " <span class=\"count\" title=\"open regressions\">" << Text{count}
         << "<span class=\"unseen\"> open regression" << (subject.open_regressions == 1 ? Markup("") : Markup("s"))
         << "</span></span>";
  }
  html << "</a></li>";
  return html;
}

Html footer(const queries::PageView& page) {
  const std::string query = "?subject=" + http::percent_encoded(page.subject);
  Html html;
  html << "<footer>\n<p>As of " << time_html(page.status.now) << ". As JSON: "
       << "<a href=\"/api/status\">status</a>";
  if (page.night) {
    html << ", <a href=\"/api/night" << Text{query}
         << "&amp;name=" << Text{http::percent_encoded(page.night->night.name)} << "\">this night</a>";
  }
  if (!page.subject.empty()) {
    html << ", <a href=\"/api/nights" << Text{query} << "\">nights</a>, <a href=\"/api/regressions" << Text{query}
         << "\">regressions</a>, <a href=\"/api/builds" << Text{query} << "\">builds</a>";
  }
  html << ".</p>\n</footer>\n";
  return html;
}

Html no_night(const queries::PageView& page) {
  Html html;
  if (page.subject.empty()) {
    html << "<section><h1>No subject</h1><p class=\"empty\">The configuration has no subject yet.</p></section>\n";
  } else {
    html << "<section><h1>No night yet</h1><p class=\"empty\">The first check of " << Text{page.subject}
         << " will appear here.</p></section>\n";
  }
  return html;
}

Html bar(const web::ActivitySnapshot& activity) {
  Html html;
  if (activity.expected <= 0) return html;
  const int done = std::clamp(activity.done, 0, activity.expected);
  const std::string value = fmt::to_string(done);
  const std::string most = fmt::to_string(activity.expected);
  html << "<progress aria-label=\"progress of the stage\" max=\"" << Text{most} << "\" value=\"" << Text{value}
       << "\"></progress> <span class=\"steps\">" << Text{value} << " of " << Text{most} << "</span>";
  return html;
}

Html busy(const web::ActivitySnapshot& activity, TimePoint now) {
  Html html;
  html << "<p class=\"doing\"><span class=\"dot on\" aria-hidden=\"true\"></span><strong>" << Text{activity.subject};
  if (!activity.stage.empty()) html << " &middot; " << Text{activity.stage};
  html << "</strong> <span class=\"about\">" << Text{activity.about} << "</span></p>\n";
  if (activity.expected > 0) html << "<p class=\"bar\">" << bar(activity) << "</p>\n";
  if (!activity.step.empty()) html << "<p class=\"step\">" << Text{activity.step} << "</p>\n";
  const auto running = std::chrono::duration_cast<std::chrono::seconds>(std::max(now, activity.since) - activity.since);
  html << "<p class=\"quiet\">This stage since " << time_html(activity.since);
  if (running.count() > 0) html << ", for " << Text{human_duration(running)};
  html << ".";
  if (!activity.last_note.empty()) html << " Last: " << Text{activity.last_note} << ".";
  html << "</p>\n";
  return html;
}

}  // namespace

Html head(std::string_view title) {
  Html html;
  html << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>"
       << Text{title} << "</title>\n<link rel=\"icon\" href=\"/static/icon.svg\" type=\"image/svg+xml\">\n"
       << "<link rel=\"stylesheet\" href=\"" << Text{asset_address("style.css")} << "\">\n<script defer src=\""
       << Text{asset_address("refresh.js")} << "\"></script>\n<noscript><meta http-equiv=\"refresh\" content=\"30\">"
       << "</noscript>\n</head>\n";
  return html;
}

Html header(const queries::StatusView& status, const std::string& chosen) {
  Html html;
  html << "<header class=\"top\">\n<a class=\"brand\" href=\"/\">tbci</a>\n<nav aria-label=\"Subjects\"><ul>";
  for (const auto& subject : status.subjects) html << subject_link(subject, chosen);
  html << "</ul></nav>\n</header>\n";
  return html;
}

Html chip(std::string_view word) {
  Html html;
  html << "<span class=\"chip " << Text{word} << "\">";
  std::string readable(word);
  std::ranges::replace(readable, '_', ' ');
  std::ranges::replace(readable, '-', ' ');
  html << Text{readable} << "</span>";
  return html;
}

Html time_html(TimePoint time) {
  Html html;
  if (time == TimePoint{}) return html;
  const std::string iso = to_iso8601(time);
  html << "<time datetime=\"" << Text{iso} << "\">" << Text{iso.substr(0, 10)} << " " << Text{iso.substr(11, 5)}
       << " UTC</time>";
  return html;
}

std::string series_address(std::string_view subject, const model::Series& series) {
  return fmt::format("/series/{}/{}/{}?subject={}", http::percent_encoded(series.benchmark),
                     to_string(series.configuration), to_string(series.metric), http::percent_encoded(subject));
}

std::string page_address(std::string_view subject, std::string_view night) {
  std::string address = "/?subject=" + http::percent_encoded(subject);
  if (!night.empty()) address += "&night=" + http::percent_encoded(night);
  return address;
}

Html activity_section(const queries::StatusView& status) {
  Html html;
  html << "<section class=\"now\" aria-label=\"Running now\" aria-live=\"polite\">\n";
  if (!status.activity) {
    html << "<p class=\"doing\">The state of the service is unknown.</p>\n";
  } else if (status.activity->busy) {
    html << busy(*status.activity, status.now);
  } else {
    html << "<p class=\"doing\"><span class=\"dot\" aria-hidden=\"true\"></span><strong>Idle</strong></p>\n";
    if (!status.activity->last_note.empty()) {
      html << "<p class=\"quiet\">Last: " << Text{status.activity->last_note} << "</p>\n";
    }
  }
  if (status.activity && status.activity->next_check != TimePoint{}) {
    html << "<p class=\"quiet\">Next check " << time_html(status.activity->next_check) << ".</p>\n";
  }
  for (const model::Undelivered& one : status.undelivered_digests)
    html << "<p class=\"note\">Weekly digest: " << Text{queries::undelivered_text(one)} << "</p>\n";
  for (const queries::SubjectView& subject : status.subjects) {
    for (const model::TroubledNight& night : subject.troubled) {
      html << "<p class=\"note\"><a href=\"" << Text{page_address(subject.name, night.night)} << "\">"
           << Text{subject.name} << "</a>: " << Text{queries::trouble_text(night)} << "</p>\n";
    }
    for (const model::UnwatchedRegression& one : subject.unwatched)
      html << "<p class=\"note\">" << Text{subject.name} << ": " << Text{queries::unwatched_text(one)} << "</p>\n";
    for (const model::Undelivered& one : subject.undelivered)
      html << "<p class=\"note\">" << Text{subject.name} << ": " << Text{queries::undelivered_text(one)} << "</p>\n";
    for (const model::SkippedNightly& one : subject.skipped)
      html << "<p class=\"quiet\">" << Text{subject.name} << ": " << Text{queries::skipped_text(one)} << "</p>\n";
    if (subject.silent_anchor) {
      html << "<p class=\"note\">" << Text{subject.name} << ": " << Text{queries::silence_text(*subject.silent_anchor)}
           << "</p>\n";
    }
    if (subject.unused_anchor) {
      html << "<p class=\"quiet\">" << Text{subject.name} << ": "
           << Text{queries::switched_off_text(*subject.unused_anchor)} << "</p>\n";
    }
  }
  html << "</section>\n";
  return html;
}

std::string page_html(const queries::PageView& page) {
  Html html;
  std::string title = page.subject.empty() ? "tbci" : page.subject + " - tbci";
  if (page.night) title = page.night->night.name + " - " + title;
  html << head(title) << "<body>\n"
       << header(page.status, page.subject) << "<main id=\"live\">\n"
       << activity_section(page.status);
  if (page.night) {
    html << night_section(page) << regressions_section(page.night->found, "Regressions of this night")
         << improvements_section(page.night->improvements);
  } else {
    html << no_night(page);
  }
  if (!page.earlier.regressions.empty()) {
    html << regressions_section(page.earlier, "Open regressions of other nights");
  }
  if (!page.nights.empty()) html << nights_section(page);
  if (!page.reports.empty()) html << deliveries_section(page.reports);
  html << footer(page) << "</main>\n</body>\n</html>\n";
  return html.string();
}

std::string error_html(std::string_view title, std::string_view text) {
  Html html;
  html << head(title)
       << "<body>\n<header class=\"top\"><a class=\"brand\" href=\"/\">tbci</a></header>\n<main><section><h1>"
       << Text{title} << "</h1><p>" << Text{text}
       << "</p><p><a href=\"/\">Back to the front page</a></p></section></main>\n"
       << "</body>\n</html>\n";
  return html.string();
}

}  // namespace tbci::web
