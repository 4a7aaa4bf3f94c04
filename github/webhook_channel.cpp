#include "github/webhook_channel.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/address.hpp"
#include "base/text.hpp"
#include "github/answers.hpp"
#include "github/secret_file.hpp"
#include "github/secrets.hpp"
#include "github/signature.hpp"
#include "github/webhook_message.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t longest_shown_answer = 120;

std::string_view advice_for_receiver(int status) {
  switch (status) {
    case 401:
    case 403:
      return "the receiver does not accept the signature: compare the secret on both sides";
    case 404:
    case 410:
      return "nothing takes reports at this address (any more): correct [report.webhook] url";
    case 413:
      return "the report is too large for the receiver: raise its limit to 1 MiB";
    default:
      return status < 400 ? "tbci follows no redirect: set [report.webhook] url to the final address"
                          : "the receiver does not take this document: see its log";
  }
}

// The receiver may be busy or broken: later it may take the same document.
bool may_pass(int status) {
  return status >= 500 || status == 408 || status == 425 || status == 429;
}

// Something is wrong with this document, not with the address or the signature.
bool concerns_document(int status) {
  return status == 400 || status == 413 || status == 415 || status == 422;
}

class WebhookChannel final : public Channel {
 public:
  WebhookChannel(WebhookSettings settings, HttpClient& http, const Clock& clock)
      : settings_(std::move(settings)), origin_(origin_of(settings_.url)), http_(http), clock_(clock) {
    // An address may have a key in it, as those of chats do; a shorter rest has none.
    constexpr std::size_t shortest_key = 8;
    const std::string rest = settings_.url.substr(origin_.size());
    if (rest.size() >= shortest_key) secrets_.add(rest);
  }

  std::string name() const override { return "webhook"; }

  Attempt deliver(const Dispatch& dispatch, std::stop_token stop) override {
    const std::string doing = "posting the report to " + origin_;
    if (stop.stop_requested()) return Attempt::retry({ErrorKind::interrupted, "stopped before " + doing});
    const Result<std::string> secret = read_word(settings_.secret_file, "webhook's secret file", "report.webhook");
    if (!secret) return Attempt::retry(secret.error());
    secrets_.add(*secret);
    if (Status kept = dispatch.before_write(); !kept) return Attempt::retry(std::move(kept).error());
    const Result<HttpResponse> answer = http_.send(request_of(dispatch, *secret, std::move(stop)));
    if (!answer) {
      Error error = fail(answer.error(), doing).value();
      error.message = secrets_.hidden(error.message);
      return Attempt::retry(std::move(error));
    }
    return meaning_of(*answer, doing);
  }

 private:
  HttpRequest request_of(const Dispatch& dispatch, const std::string& secret, std::stop_token stop) const {
    const model::Report& report = dispatch.report;
    HttpRequest request;
    request.method = "POST";
    request.url = settings_.url;
    request.body = webhook_json(dispatch, settings_.url, clock_.now());
    request.headers = {{"Content-Type", "application/json"},
                       {"User-Agent", "tbci"},
                       {"Expect", ""},  // no answer of its own before the body
                       {"X-Tbci-Event", std::string(event_of(report))},
                       {"X-Tbci-Delivery", delivery_id(report)},
                       {"X-Tbci-Signature-256", "sha256=" + hmac_sha256_hex(secret, request.body)}};
    request.time_limit = settings_.time_limit;
    request.stop = std::move(stop);
    request.certificates = settings_.certificates;
    request.proxy = settings_.proxy;
    return request;
  }

  Attempt meaning_of(const HttpResponse& answer, const std::string& doing) const {
    const int status = answer.status;
    if (status >= 200 && status < 300) return Attempt::delivered(origin_);
    const std::string words = secrets_.line(answer.body, longest_shown_answer);
    const std::string said =
        words.empty() ? fmt::format("status {}", status) : fmt::format("status {}, '{}'", status, words);
    if (may_pass(status)) {
      Error busy{ErrorKind::transient, fmt::format("{}: {}: tbci tries again later", doing, said)};
      return Attempt::retry(std::move(busy), status == 429 ? end_of_limit(answer, clock_.now()) : std::nullopt);
    }
    Attempt attempt =
        Attempt::retry({ErrorKind::failed, fmt::format("{}: {}: {}", doing, said, advice_for_receiver(status))},
                       clock_.now() + wait_for_a_person);
    attempt.only_this = concerns_document(status);
    return attempt;
  }

  WebhookSettings settings_;
  std::string origin_;
  HttpClient& http_;
  const Clock& clock_;
  Secrets secrets_;
};

}  // namespace

Result<std::unique_ptr<Channel>> make_webhook_channel(const WebhookSettings& settings, HttpClient& http,
                                                      const Clock& clock) {
  if (!is_safe_address(settings.url)) {
    return fail(ErrorKind::usage,
                "[report.webhook] url must be an https address without a user or password in it (http only to this "
                "machine), as in https://hooks.example.org/tbci");
  }
  return std::make_unique<WebhookChannel>(settings, http, clock);
}

}  // namespace tbci::github
