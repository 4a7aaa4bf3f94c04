// `tbci serve`: runs `check` for every subject each night, and serves the page.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/result.hpp"
#include "daemon/notify.hpp"
#include "daemon/state_dir.hpp"

namespace tbci::daemon {

/// Runs until a stop is requested, then ends within seconds: the running child process is ended, and its work is
/// repeated after the next start. `on_ready` receives the page's address as soon as the page answers. An error of kind
/// `damaged` where the database is.
Status serve(StateDir& state, Notifier& notifier, const std::function<void(const std::string& url)>& on_ready,
             std::stop_token stop);

}  // namespace tbci::daemon
