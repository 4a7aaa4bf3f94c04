// What the code under test has no business to read.
#pragma once

#include <filesystem>
#include <vector>

#include "settings/config.hpp"

namespace tbci::pipeline {

/// Absolute paths of the database with SQLite's own files, of the token or key that the configuration names, and of
/// systemd's credentials where this process has any. They need not exist.
std::vector<std::filesystem::path> hidden_files(const settings::Config& config);

}  // namespace tbci::pipeline
