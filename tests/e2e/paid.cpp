#include "tests/e2e/paid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/run_store.hpp"
#include "tests/catch.hpp"

namespace tbci::test {

namespace {

constexpr int all = 10000;

using Times = std::map<std::string, std::int64_t>;

bool keeps(const Times& later, const Times& earlier) {
  return std::all_of(earlier.begin(), earlier.end(), [&](const auto& entry) {
    const auto found = later.find(entry.first);
    return found != later.end() && found->second == entry.second;
  });
}

Status add_builds(Paid& paid, storage::Database& database, const std::string& subject) {
  TBCI_ASSIGN(const auto builds, storage::BuildStore(database).list(subject, all));
  for (const model::Build& build : builds) {
    if (build.finished)
      paid.builds[fmt::format("{} {}", to_string(build.kind), build.name)] = build.finished->time_since_epoch().count();
    if (build.kind == model::BuildKind::commit && build.state == model::BuildState::pending)
      paid.building_commit = true;
  }
  return {};
}

Status add_measurements(Paid& paid, storage::Database& database, const std::string& subject) {
  storage::RunStore store(database);
  TBCI_ASSIGN(const auto runs, store.runs(subject, all));
  std::set<std::string> purposes;
  for (const model::Run& run : runs) {
    TBCI_ASSIGN(const auto measurements, store.measurements(run.id));
    for (const auto& [place, measurement] : measurements) {
      const std::string what =
          fmt::format("build {}, {}, process {}", place.build_id, to_string(measurement.measured), place.ordinal);
      paid.measurements[run.key + ": " + what] = measurement.started.time_since_epoch().count();
      // A run that is begun again has `@` and its environment behind its key.
      const std::string purpose = run.key.substr(0, run.key.find('@')) + ": " + what;
      if (!purposes.insert(purpose).second) paid.repeated.insert(purpose);
      if (measurement.outcome != model::Outcome::done && measurement.outcome != model::Outcome::unsupported)
        paid.broken.insert(purpose + ": " + measurement.message);
    }
  }
  return {};
}

}  // namespace

Result<Paid> look_at_paid(const Installation& installation, const std::string& subject) {
  Paid paid;
  const auto path = installation.state() / "tbci.sqlite";
  if (!std::filesystem::exists(path)) return paid;
  TBCI_ASSIGN(auto database, storage::Database::open(path, storage::Access::read_only));
  const auto read = [&]() -> Status {
    TBCI_TRY(add_builds(paid, database, subject));
    return add_measurements(paid, database, subject);
  };
  TBCI_TRY(database.transaction(read));
  return paid;
}

Paid paid_so_far(const Installation& installation, const std::string& subject) {
  auto paid = look_at_paid(installation, subject);
  if (!paid) FAIL(paid.error().message);
  return std::move(*paid);
}

bool keeps(const Paid& later, const Paid& earlier) {
  return keeps(later.builds, earlier.builds) && keeps(later.measurements, earlier.measurements);
}

}  // namespace tbci::test
