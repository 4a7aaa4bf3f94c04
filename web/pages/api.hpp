// The routes under /api/. Internal to web/pages.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "web/activity.hpp"
#include "web/http/message.hpp"
#include "web/queries/history.hpp"

namespace tbci::storage {
class Database;
}

namespace tbci::web {

/// What a request is answered from.
struct Sources {
  storage::Database& database;
  const std::vector<std::string>& subjects;
  web::ActivityPicture activity;
  TimePoint now;
};

/// The answer to a path under /api/; a 404 for one that there is not.
http::Reply api_reply(const http::Request& request, const Sources& sources);
/// What an address of a series asks for, or why not: `path` is what stands behind /series/ (`dlrm/cpu-train/time`), the
/// parameters are ?subject=, ?nights= and ?runner=. The text is for people.
struct SeriesRefusal {
  int status = 404;
  std::string text;
};
tl::expected<queries::HistoryChoice, SeriesRefusal> series_choice(const http::Request& request, std::string_view path,
                                                                  const Sources& sources);

/// `{"error": "..."}`
http::Reply json_error(int status, const std::string& text);

}  // namespace tbci::web
