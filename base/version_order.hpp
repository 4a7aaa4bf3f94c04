// The order of versions in names, whatever the letters say: 0.9 is older than 0.10. Pure; safe from any thread.
//
// The order is that of PEP 440 for its versions (2.0.dev1, 2.0a1, 2.0rc1, 2.0, 2.0+local, 2.0.post1, 2.0.1), without
// epochs; of other names the natural one, numbers as numbers: `2026-01-07`, `build-9`, `build-10`. Names that PEP 440
// takes for the same version (1.0 and 1.0.0) follow each other by their letters.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace tbci {

/// A text that sorts by its bytes as the names do by age: for an index of the database. Equal for equal names only.
std::string version_key(std::string_view name);

/// Less: `one` is the older one.
std::strong_ordering compare_versions(std::string_view one, std::string_view other);
bool is_older(std::string_view one, std::string_view other);

/// The oldest first, for std::set and std::map.
struct OldestFirst {
  bool operator()(std::string_view one, std::string_view other) const { return is_older(one, other); }
};

}  // namespace tbci
