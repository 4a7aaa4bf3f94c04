// The measurements of RunStore.
#include "base/assert.hpp"
#include "base/version_order.hpp"
#include "storage/evidence_json.hpp"
#include "storage/exception_guard.hpp"
#include "storage/query.hpp"
#include "storage/run_store.hpp"
#include "storage/samples.hpp"

namespace tbci::storage {

namespace {

const std::string select_measurements =
    "SELECT m.id, m.run_id, m.build_id, m.ordinal, c.benchmark, c.configuration, m.outcome, m.message, "
    "m.sample_count, m.samples, m.instruction_count, m.instructions, m.cpu_peak_bytes, m.gpu_peak_bytes, "
    "m.cpu_growth_bytes, m.gpu_growth_bytes, t.version, t.git, m.started_ms, m.wall_ns, m.warmup_ns, "
    "m.gpu_active_ns, m.gpu_movement_ns, m.gpu_idle_ns, "
    "m.gpu_reserved_peak_bytes, m.cpu_growth_low_bytes, m.cpu_growth_high_bytes, m.rss_growth_bytes, "
    "m.rss_growth_low_bytes, m.rss_growth_high_bytes, m.gpu_growth_low_bytes, m.gpu_growth_high_bytes, m.growth_ns, "
    "m.details, m.finite, m.alternating, m.gpu_sm_mhz_low, m.gpu_sm_mhz_high, m.gpu_celsius, m.gpu_held_down_by, "
    "m.compile_ns, m.unsteady_iterations, m.difference, m.evidence "
    "FROM measurement m JOIN measured_case c ON c.id = m.case_id JOIN torch t ON t.id = m.torch_id ";

/// A count and the blob that holds this number of samples; no blob for none.
std::vector<std::int64_t> read_samples(Row& row) {
  const std::int64_t count = row.integer();
  const std::string blob = row.text();
  if (count == 0 && blob.empty()) return {};
  return row.take(decode_samples(blob, static_cast<std::size_t>(count)));
}

/// All three parts or none.
std::optional<model::GpuSplit> read_split(Row& row) {
  const auto active = row.optional_integer(), movement = row.optional_integer(), idle = row.optional_integer();
  if (!active || !movement || !idle) return std::nullopt;
  return model::GpuSplit{.active = std::chrono::nanoseconds(*active),
                         .movement = std::chrono::nanoseconds(*movement),
                         .idle = std::chrono::nanoseconds(*idle)};
}

/// All four or none.
std::optional<model::GpuLoad> read_load(Row& row) {
  const auto low = row.optional_integer(), high = row.optional_integer(), celsius = row.optional_integer(),
             reasons = row.optional_integer();
  if (!low || !high || !celsius || !reasons) return std::nullopt;
  return model::GpuLoad{.sm_mhz_low = *low, .sm_mhz_high = *high, .celsius = *celsius, .held_down_by = *reasons};
}

/// All three or none.
std::optional<model::Compiling> read_compiling(Row& row) {
  const auto time = row.optional_integer(), unsteady = row.optional_integer();
  const auto difference = row.optional_real();
  if (!time || !unsteady || !difference) return std::nullopt;
  return model::Compiling{
      .time = std::chrono::nanoseconds(*time), .unsteady_iterations = *unsteady, .difference = *difference};
}

std::optional<model::Interval> read_interval(Row& row) {
  const auto low = row.optional_real();
  const auto high = row.optional_real();
  return low && high ? std::optional(model::Interval{*low, *high}) : std::nullopt;
}

Result<model::PlacedMeasurement> read_measurement(Row row) {
  model::PlacedMeasurement placed;
  model::Measurement& measurement = placed.measurement;
  row.integer();  // the id, which names the row
  placed.place.run_id = row.integer();
  placed.place.build_id = row.integer();
  placed.place.ordinal = row.small_integer();
  measurement.measured.benchmark = row.text();
  measurement.measured.configuration = row.word(model::configuration_from);
  measurement.outcome = row.word(model::outcome_from);
  measurement.message = row.text();
  measurement.nanoseconds = read_samples(row);
  measurement.instructions = read_samples(row);
  measurement.cpu_peak_bytes = row.optional_integer();
  measurement.gpu_peak_bytes = row.optional_integer();
  measurement.cpu_growth_bytes = row.optional_real();
  measurement.gpu_growth_bytes = row.optional_real();
  measurement.torch_version = row.text();
  measurement.torch_git = row.text();
  measurement.started = row.time();
  measurement.wall = std::chrono::nanoseconds(row.integer());
  measurement.warmup = std::chrono::nanoseconds(row.integer());
  measurement.gpu_split = read_split(row);
  measurement.gpu_reserved_peak_bytes = row.optional_integer();
  measurement.cpu_growth_interval = read_interval(row);
  measurement.rss_growth_bytes = row.optional_real();
  measurement.rss_growth_interval = read_interval(row);
  measurement.gpu_growth_interval = read_interval(row);
  measurement.growth = std::chrono::nanoseconds(row.integer());
  measurement.details = row.text();
  if (const auto finite = row.optional_integer()) measurement.finite = *finite != 0;
  measurement.alternating = row.integer() != 0;
  measurement.gpu_load = read_load(row);
  measurement.compiling = read_compiling(row);
  measurement.evidence = row.take(evidence_from_json(row.optional_text().value_or("")));
  return row.finish(std::move(placed));
}

/// The id of a row of shared words, made where there is none.
std::int64_t intern(Database& database, const std::string& table, const std::string& columns, const std::string& first,
                    const std::string& second) {
  Query(database, "INSERT INTO " + table + " (" + columns + ") VALUES (?, ?) ON CONFLICT DO NOTHING")
      .bind(first, second)
      .execute();
  Query found(database, "SELECT id FROM " + table + " WHERE (" + columns + ") = (?, ?)");
  found.bind(first, second).next();
  return found.row(table).integer();
}

void bind_samples(Query& query, const std::vector<std::int64_t>& samples) {
  if (samples.empty()) {
    query.bind(std::optional<double>());
  } else {
    query.bind_blob(encode_samples(samples));
  }
}

void bind_split(Query& query, const std::optional<model::GpuSplit>& split) {
  const auto part = [&](std::chrono::nanoseconds model::GpuSplit::*which) {
    return split ? std::optional<std::int64_t>(((*split).*which).count()) : std::nullopt;
  };
  query.bind(part(&model::GpuSplit::active), part(&model::GpuSplit::movement), part(&model::GpuSplit::idle));
}

void bind_load(Query& query, const std::optional<model::GpuLoad>& load) {
  const auto part = [&](std::int64_t model::GpuLoad::*which) {
    return load ? std::optional<std::int64_t>((*load).*which) : std::nullopt;
  };
  query.bind(part(&model::GpuLoad::sm_mhz_low), part(&model::GpuLoad::sm_mhz_high), part(&model::GpuLoad::celsius),
             part(&model::GpuLoad::held_down_by));
}

void bind_compiling(Query& query, const std::optional<model::Compiling>& compiling) {
  query.bind(compiling ? std::optional(std::int64_t{compiling->time.count()}) : std::nullopt,
             compiling ? std::optional(compiling->unsteady_iterations) : std::nullopt,
             compiling ? std::optional(compiling->difference) : std::nullopt);
}

Status insert(Database& database, const model::Place& place, const model::Measurement& measurement) {
  const auto case_id = intern(database, "measured_case", "benchmark, configuration", measurement.measured.benchmark,
                              std::string(to_string(measurement.measured.configuration)));
  const auto torch_id = intern(database, "torch", "version, git", measurement.torch_version, measurement.torch_git);
  const auto times = summarize(measurement.nanoseconds);
  const auto instructions = summarize(measurement.instructions);
  const auto part = [](const std::optional<Summary>& summary, double Summary::*which) {
    return summary ? std::optional((*summary).*which) : std::nullopt;
  };
  const auto low = [](const std::optional<model::Interval>& interval) {
    return interval ? std::optional(interval->low) : std::nullopt;
  };
  const auto high = [](const std::optional<model::Interval>& interval) {
    return interval ? std::optional(interval->high) : std::nullopt;
  };
  Query query(database,
              "INSERT INTO measurement (run_id, build_id, case_id, ordinal, outcome, message, sample_count, median_ns, "
              "q1_ns, q3_ns, instruction_count, instructions_median, cpu_peak_bytes, gpu_peak_bytes, cpu_growth_bytes, "
              "gpu_growth_bytes, torch_id, started_ms, wall_ns, warmup_ns, gpu_reserved_peak_bytes, "
              "cpu_growth_low_bytes, cpu_growth_high_bytes, rss_growth_bytes, rss_growth_low_bytes, "
              "rss_growth_high_bytes, gpu_growth_low_bytes, gpu_growth_high_bytes, growth_ns, details, finite, "
              "alternating, samples, instructions, gpu_active_ns, gpu_movement_ns, gpu_idle_ns, gpu_sm_mhz_low, "
              "gpu_sm_mhz_high, gpu_celsius, gpu_held_down_by, compile_ns, unsteady_iterations, difference, "
              "evidence) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
              "?, ?, ?, ?, ?, "
              "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
              "ON CONFLICT (build_id, case_id, run_id, ordinal) DO NOTHING");
  query.bind(place.run_id, place.build_id, case_id, place.ordinal, to_string(measurement.outcome), measurement.message,
             static_cast<std::int64_t>(measurement.nanoseconds.size()), part(times, &Summary::median),
             part(times, &Summary::q1), part(times, &Summary::q3),
             static_cast<std::int64_t>(measurement.instructions.size()), part(instructions, &Summary::median),
             measurement.cpu_peak_bytes, measurement.gpu_peak_bytes, measurement.cpu_growth_bytes,
             measurement.gpu_growth_bytes, torch_id, measurement.started, std::int64_t{measurement.wall.count()},
             std::int64_t{measurement.warmup.count()}, measurement.gpu_reserved_peak_bytes,
             low(measurement.cpu_growth_interval), high(measurement.cpu_growth_interval), measurement.rss_growth_bytes,
             low(measurement.rss_growth_interval), high(measurement.rss_growth_interval),
             low(measurement.gpu_growth_interval), high(measurement.gpu_growth_interval),
             std::int64_t{measurement.growth.count()}, measurement.details,
             measurement.finite ? std::optional<std::int64_t>(*measurement.finite ? 1 : 0) : std::nullopt,
             std::int64_t{measurement.alternating ? 1 : 0});
  bind_samples(query, measurement.nanoseconds);
  bind_samples(query, measurement.instructions);
  bind_split(query, measurement.gpu_split);
  bind_load(query, measurement.gpu_load);
  bind_compiling(query, measurement.compiling);
  const std::string evidence = evidence_to_json(measurement.evidence);
  query.bind(evidence.empty() ? std::nullopt : std::optional(evidence));
  if (query.execute() == 1) return {};
  return fail(ErrorKind::failed, "run {} has process {} of {} on build {} already: measurements are never overwritten",
              place.run_id, place.ordinal, to_string(measurement.measured), place.build_id);
}

/// The SQL of the number that a process adds to a series of that metric: the same number as model::value_of gives,
/// without unpacking the samples of ten years.
std::string column_of(model::Metric metric) {
  switch (metric) {
    case model::Metric::time:
      return "m.median_ns";
    case model::Metric::cpu_memory:
      return "m.cpu_peak_bytes";
    case model::Metric::gpu_memory:
      return "m.gpu_peak_bytes";
    case model::Metric::cpu_leak:
      return "m.cpu_growth_bytes";
    case model::Metric::gpu_leak:
      return "m.gpu_growth_bytes";
    case model::Metric::instructions:
      return "m.instructions_median";
    case model::Metric::gpu_reserved:
      return "m.gpu_reserved_peak_bytes";
    case model::Metric::outcome:
      return "NULL";
  }
  TBCI_ASSERT(false);
}

/// The columns of what that number lies between; both NULL for what has no interval.
std::string interval_columns_of(model::Metric metric) {
  if (metric == model::Metric::cpu_leak) return "m.cpu_growth_low_bytes, m.cpu_growth_high_bytes";
  if (metric == model::Metric::gpu_leak) return "m.gpu_growth_low_bytes, m.gpu_growth_high_bytes";
  return "NULL, NULL";
}

/// Binds benchmark (?1) and configuration (?2).
std::string values_of_case(model::Metric metric) {
  return fmt::format(
      "m.case_id = (SELECT id FROM measured_case WHERE benchmark = ?1 AND configuration = ?2) "
      "AND m.outcome = 'done' AND {} IS NOT NULL ",
      column_of(metric));
}

Result<NightlyOutcome> read_outcome(Row row) {
  NightlyOutcome one;
  row.integer();  // the id, which names the row
  one.nightly = row.text();
  one.outcome = row.word(model::outcome_from);
  one.message = row.text();
  one.details = row.text();
  if (const auto finite = row.optional_integer()) one.finite = *finite != 0;
  return row.finish(std::move(one));
}

std::string first_key(const HistoryWindow& window) {
  return window.since.empty() ? std::string() : version_key(window.since);
}
std::string end_key(const HistoryWindow& window) {
  constexpr const char* after_all = "~";  // keys are letters and digits
  return window.before.empty() ? std::string(after_all) : version_key(window.before);
}

/// One process's value, with the point that it belongs to.
Result<HistoryPoint> read_value(Row row) {
  HistoryPoint point;
  row.integer();  // the measurement, which names the row
  point.build_id = row.integer();
  point.nightly = row.text();
  point.run_id = row.integer();
  point.key = row.text();
  point.purpose = row.word(model::purpose_from);
  point.runner = row.text();
  point.environment = row.text();
  point.started = row.time();
  point.alternating = row.integer() != 0;
  point.values = {row.real()};
  point.intervals = {read_interval(row)};
  return row.finish(std::move(point));
}

}  // namespace

Status RunStore::add(const model::Place& place, const model::Measurement& measurement) {
  const std::string doing = fmt::format("keep process {} of {} on build {} in run {}", place.ordinal,
                                        to_string(measurement.measured), place.build_id, place.run_id);
  return database_.transaction([&]() -> Status {
    return guarded(database_.path(), doing, [&] { return insert(database_, place, measurement); });
  });
}

Status RunStore::add_pair(const model::Place& before, const model::Place& after, const model::MeasurementPair& pair) {
  return database_.transaction([&]() -> Status {
    TBCI_TRY(add(before, pair.before));
    return add(after, pair.after);
  });
}

Result<int> RunStore::count(std::int64_t run_id, std::int64_t build_id, const model::Case& measured) const {
  return guarded(database_.path(), "count measurements", [&]() -> Result<int> {
    Query query(database_,
                "SELECT count(*) FROM measurement WHERE run_id = ? AND build_id = ? AND case_id = "
                "(SELECT id FROM measured_case WHERE benchmark = ? AND configuration = ?)");
    query.bind(run_id, build_id, measured.benchmark, to_string(measured.configuration)).next();
    return query.row("measurement").small_integer();
  });
}

Result<std::vector<model::PlacedMeasurement>> RunStore::measurements(std::int64_t run_id,
                                                                     std::optional<std::int64_t> build_id,
                                                                     const std::optional<model::Case>& measured) const {
  return guarded(database_.path(), "read measurements", [&] {
    std::optional<std::string> benchmark, configuration;
    if (measured) benchmark = measured->benchmark;
    if (measured) configuration = to_string(measured->configuration);
    return Query(database_, select_measurements +
                                "WHERE m.run_id = ?1 AND (?2 IS NULL OR m.build_id = ?2) AND (?3 IS NULL OR "
                                "(c.benchmark = ?3 AND c.configuration = ?4)) "
                                "ORDER BY c.benchmark, c.configuration, m.ordinal, m.build_id")
        .bind(run_id, build_id, benchmark, configuration)
        .all("measurement", read_measurement);
  });
}

Result<std::vector<double>> RunStore::values(std::int64_t run_id, std::int64_t build_id,
                                             const model::Series& series) const {
  return guarded(database_.path(), "read values", [&]() -> Result<std::vector<double>> {
    Query query(database_, "SELECT " + column_of(series.metric) + " FROM measurement m WHERE " +
                               values_of_case(series.metric) +
                               "AND m.run_id = ?3 AND m.build_id = ?4 ORDER BY m.ordinal");
    query.bind(series.benchmark, to_string(series.configuration), run_id, build_id);
    std::vector<double> values;
    while (query.next()) values.push_back(query.row("measurement").real());
    return values;
  });
}

Result<std::vector<HistoryPoint>> RunStore::series_history(const std::string& subject, const model::Series& series,
                                                           const HistoryWindow& window) const {
  return guarded(database_.path(), "read the history", [&]() -> Result<std::vector<HistoryPoint>> {
    const std::string of_case = values_of_case(series.metric);
    Query query(
        database_,
        "SELECT m.id, b.id, b.name, r.id, r.key, r.purpose, r.runner, r.environment, r.started_ms, m.alternating, " +
            column_of(series.metric) + ", " + interval_columns_of(series.metric) +
            " FROM build b JOIN measurement m ON m.build_id = b.id JOIN run r ON r.id = m.run_id WHERE " + of_case +
            "AND b.id IN (SELECT n.id FROM build n WHERE n.subject = ?3 AND n.kind = 'nightly' "
            "AND n.sort_key >= ?5 AND n.sort_key < ?6 AND EXISTS "
            "(SELECT 1 FROM measurement m WHERE m.build_id = n.id AND " +
            of_case + ") ORDER BY n.sort_key DESC LIMIT ?4) ORDER BY b.sort_key, r.started_ms, r.id, m.ordinal");
    query.bind(series.benchmark, to_string(series.configuration), subject, window.newest, first_key(window),
               end_key(window));
    const bool has_intervals = series.metric == model::Metric::cpu_leak || series.metric == model::Metric::gpu_leak;
    TBCI_ASSIGN(const auto values, query.all("measurement", read_value));
    std::vector<HistoryPoint> points;
    for (const HistoryPoint& value : values) {
      const bool same = !points.empty() && points.back().build_id == value.build_id &&
                        points.back().run_id == value.run_id && points.back().alternating == value.alternating;
      if (same) {
        points.back().values.push_back(value.values.front());
        points.back().intervals.push_back(value.intervals.front());
      } else {
        points.push_back(value);
      }
    }
    if (!has_intervals) {
      for (HistoryPoint& point : points) point.intervals.clear();
    }
    return points;
  });
}

Result<std::vector<NightlyOutcome>> RunStore::outcome_history(const std::string& subject, const model::Case& measured,
                                                              const HistoryWindow& window,
                                                              const std::string& left_out) const {
  return guarded(database_.path(), "read the outcomes", [&] {
    const std::string of_case =
        "m.case_id = (SELECT id FROM measured_case WHERE benchmark = ?1 AND configuration = ?2) "
        "AND m.outcome <> 'unsupported' ";
    Query query(database_,
                "SELECT m.id, b.name, m.outcome, m.message, m.details, m.finite FROM build b JOIN measurement m "
                "ON m.build_id = b.id JOIN run r ON r.id = m.run_id WHERE " +
                    of_case +
                    "AND substr(r.key, 1, length(?7)) <> ?7 AND b.id IN (SELECT n.id FROM build n WHERE n.subject = ?3 "
                    "AND n.kind = 'nightly' AND n.sort_key >= ?5 AND n.sort_key < ?6 AND EXISTS "
                    "(SELECT 1 FROM measurement m WHERE m.build_id = n.id AND " +
                    of_case + ") ORDER BY n.sort_key DESC LIMIT ?4) ORDER BY b.sort_key, m.id");
    query.bind(measured.benchmark, to_string(measured.configuration), subject, window.newest, first_key(window),
               end_key(window), left_out);
    return query.all("measurement", read_outcome);
  });
}

Result<std::vector<NightlyOutcome>> RunStore::outcomes_of(std::int64_t build_id, const model::Case& measured,
                                                          const std::string& runner) const {
  return guarded(database_.path(), "read the outcomes", [&] {
    return Query(database_,
                 "SELECT m.id, b.name, m.outcome, m.message, m.details, m.finite FROM measurement m "
                 "JOIN build b ON b.id = m.build_id JOIN run r ON r.id = m.run_id "
                 "WHERE m.build_id = ?1 AND r.runner = ?4 AND m.case_id = "
                 "(SELECT id FROM measured_case WHERE benchmark = ?2 AND configuration = ?3) "
                 "AND m.outcome <> 'unsupported' ORDER BY m.id")
        .bind(build_id, measured.benchmark, to_string(measured.configuration), runner)
        .all("measurement", read_outcome);
  });
}

}  // namespace tbci::storage
