// The page of the service, and the same data as JSON. Everything is read-only.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "web/activity.hpp"
#include "web/http/message.hpp"
#include "web/queries/queries.hpp"

namespace tbci::web {

struct PagesSettings {
  std::filesystem::path database;     ///< opened for reading at each request
  std::vector<std::string> subjects;  ///< that are configured, in their order
  /// Returns what is wrong with the service as a sentence, or nothing; `/healthz` answers with it. Thread-safe.
  std::function<std::string()> trouble = {};
  queries::Creep creep = queries::Creep::looked_for;  ///< as the configuration says
};

/// `GET /` (?subject=, ?night=), `/series/BENCHMARK/CONFIGURATION/METRIC` (?subject=, ?nights=, ?runner=) and the same
/// under `/api`, `/api/status`, `/api/nights` (?subject=, ?limit=), `/api/night` (?subject=, ?name=),
/// `/api/regressions` (?subject=, ?nights=), `/api/report` (?id=), `/api/builds` (?subject=, ?limit=), `/healthz`,
/// and `/static/`. 404 for anything unknown, 400 for wrong parameters, 503 for an unreadable database; under /api/ the
/// body of an error is `{"error": "..."}`. `activity` and `clock` must outlive the handler. Thread-safe.
http::Handler pages(PagesSettings settings, const web::Activity& activity, const Clock& clock);

}  // namespace tbci::web
