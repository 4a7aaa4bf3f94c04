// The routes under /api/. Internal to web/pages.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "web/activity.hpp"
#include "web/http/message.hpp"
#include "web/queries/history.hpp"
#include "web/queries/queries.hpp"

namespace tbci::storage {
class Database;
}

namespace tbci::web {

/// What the answer to a request is made from.
struct Sources {
  storage::Database& database;
  const std::vector<std::string>& subjects;
  web::ActivitySnapshot activity;
  TimePoint now;
  queries::Creep creep = queries::Creep::looked_for;
};

/// The answer to a path under /api/; 404 if the path is unknown.
http::Reply api_reply(const http::Request& request, const Sources& sources);
/// Why the address of a series is wrong.
struct SeriesRefusal {
  int status = 404;
  std::string text;  ///< for people
};
/// The history that an address asks for. `path` is what follows /series/ (`dlrm/cpu-train/time`); the parameters are
/// ?subject=, ?nights= and ?runner=.
tl::expected<queries::HistoryChoice, SeriesRefusal> series_choice(const http::Request& request, std::string_view path,
                                                                  const Sources& sources);

/// `{"error": "..."}`
http::Reply json_error(int status, const std::string& text);

}  // namespace tbci::web
