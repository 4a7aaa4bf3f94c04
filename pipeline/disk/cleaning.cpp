#include "pipeline/disk/cleaning.hpp"

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "pipeline/disk/inventory.hpp"

namespace tbci::pipeline {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t reserve_bytes = std::uint64_t{512} << 20;  // for the database and its log

std::string human(std::uint64_t bytes) {
  return human_bytes(static_cast<double>(bytes));
}

void report(const SubjectContext& context, const Cleaning& cleaning) {
  for (const Error& error : cleaning.failed) {
    log::warning("{}", error.message);
    context.progress.note(error.message);
  }
  for (const std::size_t i : cleaning.removed) {
    const StoredThing& thing = cleaning.things[i];
    log::info("removed {} ({}, last used {})", thing.path.string(), human(thing.bytes), to_date(thing.used));
    context.progress.note(
        fmt::format("removed {} to make room: {}", thing.path.filename().string(), human(thing.bytes)));
  }
}

}  // namespace

Result<Cleaning> plan_cleaning(storage::Stores& stores, const settings::Config& config, TimePoint now,
                               std::uint64_t missing) {
  Cleaning cleaning;
  TBCI_ASSIGN(cleaning.things, list_things(stores, config, now));
  cleaning.removed = things_to_remove(cleaning.things, budgets_of(config), missing);
  return cleaning;
}

void carry_out(Cleaning& plan) {
  std::erase_if(plan.removed, [&](std::size_t i) {
    const Status removed = remove_thing(plan.things[i]);
    if (!removed) plan.failed.push_back(removed.error());
    return !removed;
  });
}

Status remove_thing(const StoredThing& thing) {
  std::error_code error;
  fs::path doomed = thing.path;
  // Renamed first, so that nobody finds half of it. What a kill leaves has this name and goes with the next cleaning.
  if (!thing.path.filename().string().starts_with("unfinished-")) {
    doomed = thing.path.parent_path() / ("unfinished-0-" + thing.path.filename().string());
    fs::rename(thing.path, doomed, error);
  }
  if (error) return fail(ErrorKind::machine, "cannot remove {}: {}", thing.path.string(), error.message());
  TBCI_TRY(remove_tree(doomed));
  FileLock::remove_unheld(thing.path.string() + ".lock");  // of who installs or builds it
  return {};
}

Status make_room(SubjectContext& context, ThingKind kind) {
  const fs::path& state = context.config.service.state;
  TBCI_ASSIGN(const std::uint64_t free, free_bytes(state));
  TBCI_ASSIGN(Cleaning cleaning, plan_cleaning(context.stores, context.config, context.clock.now()));
  // A worker is built against it afterwards.
  std::uint64_t needed = expected_bytes(cleaning.things, kind, context.name()) +
                         expected_bytes(cleaning.things, ThingKind::worker, "") + reserve_bytes;
  if (kind == ThingKind::product) needed = std::max(needed, context.subject.source.needed_free_bytes);
  if (free < needed) cleaning.removed = things_to_remove(cleaning.things, budgets_of(context.config), needed - free);
  carry_out(cleaning);
  report(context, cleaning);
  TBCI_ASSIGN(const std::uint64_t free_now, free_bytes(state));
  if (free_now >= needed) return {};
  return fail(ErrorKind::machine,
              "{} has {} free, but {} may need {}, as earlier ones did: free space there, lower the budgets of [disk], "
              "or choose another state folder (`tbci clean --dry-run` lists what lies there)",
              state.string(), human(free_now), kind == ThingKind::product ? "a build" : "an install", human(needed));
}

std::vector<DiskUse> use_of(const std::vector<StoredThing>& things, const std::vector<DiskBudget>& budgets) {
  std::map<std::pair<ThingKind, std::string>, DiskUse> all;
  for (const DiskBudget& budget : budgets) {
    DiskUse& use = all[{budget.kind, budget.subject}];
    use.budget = budget.bytes;
  }
  for (const StoredThing& thing : things) {
    DiskUse& use = all[{thing.kind, thing.subject}];
    ++use.things;
    use.bytes += thing.bytes;
  }
  std::vector<DiskUse> list;
  for (auto& [key, use] : all) {
    use.kind = key.first;
    use.subject = key.second;
    if (use.things > 0) list.push_back(use);
  }
  return list;
}

}  // namespace tbci::pipeline
