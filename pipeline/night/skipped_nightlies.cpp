#include "pipeline/night/skipped_nightlies.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "pipeline/night/missing_days.hpp"

namespace tbci::pipeline {

namespace {

using model::Availability;
using model::SkipCause;
using model::SkippedNightly;

// What is not newer than this has had its turn. Empty: nothing has.
Result<std::string> turn_has_come_until(SubjectContext& context, const std::vector<model::Nightly>& published) {
  constexpr int looked_at = 50;
  TBCI_ASSIGN(const auto nights, context.stores.nights.list(context.name(), looked_at));
  for (const model::Night& night : nights) {
    if (model::has_verdicts(night.stage)) return night.name;
  }
  if (!nights.empty()) return nights.back().baseline;
  // The first night compares the newest two.
  bool newest = true;
  for (auto nightly = published.rbegin(); nightly != published.rend(); ++nightly) {
    if (nightly->availability != Availability::complete) continue;
    if (!newest) return nightly->name;
    newest = false;
  }
  return std::string();
}

class Listing {
 public:
  Listing(SubjectContext& context, const std::vector<model::Nightly>& published)
      : context_(context), published_(published), now_(context.clock.now()) {}

  Status note() {
    TBCI_ASSIGN(had_its_turn_, turn_has_come_until(context_, published_));
    TBCI_ASSIGN(const auto known, context_.stores.skips.list(context_.name()));
    for (const SkippedNightly& one : known) known_.emplace(one.name, one);
    TBCI_TRY(note_late_days());
    TBCI_TRY(note_days());
    for (const model::Nightly& nightly : published_) {
      const auto row = known_.find(nightly.name);
      const bool is_followed = row != known_.end() && !row->second.given_up;
      if (is_followed || is_next(nightly.name)) TBCI_TRY(note_nightly(nightly));
      if (row != known_.end()) known_.erase(row);
    }
    for (const auto& one : known_) {  // those that the index does not list
      if (is_waited_for(one.second)) TBCI_TRY(wait(one.second, one.second.reason));
    }
    return {};
  }

 private:
  bool is_next(const std::string& name) const { return had_its_turn_.empty() || is_older(had_its_turn_, name); }
  Status put(const SkippedNightly& row) { return context_.stores.skips.put(context_.name(), row); }

  Status wait(SkippedNightly row, const std::string& reason) {
    row.reason = one_line(reason, 300);
    if (row.seen > now_) row.seen = now_;  // the clock was set back since
    if (now_ - row.seen >= context_.config.service.nightly_wait) row.given_up = now_;
    return put(row);
  }

  // A night of its own says what becomes of it.
  Status note_nightly(const model::Nightly& nightly) {
    TBCI_ASSIGN(const auto night, context_.stores.nights.find(context_.name(), nightly.name));
    if (night) return {};
    const auto known = known_.find(nightly.name);
    SkippedNightly row;
    row.name = nightly.name;
    row.seen = now_;
    if (known != known_.end()) row = known->second;
    const bool is_new = known == known_.end() || row.cause == SkipCause::unchecked || row.cause == SkipCause::broken;
    switch (nightly.availability) {
      case Availability::complete:
        if (is_new || row.arrived || row.cause == SkipCause::yanked) return {};
        row.arrived = now_;
        return put(row);
      case Availability::incomplete:
        if (row.given_up) return {};
        row.cause = SkipCause::incomplete;
        row.arrived.reset();
        return wait(row, nightly.remark);
      case Availability::yanked:
        if (!is_new && row.cause == SkipCause::yanked) return {};
        row.cause = SkipCause::yanked;
        row.reason = one_line(nightly.remark, 300);
        row.arrived.reset();
        row.given_up = now_;
        return put(row);
    }
    return {};
  }

  // A nightly of a day that had none.
  Status note_late_days() {
    for (const model::Nightly& nightly : published_) {
      const auto day = day_of_version(nightly.name);
      const auto row = day ? known_.find(day_name(*day)) : known_.end();
      if (row == known_.end() || row->second.cause != SkipCause::missing) continue;
      TBCI_TRY(context_.stores.skips.remove(context_.name(), row->first));
      SkippedNightly late = row->second;
      known_.erase(row);
      late.name = nightly.name;
      if (nightly.availability != Availability::complete) continue;
      TBCI_ASSIGN(const auto night, context_.stores.nights.find(context_.name(), nightly.name));
      if (night) continue;
      late.arrived = now_;
      TBCI_TRY(put(late));
      known_.emplace(late.name, late);
    }
    return {};
  }

  // A day on which a branch got no commits is none that was missed.
  Status note_days() {
    if (context_.subject.nightly.kind != runner::NightlyKind::pip) return {};
    std::vector<std::string> versions;
    for (const model::Nightly& nightly : published_) versions.push_back(nightly.name);
    for (const MissingDay& missing : missing_days(versions)) {
      const std::string name = day_name(missing.day);
      if (known_.contains(name) || !is_next(missing.version)) continue;
      TBCI_TRY(wait({.name = name, .cause = SkipCause::missing, .seen = now_, .version = missing.version}, ""));
    }
    return {};
  }

  SubjectContext& context_;
  const std::vector<model::Nightly>& published_;
  TimePoint now_;
  std::string had_its_turn_;  // and all that is older; empty: none
  std::map<std::string, SkippedNightly> known_;
};

}  // namespace

Status note_listing(SubjectContext& context, const std::vector<model::Nightly>& published) {
  return context.stores.database.transaction([&] { return Listing(context, published).note(); });
}

Result<bool> is_skipped(SubjectContext& context, const model::Nightly& nightly) {
  TBCI_ASSIGN(const auto row, context.stores.skips.find(context.name(), nightly.name));
  return row && row->given_up.has_value();
}

Status note_unchecked(SubjectContext& context, const std::vector<model::Nightly>& published,
                      const std::string& baseline, const std::string& nightly) {
  for (const model::Nightly& one : published) {
    const bool between = is_older(baseline, one.name) && is_older(one.name, nightly);
    if (!between || one.availability != Availability::complete) continue;
    TBCI_ASSIGN(const auto row, context.stores.skips.find(context.name(), one.name));
    if (row) continue;
    TBCI_ASSIGN(const auto night, context.stores.nights.find(context.name(), one.name));
    TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, one.name));
    const bool broken = build && build->state == model::BuildState::failed;
    if (broken) TBCI_TRY(note_broken(context, one.name, build->failure));
    if (broken || night) continue;
    TBCI_TRY(context.stores.skips.put(context.name(),
                                      {.name = one.name, .cause = SkipCause::unchecked, .seen = context.clock.now()}));
  }
  return {};
}

Status note_broken(SubjectContext& context, const std::string& baseline, const std::string& why) {
  return context.stores.skips.put(
      context.name(),
      {.name = baseline, .cause = SkipCause::broken, .reason = one_line(why, 300), .seen = context.clock.now()});
}

}  // namespace tbci::pipeline
