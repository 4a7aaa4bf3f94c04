// How a source of nightlies reaches its package index beside pip.
#pragma once

#include <filesystem>

#include "base/clock.hpp"
#include "base/http.hpp"

namespace tbci::runner {

/// Without it pip alone talks to the index. Refers to its parts, which must outlive it.
struct IndexAccess {
  HttpClient& http;
  const Clock& clock;
  std::filesystem::path certificates = {};  ///< see HttpRequest
};

}  // namespace tbci::runner
