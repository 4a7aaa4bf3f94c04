// The files that the page needs, compiled in: a stylesheet, a script, an icon.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tbci::web {

struct Asset {
  std::string_view content_type;
  std::string_view body;
};

/// Of the name under /static/: `style.css`.
std::optional<Asset> asset(std::string_view name);
/// `/static/style.css?v=...`: changes with the content, so that it may be cached.
std::string asset_address(std::string_view name);

// The contents, each in a file of its own.
extern const std::string_view style_css;
extern const std::string_view refresh_js;

}  // namespace tbci::web
