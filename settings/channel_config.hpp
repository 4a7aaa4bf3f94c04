// How reports reach others than GitHub, as plain structs.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tbci::settings {

/// A program that takes reports as JSON over HTTPS.
struct WebhookConfig {
  std::string url;
  std::filesystem::path secret_file;   ///< empty: the systemd credential `webhook-secret`
  std::filesystem::path certificates;  ///< of the authorities to trust, as PEM; empty: the system's
  std::string proxy;                   ///< empty: the environment's
};

/// E-mail by the program of this machine that sends it.
struct MailConfig {
  std::vector<std::string> to;
  std::string from;
  std::filesystem::path sendmail = "/usr/sbin/sendmail";  ///< or another that takes its arguments, as msmtp
};

/// A summary of all subjects, once a week.
struct DigestConfig {
  std::optional<std::chrono::weekday> weekday;  ///< in UTC; nothing: no digest
  std::chrono::minutes time_of_day{};           ///< UTC, after midnight
  std::vector<std::string> channels;            ///< `folder`, `webhook`, `mail`
};

}  // namespace tbci::settings
