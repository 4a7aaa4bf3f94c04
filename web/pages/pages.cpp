#include "web/pages/pages.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "base/text.hpp"
#include "storage/database.hpp"
#include "web/pages/api.hpp"
#include "web/pages/assets.hpp"
#include "web/pages/page.hpp"
#include "web/pages/series_page.hpp"
#include "web/queries/json.hpp"

namespace tbci::web {

namespace {

using http::Reply;
using http::Request;

constexpr std::string_view static_prefix = "/static/";
constexpr std::string_view api_prefix = "/api/";
constexpr std::string_view series_prefix = "/series/";

// Shorter than the server's limit, so that the reader gets an explanation instead of a closed connection.
const storage::OpenOptions open_options{std::chrono::seconds(2)};

Reply html_reply(int status, std::string html) {
  return {status, "text/html; charset=utf-8", std::move(html), false};
}

Reply static_reply(const Request& request) {
  const auto found = asset(std::string_view(request.path).substr(static_prefix.size()));
  if (!found) return html_reply(404, error_html("404", "There is no such file."));
  return {200, std::string(found->content_type), std::string(found->body), true};
}

Reply page_reply(const Request& request, const Sources& sources) {
  queries::PageChoice choice{sources.subjects, request.parameter("subject"), request.parameter("night"), sources.creep};
  if (choice.subject.empty() && !sources.subjects.empty()) choice.subject = sources.subjects.front();
  if (!choice.subject.empty() && std::ranges::find(sources.subjects, choice.subject) == sources.subjects.end()) {
    return html_reply(404, error_html("404", "There is no subject '" + one_line(choice.subject, 80) + "'."));
  }
  const auto page = queries::page_view(sources.database, choice, sources.activity, sources.now);
  if (!page) return html_reply(503, error_html("The database cannot be read", page.error().message));
  if (!choice.night.empty() && !page->night) {
    return html_reply(
        404, error_html("404", "There is no night '" + one_line(choice.night, 80) + "' of " + choice.subject + "."));
  }
  return html_reply(200, page_html(*page));
}

Reply series_reply(const Request& request, const Sources& sources) {
  const auto choice = series_choice(request, std::string_view(request.path).substr(series_prefix.size()), sources);
  if (!choice) return html_reply(choice.error().status, error_html("No such series", choice.error().text));
  SeriesPage page;
  page.nights = choice->nights;
  auto status = queries::status_view(sources.database, sources.subjects, sources.activity, sources.now, sources.creep);
  if (!status) return html_reply(503, error_html("The database cannot be read", status.error().message));
  auto cases = queries::measured_cases(sources.database, choice->subject);
  if (!cases) return html_reply(503, error_html("The database cannot be read", cases.error().message));
  auto history = queries::history_view(sources.database, *choice);
  if (!history) return html_reply(503, error_html("The database cannot be read", history.error().message));
  page.status = std::move(*status);
  page.cases = std::move(*cases);
  page.history = std::move(*history);
  return html_reply(200, series_html(page));
}

/// Healthy: the service answers, its work goes on, and it can read its database.
Reply health_reply(const Sources& sources, const std::function<std::string()>& trouble) {
  if (const std::string text = trouble ? trouble() : std::string(); !text.empty()) return json_error(503, text);
  const auto view = queries::status_view(sources.database, sources.subjects, std::nullopt, sources.now);
  if (!view) return json_error(503, view.error().message);
  return {200, "application/json; charset=utf-8", queries::dumped({{"status", "ok"}}), false};
}

}  // namespace

http::Handler pages(PagesSettings settings, const web::Activity& activity, const Clock& clock) {
  return [settings = std::move(settings), &activity, &clock](const Request& request) -> Reply {
    if (request.path.starts_with(static_prefix)) return static_reply(request);
    const bool is_series = request.path.starts_with(series_prefix);
    const bool is_page = request.path == "/" || is_series;
    if (!is_page && request.path != "/healthz" && !request.path.starts_with(api_prefix)) {
      return html_reply(404, error_html("404", "There is no such page."));
    }
    auto database = storage::Database::open(settings.database, storage::Access::read_only, open_options);
    if (!database) {
      log::warning("the page cannot read the database: {}", database.error().message);
      if (is_page) return html_reply(503, error_html("The database cannot be read", database.error().message));
      return json_error(503, database.error().message);
    }
    const Sources sources{*database, settings.subjects, activity.snapshot(), clock.now(), settings.creep};
    if (is_series) return series_reply(request, sources);
    if (is_page) return page_reply(request, sources);
    if (request.path == "/healthz") return health_reply(sources, settings.trouble);
    return api_reply(request, sources);
  };
}

}  // namespace tbci::web
