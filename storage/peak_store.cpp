#include "storage/peak_store.hpp"

#include "storage/database.hpp"
#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

Result<model::Peaks> read_peaks(Row row) {
  model::Peaks peaks;
  row.integer();  // the id, which names the row
  peaks.gpu = row.text() == "gpu";
  peaks.fp32_flops_per_second = row.integer();
  peaks.bf16_flops_per_second = row.optional_integer();
  peaks.bytes_per_second = row.integer();
  return row.finish(peaks);
}

}  // namespace

Status PeakStore::add(const PeakPlace& place, const std::vector<model::Peaks>& peaks, TimePoint now) {
  return database_.transaction([&]() -> Status {
    return guarded(database_.path(), fmt::format("keep the peaks of build {}", place.build_id), [&]() -> Status {
      for (const model::Peaks& one : peaks) {
        Query(database_,
              "INSERT INTO peak (build_id, runner, environment, device, fp32_flops, bf16_flops, bytes_per_second, "
              "measured_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
              "ON CONFLICT (build_id, runner, environment, device) DO NOTHING")
            .bind(place.build_id, place.runner, place.environment, one.gpu ? "gpu" : "cpu", one.fp32_flops_per_second,
                  one.bf16_flops_per_second, one.bytes_per_second, now)
            .execute();
      }
      return {};
    });
  });
}

Result<std::vector<model::Peaks>> PeakStore::of(const PeakPlace& place) const {
  return guarded(database_.path(), "read peaks", [&] {
    return Query(database_,
                 "SELECT id, device, fp32_flops, bf16_flops, bytes_per_second FROM peak "
                 "WHERE build_id = ? AND runner = ? AND environment = ? ORDER BY device")
        .bind(place.build_id, place.runner, place.environment)
        .all("peak", read_peaks);
  });
}

}  // namespace tbci::storage
