#include "settings/read_report.hpp"

#include <algorithm>
#include <limits>

#include "settings/read_channels.hpp"

namespace tbci::settings {

namespace {

void read_github_app(TomlReader& github, GithubConfig& config) {
  if (!github.has("app")) return;
  if (!config.token_file.empty()) github.refuse("app", "and token_file are both there: choose one");
  TomlReader app = github.table("app");
  GithubAppConfig read;
  read.id = app.text_or_integer("id");
  read.installation = app.integer("installation", 0, 1, std::numeric_limits<std::int64_t>::max());
  read.key_file = app.text("key_file", "");
  if (read.id.empty()) app.refuse("id", "is missing: write the client id of the App");
  if (read.installation == 0) app.refuse("installation", "is missing: write the number of the App's installation");
  config.app = std::move(read);
}

// Whether anything is sent through the channel.
bool is_used(const ReportConfig& report, const std::string& channel) {
  const auto used = report.used_channels();
  return std::find(used.begin(), used.end(), channel) != used.end();
}

void read_github(TomlReader github, GithubConfig& config, bool used) {
  config.api = github.text("api", config.api);
  config.repository = github.text("repository", "");
  config.token_file = github.text("token_file", "");
  read_connection(github, config.certificates, config.proxy);
  config.writes_in_an_hour = static_cast<int>(github.integer("writes_in_an_hour", config.writes_in_an_hour, 1, 500));
  config.poll = github.seconds("poll", config.poll);
  if (config.poll < std::chrono::minutes(1)) github.refuse("poll", "must be at least 60 seconds");
  read_github_app(github, config);
  if (used && config.repository.find('/') == std::string::npos)
    github.refuse("repository", "must be \"owner/name\", because the channel \"github\" is used");
}

}  // namespace

std::vector<std::string> ReportConfig::used_channels() const {
  std::vector<std::string> used = channels;
  for (const std::string& channel : digest.channels) {
    if (std::find(used.begin(), used.end(), channel) == used.end()) used.push_back(channel);
  }
  return used;
}

void read_report(TomlReader reader, ReportConfig& report) {
  if (reader.has("channels")) report.channels = read_channel_names(reader, {"folder", "github", "webhook", "mail"});
  report.folder = reader.text("folder", report.folder.string());
  read_digest(reader.table("digest"), report.digest);
  read_github(reader.table("github"), report.github, is_used(report, "github"));
  read_webhook(reader.table("webhook"), report.webhook, is_used(report, "webhook"));
  read_mail(reader.table("mail"), report.mail, is_used(report, "mail"));
  // Systemd gives a credential to the messenger's unit alone.
  const bool credential = (is_used(report, "github") && !report.github.names_its_secret()) ||
                          (is_used(report, "webhook") && report.webhook.secret_file.empty());
  report.messenger = reader.flag("messenger", credential);
  report.name_runner = reader.flag("name_runner", report.name_runner);
}

}  // namespace tbci::settings
