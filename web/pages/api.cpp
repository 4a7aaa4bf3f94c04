#include "web/pages/api.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/night_store.hpp"
#include "web/queries/json.hpp"

namespace tbci::web {

namespace {

using http::Reply;
using http::Request;

constexpr std::string_view series_api_prefix = "/api/series/";

/// A refusal as an error value.
template <typename T>
using Answer = tl::expected<T, Reply>;

Reply json_reply(const nlohmann::json& json) {
  return {200, "application/json; charset=utf-8", queries::dumped(json), false};
}

Reply broken(const Error& error) {
  return json_error(503, error.message);
}

Answer<std::string> subject_of(const Request& request, const Sources& sources) {
  std::string subject = request.parameter("subject");
  if (subject.empty()) {
    return tl::unexpected(json_error(400, "name a subject: ?subject= one of " + join(sources.subjects, ", ")));
  }
  if (std::ranges::find(sources.subjects, subject) == sources.subjects.end()) {
    return tl::unexpected(json_error(404, fmt::format("no subject '{}'{}", one_line(subject, 80),
                                                      did_you_mean(one_line(subject, 80), sources.subjects))));
  }
  return subject;
}

struct Range {
  std::int64_t low, high;
};

Answer<std::int64_t> number_of(const Request& request, const std::string& name, Range range,
                               std::optional<std::int64_t> otherwise) {
  const std::string text = request.parameter(name);
  if (text.empty() && otherwise) return *otherwise;
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || value < range.low || value > range.high) {
    return tl::unexpected(
        json_error(400, fmt::format("{}= must be a whole number from {} to {}", name, range.low, range.high)));
  }
  return value;
}

template <typename T>
Reply list_reply(const Result<std::vector<T>>& items) {
  if (!items) return broken(items.error());
  auto list = nlohmann::json::array();
  for (const T& item : *items) list.push_back(queries::json_of(item));
  return json_reply(list);
}

Reply status(const Sources& sources) {
  const auto view =
      queries::status_view(sources.database, sources.subjects, sources.activity, sources.now, sources.creep);
  return view ? json_reply(queries::json_of(*view)) : broken(view.error());
}

Reply nights(const Request& request, const Sources& sources) {
  const auto subject = subject_of(request, sources);
  if (!subject) return subject.error();
  const auto limit = number_of(request, "limit", {1, 5000}, 30);
  if (!limit) return limit.error();
  return list_reply(storage::NightStore(sources.database).list(*subject, static_cast<int>(*limit)));
}

Reply night(const Request& request, const Sources& sources) {
  const auto subject = subject_of(request, sources);
  if (!subject) return subject.error();
  const std::string name = request.parameter("name");
  const auto view = queries::night_view(sources.database, *subject, name);
  if (!view) return broken(view.error());
  if (*view) return json_reply(queries::json_of(**view));
  return json_error(404, name.empty() ? fmt::format("no night of {} yet", *subject)
                                      : fmt::format("no night '{}' of {}", one_line(name, 80), *subject));
}

Reply regressions(const Request& request, const Sources& sources) {
  const auto subject = subject_of(request, sources);
  if (!subject) return subject.error();
  const auto limit = number_of(request, "nights", {1, 1000}, 30);
  if (!limit) return limit.error();
  const auto view = queries::regressions_view(sources.database, *subject, static_cast<int>(*limit));
  return view ? json_reply(queries::json_of(*view)) : broken(view.error());
}

Reply report(const Request& request, const Sources& sources) {
  const auto id = number_of(request, "id", {1, INT64_MAX}, std::nullopt);
  if (!id) return id.error();
  const auto view = queries::report_view(sources.database, *id);
  if (!view) return broken(view.error());
  return *view ? json_reply(queries::json_of(**view)) : json_error(404, fmt::format("no report {}", *id));
}

Reply builds(const Request& request, const Sources& sources) {
  const auto subject = subject_of(request, sources);
  if (!subject) return subject.error();
  const auto limit = number_of(request, "limit", {1, 5000}, 100);
  if (!limit) return limit.error();
  return list_reply(storage::BuildStore(sources.database).list(*subject, static_cast<int>(*limit)));
}

Reply series(const Request& request, std::string_view path, const Sources& sources) {
  if (request.parameter("subject").empty()) return subject_of(request, sources).error();
  const auto choice = series_choice(request, path, sources);
  if (!choice) return json_error(choice.error().status, choice.error().text);
  const auto view = queries::history_view(sources.database, *choice);
  return view ? json_reply(queries::json_of(*view)) : broken(view.error());
}

}  // namespace

tl::expected<queries::HistoryChoice, SeriesRefusal> series_choice(const Request& request, std::string_view path,
                                                                  const Sources& sources) {
  queries::HistoryChoice choice;
  choice.subject = request.parameter("subject");
  choice.runner = request.parameter("runner");
  if (choice.subject.empty() && !sources.subjects.empty()) choice.subject = sources.subjects.front();
  const std::string shown = one_line(choice.subject, 80);
  if (std::ranges::find(sources.subjects, choice.subject) == sources.subjects.end()) {
    return tl::unexpected(
        SeriesRefusal{404, fmt::format("no subject '{}'{}", shown, did_you_mean(shown, sources.subjects))});
  }
  const auto series = model::series_from(path);
  if (!series) return tl::unexpected(SeriesRefusal{404, series.error().message});
  choice.series = *series;
  const auto nights = number_of(request, "nights", {1, queries::most_history_nights}, choice.nights);
  if (!nights) {
    return tl::unexpected(
        SeriesRefusal{400, fmt::format("nights= must be a whole number from 1 to {}", queries::most_history_nights)});
  }
  choice.nights = static_cast<int>(*nights);
  const auto cases = queries::measured_cases(sources.database, choice.subject);
  if (!cases) return tl::unexpected(SeriesRefusal{503, cases.error().message});
  std::vector<std::string> names;
  for (const model::Case& one : *cases) names.push_back(to_string(one));
  const std::string name = to_string(choice.series.measured_case());
  if (std::ranges::find(names, name) != names.end()) return choice;
  return tl::unexpected(SeriesRefusal{404, fmt::format("'{}' was not measured of {}{}", one_line(name, 80), shown,
                                                       did_you_mean(one_line(name, 80), names))});
}

Reply json_error(int status, const std::string& text) {
  return {status, "application/json; charset=utf-8", queries::dumped({{"error", text}}), false};
}

Reply api_reply(const Request& request, const Sources& sources) {
  if (request.path == "/api/status") return status(sources);
  if (request.path == "/api/nights") return nights(request, sources);
  if (request.path == "/api/night") return night(request, sources);
  if (request.path == "/api/regressions") return regressions(request, sources);
  if (request.path == "/api/report") return report(request, sources);
  if (request.path == "/api/builds") return builds(request, sources);
  if (request.path.starts_with(series_api_prefix))
    return series(request, std::string_view(request.path).substr(series_api_prefix.size()), sources);
  return json_error(
      404, "no such address: the API has /api/status, nights, night, regressions, report, builds and series/...");
}

}  // namespace tbci::web
