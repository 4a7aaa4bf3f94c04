#include "pipeline/night/delivering.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/http.hpp"
#include "base/log.hpp"
#include "github/folder_channel.hpp"
#include "github/github_channel.hpp"
#include "github/mail_channel.hpp"
#include "github/participants.hpp"
#include "github/webhook_channel.hpp"
#include "pipeline/night/wishes.hpp"

namespace tbci::pipeline {

namespace {

// After a start: what was said while nobody listened.
constexpr std::chrono::hours first_look_back{24 * 90};

class StoreJournal final : public github::OutboxJournal {
 public:
  StoreJournal(storage::ReportStore& store, const Clock& clock) : store_(store), clock_(clock) {}
  Status attempting(std::int64_t id) override { return store_.attempting(id, clock_.now()); }
  Status delivered(std::int64_t id, const std::string& reference, int revision) override {
    log::info("delivered: {}", reference);
    return store_.delivered(id, reference, revision);
  }
  Status failed_attempt(std::int64_t id, const std::string& error, TimePoint next) override {
    log::warning("not delivered yet; tbci tries again at {}: {}", to_iso8601(next), error);
    return store_.failed_attempt(id, error, next);
  }
  Status postponed(std::int64_t id, TimePoint next) override { return store_.postponed(id, next); }
  Status refused(std::int64_t id, const std::string& error) override {
    log::error("the channel refused it for good: {}", error);
    return store_.refused(id, error);
  }

