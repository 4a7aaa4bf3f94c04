// Whether what somebody else built is a commit's product, and can be one on this machine.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/subject.hpp"

namespace tbci::runner {

/// Looks in `folder`, which stands for the checkout and for `{prefix}`. Runs none of its code. Error (failed), with
/// what is wrong: a part is missing, its LibTorch names another commit, or the dynamic loader of this machine does not
/// take it; (machine) where the machine cannot look; (interrupted).
Status check_ready_product(ProcessRunner& processes, const BuiltProduct& wanted, const std::filesystem::path& folder,
                           const std::string& commit, const std::stop_token& stop);

}  // namespace tbci::runner
