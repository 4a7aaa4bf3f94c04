// The routes under /api/. Internal to daemon/web.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/activity.hpp"
#include "daemon/http/message.hpp"

namespace tbci::storage {
class Database;
}

namespace tbci::daemon::web {

/// What a request is answered from.
struct Sources {
  storage::Database& database;
  const std::vector<std::string>& subjects;
  ActivityPicture activity;
  TimePoint now;
};

/// The answer to a path under /api/; a 404 for one that there is not.
http::Reply api_reply(const http::Request& request, const Sources& sources);
/// `{"error": "..."}`
http::Reply json_error(int status, const std::string& text);

}  // namespace tbci::daemon::web
