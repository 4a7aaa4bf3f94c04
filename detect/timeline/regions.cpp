#include "detect/timeline/regions.hpp"

namespace tbci::detect {

bool is_region_mark(std::string_view name) {
  return name.starts_with("tbci:");
}

Region region_named(std::string_view name) {
  if (name == "tbci:tier") return Region::tier;
  return name.starts_with("c10d.") || name.starts_with("gloo.") ? Region::communication : Region::none;
}

std::vector<Region> regions_of(const Look& look) {
  std::vector<Region> regions(look.calls.size(), Region::none);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    regions[i] = region_named(look.name(i));
    // Who calls stands before what it calls.
    const std::ptrdiff_t parent = look.calls[i].parent;
    if (regions[i] == Region::none && parent >= 0) regions[i] = regions[static_cast<std::size_t>(parent)];
  }
  return regions;
}

}  // namespace tbci::detect
