// Reads [report.webhook], [report.mail] and [report.digest] of a configuration.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "settings/channel_config.hpp"
#include "settings/toml_reader.hpp"

namespace tbci::settings {

// Errors are the reader's. `used`: whether something is sent there, so that what it needs must not be missing.

/// `certificates` and `proxy`, which all channels over HTTP have.
void read_connection(TomlReader& reader, std::filesystem::path& certificates, std::string& proxy);
void read_webhook(TomlReader reader, WebhookConfig& webhook, bool used);
void read_mail(TomlReader reader, MailConfig& mail, bool used);
void read_digest(TomlReader reader, DigestConfig& digest);
/// The channels of that key, each of them among `known`; nothing where the key is missing.
std::vector<std::string> read_channel_names(TomlReader& reader, const std::vector<std::string>& known);
/// `05:30` as minutes after midnight; nothing where the key is missing or its text is empty.
std::optional<std::chrono::minutes> read_time_of_day(TomlReader& reader, const char* key);

}  // namespace tbci::settings
