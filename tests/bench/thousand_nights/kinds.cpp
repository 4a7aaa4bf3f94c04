#include "tests/bench/thousand_nights/kinds.hpp"

#include <algorithm>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::thousand {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::step:
      return "step";
    case Kind::twins:
      return "twins";
    case Kind::small:
      return "small";
    case Kind::creep:
      return "creep";
    case Kind::memory:
      return "memory";
    case Kind::leak:
      return "leak";
    case Kind::revert:
      return "revert";
    case Kind::recovery:
      return "recovery";
    case Kind::relapse:
      return "relapse";
    case Kind::improvement:
      return "improvement";
    case Kind::broken:
      return "break";
    case Kind::no_build:
      return "no-build";
    case Kind::hang:
      return "hang";
    case Kind::missing:
      return "missing";
    case Kind::yanked:
      return "yanked";
    case Kind::version:
      return "version";
    case Kind::environment:
      return "environment";
    case Kind::drift:
      return "drift";
    case Kind::crash:
      return "crash";
    case Kind::evict:
      return "evict";
    case Kind::disk:
      return "disk";
    case Kind::clock:
      return "clock";
    case Kind::kill:
      return "kill";
    case Kind::index:
      return "index";
    case Kind::git:
      return "git";
    case Kind::github:
      return "github";
    case Kind::person:
      return "person";
  }
  TBCI_ASSERT(false);
}

Kinds every_kind() {
  return {all_kinds.begin(), all_kinds.end()};
}

Result<Kinds> kinds_from(std::string_view text) {
  Kinds kinds;
  for (const std::string& word : split(text, ',')) {
    const std::string name(trim(word));
    if (name.empty()) continue;
    const auto found =
        std::find_if(all_kinds.begin(), all_kinds.end(), [&](Kind kind) { return to_string(kind) == name; });
    if (found == all_kinds.end()) {
      std::vector<std::string> names;
      for (const Kind kind : all_kinds) names.emplace_back(to_string(kind));
      return fail(ErrorKind::usage, "'{}' is no kind of event; there are {}", one_line(name, 40), join(names, ", "));
    }
    kinds.insert(*found);
  }
  return kinds;
}

}  // namespace tbci::thousand
