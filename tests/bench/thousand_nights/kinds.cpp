#include "tests/bench/thousand_nights/kinds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::thousand {

namespace {

constexpr std::pair<Kind, std::string_view> names[] = {
    {Kind::step, "step"},
    {Kind::twins, "twins"},
    {Kind::small, "small"},
    {Kind::creep, "creep"},
    {Kind::memory, "memory"},
    {Kind::leak, "leak"},
    {Kind::revert, "revert"},
    {Kind::recovery, "recovery"},
    {Kind::relapse, "relapse"},
    {Kind::improvement, "improvement"},
    {Kind::broken, "break"},
    {Kind::no_build, "no-build"},
    {Kind::hang, "hang"},
    {Kind::missing, "missing"},
    {Kind::yanked, "yanked"},
    {Kind::version, "version"},
    {Kind::environment, "environment"},
    {Kind::drift, "drift"},
    {Kind::crash, "crash"},
    {Kind::evict, "evict"},
    {Kind::disk, "disk"},
    {Kind::clock, "clock"},
    {Kind::kill, "kill"},
    {Kind::index, "index"},
    {Kind::git, "git"},
    {Kind::github, "github"},
    {Kind::person, "person"},
    {Kind::flaky, "flaky"},
    {Kind::ram_disk, "ram-disk"},
};

}  // namespace

std::string_view to_string(Kind kind) {
  const auto* found = std::ranges::find(names, kind, &std::pair<Kind, std::string_view>::first);
  TBCI_ASSERT(found != std::end(names));
  return found->second;
}

Kinds every_kind() {
  Kinds kinds;
  for (const auto& [kind, name] : names) kinds.insert(kind);
  return kinds;
}

Result<Kinds> kinds_from(std::string_view text) {
  Kinds kinds;
  for (const std::string& word : split(text, ',')) {
    const std::string name(trim(word));
    if (name.empty()) continue;
    const auto* found = std::ranges::find(names, name, &std::pair<Kind, std::string_view>::second);
    if (found == std::end(names)) {
      std::vector<std::string> known;
      for (const auto& one : names) known.emplace_back(one.second);
      return fail(ErrorKind::usage, "'{}' is not a kind of event; there are {}", one_line(name, 40), join(known, ", "));
    }
    kinds.insert(found->first);
  }
  return kinds;
}

}  // namespace tbci::thousand