 private:
  storage::ReportStore& store_;
  const Clock& clock_;
};

// The configured file, else systemd's credential.
std::filesystem::path secret_file(const std::filesystem::path& configured, const char* credential) {
  if (!configured.empty()) return configured;
  const char* credentials = std::getenv("CREDENTIALS_DIRECTORY");
  return credentials == nullptr ? "" : std::filesystem::path(credentials) / credential;
}

github::GithubSettings settings_of(const settings::GithubConfig& config) {
  github::GithubSettings settings{.repository = config.repository,
                                  .token_file = secret_file(config.token_file, "github-token"),
                                  .base_url = config.api,
                                  .certificates = config.certificates,
                                  .proxy = config.proxy,
                                  .most_writes_in_an_hour = config.writes_in_an_hour,
                                  .participants = {.assignees = config.assignees,
                                                   .assign_author = config.assign_author,
                                                   .mention_author = config.mention_author,
                                                   .comment_on_pull_request = config.comment_on_pull_request}};
  if (config.app) {
    settings.app = github::AppSettings{.id = config.app->id,
                                       .key_file = secret_file(config.app->key_file, "github-app-key"),
                                       .installation = config.app->installation};
  }
  return settings;
}

github::WebhookSettings webhook_settings_of(const settings::WebhookConfig& config) {
  return {.url = config.url,
          .secret_file = secret_file(config.secret_file, "webhook-secret"),
          .certificates = config.certificates,
          .proxy = config.proxy};
}

Result<std::unique_ptr<github::Channel>> make_channel(const settings::Config& config, const std::string& name,
                                                      HttpClient& http, ProcessRunner& processes, const Clock& clock) {
  if (name == "github") return github::make_github_channel(settings_of(config.report.github), http, clock);
  if (name == "webhook") return github::make_webhook_channel(webhook_settings_of(config.report.webhook), http, clock);
  if (name == "mail") {
    const settings::MailConfig& mail = config.report.mail;
    return github::make_mail_channel({.addresses = {.from = mail.from, .to = mail.to}, .sendmail = mail.sendmail},
                                     processes, clock);
  }
  return std::make_unique<github::FolderChannel>(issue_folder(config));
}

std::vector<std::unique_ptr<github::Channel>> make_channels(const settings::Config& config, HttpClient& http,
                                                            ProcessRunner& processes, const Clock& clock,
                                                            Deliverer who) {
  std::vector<std::unique_ptr<github::Channel>> channels;
  for (const std::string& name : config.report.used_channels()) {
    if (!serves(who, config.report, name)) continue;
    auto channel = make_channel(config, name, http, processes, clock);
    // The other channels work on; what is meant for this one waits in the outbox.
    if (!channel) log::error("channel {}: {}", name, channel.error().message);
    if (channel) channels.push_back(std::move(*channel));
  }
  return channels;
}

}  // namespace

std::string github_preview(const settings::Config& config, const model::Report& report) {
  const auto used = config.report.used_channels();
  if (std::ranges::find(used, "github") == used.end()) return "";
  return github::participants_preview(report, settings_of(config.report.github));
}

std::filesystem::path issue_folder(const settings::Config& config) {
  return config.service.state / config.report.folder;
}

bool serves(Deliverer who, const settings::ReportConfig& config, std::string_view channel) {
  const bool leaves = channel != "folder";  // this machine
  return who == Deliverer::messenger ? leaves : !(leaves && config.messenger);
}

OpenChannels::OpenChannels(const settings::Config& config, const Clock& clock, Deliverer who)
    : config_(config), clock_(clock), who_(who), channels_(make_channels(config, http_, processes_, clock, who)) {}

Result<github::OutboxSummary> OpenChannels::deliver_due(storage::Stores& stores, std::stop_token stop) {
  TBCI_ASSIGN(const auto due, stores.reports.due(clock_.now()));
  std::vector<github::PendingDelivery> pending;
  for (const model::Delivery& delivery : due) {
    if (!serves(who_, config_.report, delivery.channel)) continue;
    TBCI_ASSIGN(model::Report report, stores.reports.get(delivery.report_id));
    TBCI_ASSIGN(auto notes, stores.reports.notes_after(report.id, 0));
    pending.push_back({delivery, std::move(report), std::move(notes)});
  }
  if (pending.empty()) return github::OutboxSummary{};
  StoreJournal journal(stores.reports, clock_);
  return github::deliver_due(pending, channels_, journal, clock_, std::move(stop));
}

Status OpenChannels::listen(storage::Stores& stores, std::stop_token stop) {
  const TimePoint now = clock_.now();
  const bool set_back = looked_ && *looked_ > now;
  if (looked_ && !set_back && now - *looked_ < config_.report.github.poll) return {};
  looked_ = now;
  for (const auto& channel : channels_) TBCI_TRY(listen_to(*channel, stores, stop));
  return {};
}

Status OpenChannels::listen_to(github::Channel& channel, storage::Stores& stores, std::stop_token stop) {
  const TimePoint now = clock_.now();
  TBCI_ASSIGN(const auto arrived, stores.reports.arrived(channel.name()));
  if (arrived.empty()) return {};
  std::vector<github::ReportPlace> places;
  for (const model::Delivery& delivery : arrived) {
    const auto is_known = [&stores, id = delivery.report_id](const std::string& source) {
      return stores.wishes.knows(id, source).value_or(false);
    };
    TBCI_ASSIGN(const model::Report report, stores.reports.get(delivery.report_id));
    places.push_back({.reference = delivery.reference, .marker = report.marker, .is_known = is_known});
  }
  const auto since = heard_since_.find(channel.name());
  const TimePoint from = since == heard_since_.end() ? now - first_look_back : since->second;
  const auto heard = channel.listen(places, from, stop);
  if (!heard && heard.error().error.kind == ErrorKind::interrupted) return pass_on(heard.error().error);
  if (!heard) {
    log::warning("what people said on {} is read later: {}", channel.name(), heard.error().error.message);
    return {};
  }
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    Status done = carry_out(stores, arrived[i].report_id, (*heard)[i], now);
    // What cannot be done is not tried again and again, and keeps nothing else back.
    if (!done && done.error().kind == ErrorKind::usage) log::warning("{}", done.error().message);
    if (!done && done.error().kind != ErrorKind::usage) return done;
  }
  heard_since_[channel.name()] = now;
  return {};
}

Result<github::OutboxSummary> deliver_reports(storage::Stores& stores, const settings::Config& config,
                                              const Clock& clock, std::stop_token stop) {
  return OpenChannels(config, clock, Deliverer::measuring).deliver_due(stores, std::move(stop));
}

}  // namespace tbci::pipeline
