// uv as a tool: it unpacks wheels that are there and checked. What it ignores (pip's constraints, configuration and
// logins) has no part in that.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/nightly/venv.hpp"
#include "runner/subject.hpp"

namespace tbci::runner {

/// The oldest uv that was tried.
inline constexpr const char* oldest_usable_uv = "0.4.0";

/// The version in what `uv --version` prints: `uv 0.13.9 (x86_64-unknown-linux-gnu)`. Nothing for other texts, which
/// may be anything. Pure.
std::optional<std::string> parse_uv_version(std::string_view printed);

/// Which uv unpacks, by its version; nothing: pip does. `found`: the version of the uv on PATH; nothing: there is none.
/// Error (usage) where the settings want uv, and it cannot be used. Pure.
Result<std::optional<std::string>> usable_uv(WheelUnpacker wanted, const std::optional<std::string>& found);

/// `uv --version`.
Command uv_version();
/// Unpacks `wheels` into `venv`: without a network, and without the settings of a person or a project.
Command uv_install(const Venv& venv, const std::vector<std::filesystem::path>& wheels);
/// What uv_install leaves besides the packages; it must not stay.
std::filesystem::path uv_cache_of(const Venv& venv);
/// Compiles the Python files in `packages` that have no bytecode: pip does so, and uv only with code of the wheels
/// already on the interpreter's path. Runs none of them. A file that does not compile is left out.
Command compile_bytecode(const Venv& venv, const std::filesystem::path& packages);

}  // namespace tbci::runner
