// Which paths of a tree a list of patterns chooses. Pure; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tbci {

/// Whether the patterns choose a path. In a pattern `?` is one character and `*` any number, neither of them `/`;
/// `**` is any number of characters; `dir/**` is all below `dir`. A leading `!` takes paths out again; the last pattern
/// that fits decides. No patterns: every path.
bool path_matches(std::string_view path, std::span<const std::string> patterns);

}  // namespace tbci
