#include "github/transport.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/address.hpp"
#include "base/log.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t longest_shown_address = 120;

tl::unexpected<Attempt> retry_later(std::string message, TimePoint not_before) {
  return tl::unexpected(Attempt::retry({ErrorKind::failed, std::move(message)}, not_before));
}

}  // namespace

Transport::Transport(const GithubSettings& settings, HttpClient& http, const Clock& clock)
    : settings_(settings), http_(http), clock_(clock), limits_(settings.most_writes_in_an_hour, clock) {}

Or<HttpResponse> Transport::send(const Call& call) {
  secrets_.add(call.token);
  const std::string url = moves_.place_of(call.url);
  Or<HttpResponse> answer = send_to(url, call);
  if (!answer || !is_redirect(*answer)) return answer;
  return follow(url, *answer, call);
}

Or<HttpResponse> Transport::follow(const std::string& url, const HttpResponse& redirect, const Call& call) {
  const auto place = place_in(redirect, url);
  if (!place) {
    return retry_later(fmt::format("{}: status {}: GitHub says that it has moved, but not where: check the repository "
                                   "in the configuration",
                                   call.doing, redirect.status),
                       clock_.now() + wait_for_a_person);
  }
  Or<HttpResponse> answer = send_to(*place, call);
  if (!answer) return answer;
  if (is_redirect(*answer)) {
    return retry_later(fmt::format("{}: status {}: GitHub sends tbci from place to place ({}): check the repository "
                                   "in the configuration",
                                   call.doing, answer->status, secrets_.line(*place, longest_shown_address)),
                       clock_.now() + wait_for_a_person);
  }
  if (answer->status < 400) remember(url, *place);
  return answer;
}

void Transport::remember(const std::string& from, const std::string& to) {
  const Moves::Move& move = moves_.learn(from, to);
  const std::string old_place = secrets_.line(move.from, longest_shown_address);
  const std::string new_place = secrets_.line(move.to, longest_shown_address);
  if (move.of_one) {
    log::info("GitHub: {} is at {} now", old_place, new_place);
  } else {
    log::warning("GitHub: {} has moved to {}: set its new name in the configuration", old_place, new_place);
  }
}

Attempt Transport::failure(const Call& call, const HttpResponse& answer, About about) const {
  Attempt attempt = attempt_of_failure(answer, call.doing, clock_.now(), secrets_, about);
  return call.before_write ? attempt : never_refused(std::move(attempt), clock_.now());
}

Or<HttpResponse> Transport::send_to(const std::string& url, const Call& call) {
  if (auto may = may_send(url, call); !may) return tl::unexpected(std::move(may).error());
  const HttpRequest request = request_of(url, call);
  if (call.before_write) limits_.begins();
  Result<HttpResponse> answer = http_.send(request);
  if (call.before_write) limits_.ends();
  if (!answer) {
    Error error = fail(std::move(answer).error(), call.doing).value();
    error.message = secrets_.hidden(error.message);
    return tl::unexpected(Attempt::retry(std::move(error)));
  }
  return take(url, call, std::move(*answer));
}

// The token goes to no other host; a stop, a limit of GitHub's and one of ours come before the request.
Or<void> Transport::may_send(const std::string& url, const Call& call) {
  if (origin_of(url) != origin_of(settings_.base_url)) {
    return retry_later(fmt::format("{}: GitHub sends tbci to another host ({}): if it is GitHub's, set the base URL "
                                   "in the configuration to that host",
                                   call.doing, secrets_.line(url, longest_shown_address)),
                       clock_.now() + wait_for_a_person);
  }
  if (call.stop.stop_requested()) {
    return tl::unexpected(Attempt::retry({ErrorKind::interrupted, fmt::format("stopped before {}", call.doing)}));
  }
  // What is further away comes of a clock that was ahead, and has been set back.
  if (waits_until_ && *waits_until_ > clock_.now() + longest_wait) waits_until_.reset();
  if (waits_until_ && clock_.now() < *waits_until_) {
    return tl::unexpected(
        Attempt::retry({ErrorKind::transient, fmt::format("{}: GitHub's rate limit is reached; tbci retries after {}",
                                                          call.doing, to_iso8601(*waits_until_))},
                       waits_until_));
  }
  if (!call.before_write) return {};
  if (auto turn = limits_.take_turn(call.doing, call.stop); !turn) return turn;
  if (Status kept = call.before_write(); !kept) return tl::unexpected(Attempt::retry(std::move(kept).error()));
  return {};
}

HttpRequest Transport::request_of(const std::string& url, const Call& call) {
  HttpRequest request;
  request.method = call.method;
  request.url = url;
  request.body = call.body;
  request.headers = {{"Accept", "application/vnd.github+json"},
                     {"X-GitHub-Api-Version", "2022-11-28"},
                     {"User-Agent", "tbci"},
                     {"Authorization", "Bearer " + call.token}};
  if (!call.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  const HttpResponse* const kept = call.method == "GET" ? kept_.find(url) : nullptr;
  if (kept != nullptr) request.headers.emplace_back("If-None-Match", kept->headers.at("etag"));
  request.time_limit = settings_.time_limit;
  request.stop = call.stop;
  request.certificates = settings_.certificates;
  request.proxy = settings_.proxy;
  return request;
}

// Keeps what a later request needs of an answer.
HttpResponse Transport::take(const std::string& url, const Call& call, HttpResponse answer) {
  waits_until_ = end_of_limit(answer, clock_.now());
  if (call.method != "GET") return answer;
  if (answer.status == 304) {
    if (const HttpResponse* const kept = kept_.find(url)) return *kept;
  }
  if (answer.status == 200) kept_.keep(url, answer);
  return answer;
}

}  // namespace tbci::github
