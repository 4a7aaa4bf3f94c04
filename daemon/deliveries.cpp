#include "daemon/deliveries.hpp"

#include "base/log.hpp"
#include "pipeline/night/delivering.hpp"
#include "storage/stores.hpp"

namespace tbci::daemon {

namespace {

constexpr std::chrono::seconds between_looks{2};

}  // namespace

Deliveries::Deliveries(storage::Database database, const settings::Config& config, const Clock& clock, OnFatal on_fatal)
    : database_(std::move(database)),
      config_(config),
      clock_(clock),
      on_fatal_(std::move(on_fatal)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

void Deliveries::work(const std::stop_token& stop) {
  storage::Stores stores(database_);
  do {
    const auto delivered = pipeline::deliver_reports(stores, config_, clock_, stop);
    if (delivered || delivered.error().kind == ErrorKind::interrupted) continue;
    log::error("outbox: {}", delivered.error().message);
    if (delivered.error().kind == ErrorKind::damaged) return on_fatal_(delivered.error());
  } while (clock_.sleep_for(between_looks, stop));
}

}  // namespace tbci::daemon
