#include "pipeline/disk/eviction.hpp"

#include <algorithm>

namespace tbci::pipeline {

namespace {

bool belongs(const StoredThing& thing, const DiskBudget& budget) {
  return thing.kind == budget.kind && thing.subject == budget.subject;
}

// What may go, the longest unused first; of equal age the larger.
std::vector<std::size_t> removable(std::span<const StoredThing> things) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (things[i].kept.empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (things[a].used != things[b].used) return things[a].used < things[b].used;
    return things[a].bytes > things[b].bytes;
  });
  return order;
}

std::uint64_t total(std::span<const StoredThing> things, const std::vector<std::size_t>& indices) {
  std::uint64_t bytes = 0;
  for (const std::size_t i : indices) bytes += things[i].bytes;
  return bytes;
}

}  // namespace

std::string_view plural_of(ThingKind kind) {
  switch (kind) {
    case ThingKind::environment:
      return "environments";
    case ThingKind::worker:
      return "workers";
    case ThingKind::product:
      return "builds";
    case ThingKind::log:
      return "logs";
    case ThingKind::mirror:
      return "mirrors";
    case ThingKind::checkout:
      return "checkouts";
    case ThingKind::download:
      return "downloads";
  }
  return "things";
}

std::vector<std::size_t> things_to_remove(std::span<const StoredThing> things, std::span<const DiskBudget> budgets,
                                          std::uint64_t missing) {
  const std::vector<std::size_t> order = removable(things);
  std::vector<bool> goes(things.size(), false);
  std::vector<std::size_t> removed;
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (!things[i].remains) continue;
    goes[i] = true;
    removed.push_back(i);
  }
  for (const DiskBudget& budget : budgets) {
    std::uint64_t used = 0;
    for (const StoredThing& thing : things) used += belongs(thing, budget) && !thing.remains ? thing.bytes : 0;
    for (const std::size_t i : order) {
      if (used <= budget.bytes) break;
      if (goes[i] || !belongs(things[i], budget)) continue;
      goes[i] = true;
      used -= things[i].bytes;
      removed.push_back(i);
    }
  }
  std::uint64_t freed = total(things, removed);
  if (freed >= missing || total(things, order) < missing) return removed;
  for (const std::size_t i : order) {
    if (freed >= missing) break;
    if (goes[i]) continue;
    freed += things[i].bytes;
    removed.push_back(i);
  }
  return removed;
}

std::uint64_t expected_bytes(std::span<const StoredThing> things, ThingKind kind, const std::string& subject) {
  constexpr std::size_t looked_at = 5;
  std::vector<const StoredThing*> alike;
  for (const StoredThing& thing : things) {
    if (thing.kind == kind && thing.subject == subject && !thing.remains) alike.push_back(&thing);
  }
  std::stable_sort(alike.begin(), alike.end(), [](const auto* a, const auto* b) { return a->used > b->used; });
  if (alike.size() > looked_at) alike.resize(looked_at);
  std::uint64_t largest = 0;
  for (const StoredThing* thing : alike) largest = std::max(largest, thing->bytes);
  return largest + largest / 10;
}

}  // namespace tbci::pipeline
