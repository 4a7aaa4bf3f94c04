// One request to GitHub's API, by the rules that GitHub has for those who ask often.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "github/answers.hpp"
#include "github/delivery.hpp"
#include "github/github_settings.hpp"
#include "github/kept_answers.hpp"
#include "github/moves.hpp"
#include "github/secrets.hpp"
#include "github/write_limits.hpp"

namespace tbci::github {

/// A value, or an attempt that did not come through.
template <typename T>
using Or = tl::expected<T, Attempt>;

struct Call {
  std::string method = "GET";
  std::string url;
  std::string body = {};
  std::string token = {};
  std::string doing;  ///< begins errors: `filing an issue in a/b`
  /// Of a request that writes what people see, called just before it is sent: with an error it is not. Empty: it writes
  /// nothing of that kind, and no limit of writing holds for it.
  std::function<Status()> before_write = {};
  std::stop_token stop = {};
};

/// Sends requests to the origin of the base URL alone. Asks with the ETag of what it has; follows a redirect once and
/// remembers it; pauses between writes; after an answer that says to wait it sends nothing until then. Not thread-safe.
class Transport {
 public:
  /// Both must outlive it.
  Transport(const GithubSettings& settings, HttpClient& http, const Clock& clock);

  /// An answer with any status but that of a redirect.
  Or<HttpResponse> send(const Call& call);

  /// What an answer means that is not as hoped for. To a question GitHub never says no for ever.
  Attempt failure(const Call& call, const HttpResponse& answer, About about = About::repository) const;

  const GithubSettings& settings() const { return settings_; }
  const Clock& clock() const { return clock_; }
  Secrets& secrets() { return secrets_; }
  const Secrets& secrets() const { return secrets_; }

 private:
  Or<HttpResponse> send_to(const std::string& url, const Call& call);
  Or<HttpResponse> follow(const std::string& url, const HttpResponse& redirect, const Call& call);
  Or<void> may_send(const std::string& url, const Call& call);
  HttpRequest request_of(const std::string& url, const Call& call);
  HttpResponse take(const std::string& url, const Call& call, HttpResponse answer);
  void remember(const std::string& from, const std::string& to);

  GithubSettings settings_;
  HttpClient& http_;
  const Clock& clock_;
  Secrets secrets_;
  WriteLimits limits_;
  KeptAnswers kept_;
  Moves moves_;
  std::optional<TimePoint> waits_until_;
};

}  // namespace tbci::github
