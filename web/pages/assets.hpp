// The files of the page, compiled into the program: a stylesheet, a script, an icon.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tbci::web {

struct Asset {
  std::string_view content_type;
  std::string_view body;
};

/// The file of that name under /static/: `style.css`.
std::optional<Asset> asset(std::string_view name);
/// `/static/style.css?v=...`: the address changes with the content, so browsers may cache the file.
std::string asset_address(std::string_view name);

// The contents, each in its own source file.
extern const std::string_view style_css;
extern const std::string_view refresh_js;

}  // namespace tbci::web
