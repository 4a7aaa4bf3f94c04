#include "pipeline/night/digest.hpp"

#include <algorithm>
#include <limits>

#include "base/assert.hpp"
#include "github/digest.hpp"
#include "pipeline/night/digest_facts.hpp"

namespace tbci::pipeline {

namespace {

constexpr std::chrono::days digest_week{7};
constexpr std::chrono::days longest_digest{35};
const std::string all_subjects;  // a digest is about all, so its own is empty

// Where the last digest before that time ended; a week before it where there is none.
Result<TimePoint> beginning_of(const storage::Stores& stores, TimePoint to) {
  TBCI_ASSIGN(const auto filed, stores.reports.list(all_subjects, std::numeric_limits<int>::max()));
  for (const model::Report& report : filed) {
    if (github::is_digest(report) && report.created < to)
      return std::max<TimePoint>(report.created, to - longest_digest);
  }
  return to - digest_week;
}

Result<bool> any_night_before(const storage::Stores& stores, const settings::Config& config, TimePoint time) {
  for (const settings::SubjectConfig& subject : config.subjects) {
    TBCI_ASSIGN(const auto nights, stores.nights.list(subject.name, std::numeric_limits<int>::max()));
    if (std::any_of(nights.begin(), nights.end(), [&](const model::Night& night) { return night.started < time; }))
      return true;
  }
  return false;
}

}  // namespace

TimePoint latest_digest_time(const settings::DigestConfig& config, TimePoint now) {
  TBCI_ASSERT(config.weekday.has_value());
  const auto today = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::days since = std::chrono::weekday(today) - *config.weekday;
  const TimePoint due = today - since + config.time_of_day;
  return due <= now ? due : due - digest_week;
}

Result<model::Report> draft_digest(storage::Stores& stores, const settings::Config& config,
                                   std::optional<TimePoint> since, TimePoint now) {
  if (!since) {
    TBCI_ASSIGN(since, beginning_of(stores, now));
  }
  TBCI_ASSIGN(const auto facts, digest_facts(stores, config, *since, now));
  return github::make_digest(facts);
}

Result<std::optional<model::Report>> file_due_digest(storage::Stores& stores, const settings::Config& config,
                                                     TimePoint now) {
  const settings::DigestConfig& wanted = config.report.digest;
  if (!wanted.weekday) return std::nullopt;
  const TimePoint due = latest_digest_time(wanted, now);
  TBCI_ASSIGN(const auto filed, stores.reports.find(all_subjects, github::digest_marker(due)));
  if (filed) return std::nullopt;
  TBCI_ASSIGN(const bool worth_it, any_night_before(stores, config, due));
  if (!worth_it) return std::nullopt;
  TBCI_ASSIGN(const model::Report digest, draft_digest(stores, config, std::nullopt, due));
  // Kept as made when it was due: the next one begins there.
  TBCI_ASSIGN(model::Report kept, stores.reports.file(digest, wanted.channels, due));
  return kept;
}

}  // namespace tbci::pipeline
