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

// One word of a list, as GitHub and the search for labels can take it.
bool is_label(std::string_view text) {
  constexpr std::size_t longest = 50;
  const auto is_odd = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == ',' || c == '\x7f'; };
  return !text.empty() && text.size() <= longest && std::ranges::none_of(text, is_odd);
}

// As github/names.hpp has it, which the settings do not include.
bool is_user(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !text.empty() && text.size() <= 39 && text.find_first_not_of(allowed) == std::string_view::npos;
}

void read_participants(TomlReader& github, GithubConfig& config) {
  constexpr std::size_t most_assignees = 10;  // GitHub's limit
  if (github.has("assignees")) config.assignees = github.texts("assignees");
  if (config.assignees.size() > most_assignees || !std::ranges::all_of(config.assignees, is_user))
    github.refuse("assignees", "must be at most 10 names of GitHub's users, without @");
  config.assign_author = github.flag("assign_author", config.assign_author);
  config.mention_author = github.flag("mention_author", config.mention_author);
  config.comment_on_pull_request = github.flag("comment_on_pull_request", config.comment_on_pull_request);
  for (auto& [domain, names] : github.text_list_map("domain_labels")) {
    if (names.empty() || !std::ranges::all_of(names, is_label))
      github.refuse("domain_labels", "must name labels of 1 to 50 characters without commas, a list for each domain");
    config.domain_labels.emplace(domain, std::move(names));
  }
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
  read_participants(github, config);
  if (used && config.repository.find('/') == std::string::npos)
    github.refuse("repository", R"(must be "owner/name", because the channel "github" is used)");
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
  report.without_culprit = reader.flag("without_culprit", report.without_culprit);
  report.name_runner = reader.flag("name_runner", report.name_runner);
}

}  // namespace tbci::settings
