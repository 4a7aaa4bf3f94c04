#include "github/credentials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "github/answers.hpp"
#include "github/app_jwt.hpp"
#include "github/issue_json.hpp"
#include "github/secret_file.hpp"

namespace tbci::github {

namespace {

// GitHub's tokens of an installation hold for an hour. A clock of ours that is wrong must not make that longer.
constexpr std::chrono::milliseconds longest_token_life = std::chrono::hours(1);
constexpr std::chrono::milliseconds renewed_before_end = std::chrono::minutes(5);

bool is_token(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

Or<std::string> Credentials::token(std::stop_token stop) {
  if (!transport_.settings().app) {
    Result<std::string> read = read_token(transport_.settings().token_file);
    if (!read) return tl::unexpected(Attempt::retry(std::move(read).error()));
    return std::move(*read);
  }
  if (!bought_ || bought_->renew_after <= transport_.clock().steady_now()) {
    Or<Bought> bought = buy(stop);
    if (!bought) return tl::unexpected(std::move(bought).error());
    bought_ = std::move(*bought);
  }
  return bought_->token;
}

bool Credentials::renew() {
  return std::exchange(bought_, std::nullopt).has_value();
}

Or<std::string> Credentials::jwt() const {
  const AppSettings app = transport_.settings().app.value_or(AppSettings());
  const Result<std::string> pem = read_secret_file(app.key_file, "private key file");
  if (!pem) return tl::unexpected(Attempt::retry(pem.error()));
  Result<std::string> made = app_jwt(app.id, *pem, transport_.clock().now());
  if (!made) return tl::unexpected(Attempt::retry(fail(std::move(made).error(), app.key_file.string()).value()));
  return std::move(*made);
}

Or<Credentials::Bought> Credentials::buy(std::stop_token stop) {
  const auto signed_by_app = jwt();
  if (!signed_by_app) return tl::unexpected(signed_by_app.error());
  const GithubSettings& settings = transport_.settings();
  const std::int64_t installation = settings.app.value_or(AppSettings()).installation;
  const TimePoint now = transport_.clock().now();
  const SteadyTime begun = transport_.clock().steady_now();
  const Call call{.method = "POST",
                  .url = fmt::format("{}/app/installations/{}/access_tokens", settings.base_url, installation),
                  .token = *signed_by_app,
                  .doing = "buying a token of the GitHub App",
                  .stop = stop};
  const auto answer = transport_.send(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 201) return tl::unexpected(transport_.failure(call, *answer));
  const nlohmann::json json = json_in(*answer);
  const std::string token = json.is_object() ? text_of(json, "token") : std::string();
  if (!is_token(token)) return tl::unexpected(no_json(call.doing));
  transport_.secrets().add(token);
  const std::chrono::milliseconds life = time_of(json, "expires_at").value_or(now + longest_token_life) - now;
  return Bought{token, begun + std::min(life, longest_token_life) - renewed_before_end};
}

Or<std::string> Credentials::app_name(std::stop_token stop) {
  const auto signed_by_app = jwt();
  if (!signed_by_app) return tl::unexpected(signed_by_app.error());
  const Call call{.url = transport_.settings().base_url + "/app",
                  .token = *signed_by_app,
                  .doing = "asking for the name of the GitHub App",
                  .stop = stop};
  const auto answer = transport_.send(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200) return tl::unexpected(transport_.failure(call, *answer));
  const nlohmann::json json = json_in(*answer);
  std::string name = json.is_object() ? text_of(json, "slug") : std::string();
  if (name.empty()) return tl::unexpected(no_json(call.doing));
  return name;
}

}  // namespace tbci::github
