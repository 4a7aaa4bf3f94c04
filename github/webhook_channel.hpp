// Posts reports to a program of the reader's own: a chat, a dashboard, another tracker.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "github/delivery.hpp"

namespace tbci::github {

struct WebhookSettings {
  std::string url;                          ///< https; http only to loopback
  std::filesystem::path secret_file;        ///< a regular file that other users cannot read; read each time
  std::filesystem::path certificates = {};  ///< of the authorities to trust, as PEM; empty: the system's
  std::string proxy = {};                   ///< as http://host:port; empty: the environment's
  std::chrono::milliseconds time_limit = std::chrono::seconds(30);  ///< of one request
};

/// Posts each revision as one document (github/webhook_message.hpp), signed with the secret. An answer of 2xx is
/// delivered; whatever a person must put right waits for hours, all else for the outbox; nothing is refused for good
/// and no redirect is followed. A try whose answer is lost is repeated with the same delivery id: the receiver drops
/// it. Errors, references and log lines hold neither the secret nor a key in the address. `http` and `clock` must
/// outlive it. Errors (usage): an invalid address.
Result<std::unique_ptr<Channel>> make_webhook_channel(const WebhookSettings& settings, HttpClient& http,
                                                      const Clock& clock);

}  // namespace tbci::github
