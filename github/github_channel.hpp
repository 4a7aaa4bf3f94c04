// Files reports as issues through GitHub's REST API.
#pragma once

#include <memory>

#include "base/http.hpp"
#include "github/delivery.hpp"
#include "github/github_settings.hpp"

namespace tbci::github {

/// Looks for an issue with the report's marker, open or closed, and files one only if there is none. Where an earlier
/// request may have written one, it is also looked for without its label, which GitHub may have dropped. Errors and log
/// lines never contain a token or a key. The pause between writes, their number in an hour and what is known of moved
/// repositories live as long as the channel: keep one. `http` and `clock` must outlive it. Errors (usage): an invalid
/// setting.
Result<std::unique_ptr<Channel>> make_github_channel(const GithubSettings& settings, HttpClient& http,
                                                     const Clock& clock);

}  // namespace tbci::github
