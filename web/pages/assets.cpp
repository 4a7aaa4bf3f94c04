#include "web/pages/assets.hpp"

#include <fmt/format.h>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::web {

namespace {

// A line of nights; the last one is higher.
constexpr std::string_view icon_svg =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d2733"/>)"
    R"(<path d="M5 22h13l5-12 4 0" fill="none" stroke="#ff8a5c" stroke-width="3" stroke-linecap="round" )"
    R"(stroke-linejoin="round"/></svg>)";

}  // namespace

// The script reloads the live part of the page every 10 s, but not while the page is hidden, or while something in it
// is selected or has the focus. Opened sections stay open.
const std::string_view refresh_js = R"js("use strict";
(() => {
  const every = 10000;
  const open = (root) => new Map([...root.querySelectorAll("details[id]")].map((one) => [one.id, one.open]));
  const busy = (live) =>
    document.hidden || String(getSelection()) !== "" || live.contains(document.activeElement);
  async function refresh() {
    const live = document.getElementById("live");
    if (live && !busy(live)) {
      try {
        const answer = await fetch(location.href, { cache: "no-store" });
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
        if (answer.ok && fresh && !busy(live)) {
          const wasOpen = open(live);
          for (const one of fresh.querySelectorAll("details[id]")) {
            if (wasOpen.has(one.id)) one.open = wasOpen.get(one.id);
          }
          live.replaceWith(document.adoptNode(fresh));
        }
        document.documentElement.classList.toggle("stale", !answer.ok);
      } catch {
        document.documentElement.classList.add("stale");
      }
    }
    setTimeout(refresh, every);
  }
  setTimeout(refresh, every);
})();
)js";

std::optional<Asset> asset(std::string_view name) {
  if (name == "style.css") return Asset{"text/css; charset=utf-8", style_css};
  if (name == "refresh.js") return Asset{"text/javascript; charset=utf-8", refresh_js};
  if (name == "icon.svg") return Asset{"image/svg+xml", icon_svg};
  return std::nullopt;
}

std::string asset_address(std::string_view name) {
  const auto found = asset(name);
  TBCI_ASSERT(found.has_value());
  return fmt::format("/static/{}?v={}", name, sha256_hex(found->body).substr(0, 12));
}

}  // namespace tbci::web
