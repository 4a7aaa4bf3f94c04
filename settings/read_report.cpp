#include "settings/read_report.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.hpp"

namespace tbci::settings {

namespace {

bool is_proxy(std::string_view text) {
  constexpr std::array schemes = {"http://", "https://", "socks5://"};
  const bool known =
      std::any_of(schemes.begin(), schemes.end(), [&](const char* one) { return text.starts_with(one); });
  return known && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

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

}  // namespace

void read_report(TomlReader reader, ReportConfig& report) {
  if (reader.has("channels")) report.channels.clear();
  for (const std::string& channel : reader.texts("channels")) {
    if (channel != "folder" && channel != "github") {
      reader.refuse("channels",
                    fmt::format("unknown channel '{}': choose \"folder\" or \"github\"", one_line(channel, 40)));
    }
    const bool twice = std::find(report.channels.begin(), report.channels.end(), channel) != report.channels.end();
    if (twice) reader.refuse("channels", fmt::format("'{}' is listed twice", one_line(channel, 40)));
    report.channels.push_back(channel);
  }
  report.folder = reader.text("folder", report.folder.string());
  TomlReader github = reader.table("github");
  report.github.api = github.text("api", report.github.api);
  report.github.repository = github.text("repository", "");
  report.github.token_file = github.text("token_file", "");
  report.github.certificates = github.text("certificates", "");
  report.github.proxy = github.text("proxy", "");
  if (!report.github.proxy.empty() && !is_proxy(report.github.proxy))
    github.refuse("proxy", "must be http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT");
  report.github.writes_in_an_hour =
      static_cast<int>(github.integer("writes_in_an_hour", report.github.writes_in_an_hour, 1, 500));
  report.github.poll = github.seconds("poll", report.github.poll);
  if (report.github.poll < std::chrono::minutes(1)) github.refuse("poll", "must be at least 60 seconds");
  read_github_app(github, report.github);
  const bool wanted = std::find(report.channels.begin(), report.channels.end(), "github") != report.channels.end();
  // Systemd gives the credential to the messenger's unit alone.
  report.messenger = reader.flag("messenger", wanted && !report.github.names_its_secret());
  if (wanted && report.github.repository.find('/') == std::string::npos) {
    github.refuse("repository", "must be \"owner/name\", because the channel \"github\" is used");
  }
}

}  // namespace tbci::settings
