// Sends reports as e-mail, by the program of this machine that sends it.
#pragma once

#include <filesystem>
#include <memory>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "github/delivery.hpp"
#include "github/mail_message.hpp"

namespace tbci::github {

struct MailSettings {
  MailAddresses addresses;
  std::filesystem::path sendmail;  ///< takes `-i -f FROM -- TO...` and the message on its standard input
  std::chrono::milliseconds time_limit = std::chrono::minutes(2);  ///< of one run
};

/// One message for each revision (github/mail_message.hpp). The program's exit code decides, as sysexits.h names them:
/// 0 is delivered, what may pass is tried again, a message that it finds malformed is refused, and all else waits for a
/// person. It runs without a shell and inherits no secret. `processes` and `clock` must outlive it.
std::unique_ptr<Channel> make_mail_channel(const MailSettings& settings, ProcessRunner& processes, const Clock& clock);

}  // namespace tbci::github
