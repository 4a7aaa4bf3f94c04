// `tbci deliver`: a process of its own, as a user of its own, that alone has the secrets of the channels. It reads the
// outbox, delivers, and writes how that ended. It runs nothing of a subject.
#pragma once

#include <stop_token>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "github/outbox.hpp"
#include "settings/config.hpp"

namespace tbci::daemon {

/// Lets the group of the database's file read and write it, as the messenger is another user of that group. Error
/// (machine) where the file is another user's.
Status share_with_messenger(const settings::Config& config);

/// Whether the process that measures has the secret of a channel, for want of a messenger.
bool shares_token(const settings::Config& config);

/// Delivers once what is due. Errors: (usage) the configuration asks for no messenger, or there is no database yet,
/// (transient) another messenger is at work, and those of the database.
Result<github::OutboxSummary> deliver_once(const settings::Config& config, const Clock& clock, std::stop_token stop);

/// Delivers until it is stopped, also what comes later; waits for a database that is not there yet. Errors: as above,
/// and damaged.
Status deliver_until_stopped(const settings::Config& config, const Clock& clock, std::stop_token stop);

}  // namespace tbci::daemon
