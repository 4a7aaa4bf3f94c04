// A lock that is worth waiting for.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string_view>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/result.hpp"

namespace tbci {

/// The lock, once no other process holds it. `what` says in the error what was waited for. Errors: interrupted where a
/// stop was requested before that, machine where there can be no lock (the folder is a file).
Result<FileLock> wait_for_lock(const std::filesystem::path& path, std::string_view what, const Clock& clock,
                               const std::stop_token& stop);

}  // namespace tbci
