#include "settings/read_channels.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "base/address.hpp"
#include "base/text.hpp"

namespace tbci::settings {

namespace {

bool is_proxy(std::string_view text) {
  constexpr std::array schemes = {"http://", "https://", "socks5://"};
  const bool known =
      std::any_of(schemes.begin(), schemes.end(), [&](const char* one) { return text.starts_with(one); });
  return known && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// Plain addresses alone: they become arguments of a program and headers of a message.
bool is_mail_address(std::string_view text) {
  constexpr std::string_view unsafe = "()<>,;:\\\"[]'`|&$";
  const std::size_t at = text.find('@');
  const bool clean = std::all_of(text.begin(), text.end(), [&](char c) {
    return c > ' ' && c <= '~' && unsafe.find(c) == std::string_view::npos;
  });
  return clean && at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find('@', at + 1) == text.npos && text.front() != '-' && text.size() <= 254;
}

std::optional<std::chrono::weekday> weekday_from(std::string_view name) {
  constexpr std::array<std::string_view, 7> names = {"sunday",   "monday", "tuesday", "wednesday",
                                                     "thursday", "friday", "saturday"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return std::chrono::weekday(static_cast<unsigned>(found - names.begin()));
}

}  // namespace

void read_connection(TomlReader& reader, std::filesystem::path& certificates, std::string& proxy) {
  certificates = reader.text("certificates", "");
  proxy = reader.text("proxy", "");
  if (!proxy.empty() && !is_proxy(proxy))
    reader.refuse("proxy", "must be http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT");
}

void read_webhook(TomlReader reader, WebhookConfig& webhook, bool used) {
  webhook.url = reader.text("url", "");
  webhook.secret_file = reader.text("secret_file", "");
  read_connection(reader, webhook.certificates, webhook.proxy);
  if (webhook.url.empty() && used)
    reader.refuse("url",
                  "is missing: write the https address that takes reports, because the channel \"webhook\" is used");
  if (!webhook.url.empty() && !is_safe_address(webhook.url))
    reader.refuse("url", "must be an https address without a user or password in it (http only to this machine)");
}

void read_mail(TomlReader reader, MailConfig& mail, bool used) {
  mail.to = reader.texts("to");
  mail.from = reader.text("from", "");
  mail.sendmail = reader.text("sendmail", mail.sendmail.string());
  for (const std::string& one : mail.to) {
    if (!is_mail_address(one))
      reader.refuse("to", fmt::format("'{}' is not a plain address, as in \"perf@example.org\"", one_line(one, 60)));
  }
  if (!mail.from.empty() && !is_mail_address(mail.from))
    reader.refuse("from", "must be a plain address, as in \"tbci@example.org\"");
  if (!mail.sendmail.is_absolute()) reader.refuse("sendmail", "must be the absolute path of a program");
  if (!used) return;
  if (mail.to.empty()) reader.refuse("to", "is missing: list who gets mail, because the channel \"mail\" is used");
  if (mail.from.empty())
    reader.refuse("from", "is missing: write the sender of mail, because the channel \"mail\" is used");
}

std::vector<std::string> read_channel_names(TomlReader& reader, const std::vector<std::string>& known) {
  std::vector<std::string> channels;
  for (const std::string& channel : reader.texts("channels")) {
    if (std::find(known.begin(), known.end(), channel) == known.end()) {
      reader.refuse("channels", fmt::format("unknown channel '{}': choose among \"{}\"", one_line(channel, 40),
                                            join(known, "\", \"")));
    }
    const bool twice = std::find(channels.begin(), channels.end(), channel) != channels.end();
    if (twice) reader.refuse("channels", fmt::format("'{}' is listed twice", one_line(channel, 40)));
    channels.push_back(channel);
  }
  return channels;
}

std::optional<std::chrono::minutes> read_time_of_day(TomlReader& reader, const char* key) {
  const std::string text = reader.text(key, "");
  if (text.empty()) return std::nullopt;
  int hours = -1, minutes = -1, end = 0;
  const bool read = std::sscanf(text.c_str(), "%2d:%2d%n", &hours, &minutes, &end) == 2;
  if (!read || end != static_cast<int>(text.size()) || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) {
    reader.refuse(key, "must be a time of day in UTC, as in \"05:30\"");
    return std::nullopt;
  }
  return std::chrono::minutes(60 * hours + minutes);
}

void read_digest(TomlReader reader, DigestConfig& digest) {
  if (reader.has("weekday")) {
    digest.weekday = weekday_from(reader.text("weekday", ""));
    if (!digest.weekday) reader.refuse("weekday", "must be the English name of a day, as in \"monday\"");
  }
  digest.time_of_day = read_time_of_day(reader, "schedule").value_or(std::chrono::minutes(0));
  for (const std::string& channel : reader.texts("channels")) {
    if (channel == "github")
      reader.refuse("channels", "cannot have 'github': an issue is about one fault, and a digest is about none");
  }
  digest.channels = read_channel_names(reader, {"folder", "webhook", "mail"});
  if (digest.weekday && digest.channels.empty())
    reader.refuse("channels", "is missing: list where the digest goes, as in [\"folder\"]");
}

}  // namespace tbci::settings
