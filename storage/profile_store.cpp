#include "storage/profile_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

struct StoredProfile {
  std::int64_t id = 0;
  model::PlacedProfile placed;
};

Result<StoredProfile> read_profile(Row row) {
  StoredProfile stored;
  model::OperatorProfile& profile = stored.placed.profile;
  stored.id = row.integer();
  stored.placed.place.run_id = row.integer();
  stored.placed.place.build_id = row.integer();
  stored.placed.place.ordinal = row.small_integer();
  profile.measured.benchmark = row.text();
  profile.measured.configuration = row.word(model::configuration_from);
  profile.iterations = row.small_integer();
  profile.iteration = std::chrono::nanoseconds(row.integer());
  profile.outside = std::chrono::nanoseconds(row.integer());
  profile.profiler = std::chrono::nanoseconds(row.integer());
  profile.started = row.time();
  return row.finish(std::move(stored));
}

Result<model::OperatorTime> read_operator(Row row) {
  model::OperatorTime time;
  row.integer();  // the profile, which names the row
  time.name = row.text();
  time.calls = row.integer();
  time.self = std::chrono::nanoseconds(row.integer());
  return row.finish(std::move(time));
}

Result<std::vector<model::OperatorTime>> operators_of(Database& database, std::int64_t profile_id) {
  return Query(
             database,
             "SELECT t.profile_id, o.name, t.calls, t.self_ns FROM operator_time t "
             "JOIN profiled_operator o ON o.id = t.operator_id WHERE t.profile_id = ? ORDER BY t.self_ns DESC, o.name")
      .bind(profile_id)
      .all("operator_time", read_operator);
}

std::int64_t case_id_of(Database& database, const model::Case& measured) {
  Query(database, "INSERT INTO measured_case (benchmark, configuration) VALUES (?, ?) ON CONFLICT DO NOTHING")
      .bind(measured.benchmark, to_string(measured.configuration))
      .execute();
  Query found(database, "SELECT id FROM measured_case WHERE benchmark = ? AND configuration = ?");
  found.bind(measured.benchmark, to_string(measured.configuration)).next();
  return found.row("measured_case").integer();
}

void insert_operator(Database& database, std::int64_t profile_id, const model::OperatorTime& time) {
  Query(database, "INSERT INTO profiled_operator (name) VALUES (?) ON CONFLICT DO NOTHING").bind(time.name).execute();
  Query(database,
        "INSERT INTO operator_time (profile_id, operator_id, calls, self_ns) "
        "VALUES (?, (SELECT id FROM profiled_operator WHERE name = ?), ?, ?)")
      .bind(profile_id, time.name, time.calls, std::int64_t{time.self.count()})
      .execute();
}

Status insert_profile(Database& database, const model::Place& place, const model::OperatorProfile& profile) {
  Query query(database,
              "INSERT INTO profile (run_id, build_id, case_id, ordinal, iterations, iteration_ns, outside_ns, "
              "profiler_ns, started_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
              "ON CONFLICT (build_id, case_id, run_id, ordinal) DO NOTHING");
  query.bind(place.run_id, place.build_id, case_id_of(database, profile.measured), place.ordinal, profile.iterations,
             std::int64_t{profile.iteration.count()}, std::int64_t{profile.outside.count()},
             std::int64_t{profile.profiler.count()}, profile.started);
  if (query.execute() != 1) {
    return fail(ErrorKind::failed, "run {} has profile {} of {} on build {} already: profiles are never overwritten",
                place.run_id, place.ordinal, to_string(profile.measured), place.build_id);
  }
  const std::int64_t id = last_id(database);
  for (const model::OperatorTime& time : profile.operators) insert_operator(database, id, time);
  return {};
}

}  // namespace

Status ProfileStore::add(const model::Place& place, const model::OperatorProfile& profile) {
  const std::string doing = fmt::format("keep profile {} of {} on build {} in run {}", place.ordinal,
                                        to_string(profile.measured), place.build_id, place.run_id);
  return database_.transaction([&]() -> Status {
    return guarded(database_.path(), doing, [&] { return insert_profile(database_, place, profile); });
  });
}

Result<std::vector<model::PlacedProfile>> ProfileStore::profiles(std::int64_t run_id, std::int64_t build_id,
                                                                 const model::Case& measured) const {
  return guarded(database_.path(), "read profiles", [&]() -> Result<std::vector<model::PlacedProfile>> {
    TBCI_ASSIGN(auto stored, Query(database_,
                                   "SELECT p.id, p.run_id, p.build_id, p.ordinal, c.benchmark, c.configuration, "
                                   "p.iterations, p.iteration_ns, p.outside_ns, p.profiler_ns, p.started_ms "
                                   "FROM profile p JOIN measured_case c ON c.id = p.case_id WHERE p.run_id = ? AND "
                                   "p.build_id = ? AND c.benchmark = ? AND c.configuration = ? ORDER BY p.ordinal")
                                 .bind(run_id, build_id, measured.benchmark, to_string(measured.configuration))
                                 .all("profile", read_profile));
    std::vector<model::PlacedProfile> profiles;
    for (StoredProfile& one : stored) {
      TBCI_ASSIGN(one.placed.profile.operators, operators_of(database_, one.id));
      profiles.push_back(std::move(one.placed));
    }
    return profiles;
  });
}

}  // namespace tbci::storage
