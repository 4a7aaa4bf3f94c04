// The pull request that brought the culprit.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "github/api.hpp"
#include "github/names.hpp"

namespace tbci::github {

struct CulpritPull {
  PullAddress address;
  std::string author;  ///< login; empty: not known, or an App
};

/// One thread at a time; what it refers to must outlive it.
class CulpritPulls {
 public:
  CulpritPulls(const GithubSettings& settings, Api& api, HttpClient& http, const Clock& clock)
      : settings_(settings), api_(api), http_(http), clock_(clock) {}

  /// The one that the culprit names, where GitHub says the same: a commit message can name any. Nothing where there is
  /// not exactly one culprit, where it names none, and where the two do not belong together.
  Or<std::optional<CulpritPull>> of(const model::Report& report, std::stop_token stop);

  /// For requests about a repository: that of the issues, or the one of the subject.
  Api& api_of(const std::string& repository);

 private:
  Or<bool> brought(const PullAddress& pull, const std::string& commit, std::stop_token stop);

  const GithubSettings& settings_;
  Api& api_;
  HttpClient& http_;
  const Clock& clock_;
  std::map<std::string, std::unique_ptr<Api>> others_;
};

}  // namespace tbci::github
