// `tbci serve`: each night what `check` does, for every subject, and the page.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/result.hpp"
#include "daemon/notify.hpp"
#include "daemon/state_dir.hpp"

namespace tbci::daemon {

/// Runs until a stop is requested, then ends within seconds: the running child process is ended, and what it was doing
/// is done again when the service comes back. `on_ready` is told the page's address once it answers.
Status serve(Site& site, Notifier& notifier, const std::function<void(const std::string& url)>& on_ready,
             std::stop_token stop);

}  // namespace tbci::daemon
