#include "daemon/deliveries.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "storage/stores.hpp"

namespace tbci::daemon {

namespace {

constexpr std::chrono::seconds between_looks{2};
constexpr std::chrono::seconds longest_pause = std::chrono::minutes(10);

Status look(pipeline::OpenChannels& channels, storage::Stores& stores, const std::stop_token& stop) {
  TBCI_TRY(channels.deliver_due(stores, stop));
  return channels.listen(stores, stop);
}

}  // namespace

std::chrono::seconds pause_after_look(bool failed, std::chrono::seconds last) {
  return failed ? std::clamp(2 * last, between_looks, longest_pause) : between_looks;
}

Status deliver_for_ever(storage::Database& database, const settings::Config& config, const Clock& clock,
                        pipeline::Deliverer who, const std::stop_token& stop) {
  storage::Stores stores(database);
  pipeline::OpenChannels channels(config, clock, who);
  std::chrono::seconds pause = between_looks;
  do {
    Status done = look(channels, stores, stop);
    const bool failed = !done && done.error().kind != ErrorKind::interrupted;
    pause = pause_after_look(failed, pause);
    if (!failed) continue;
    log::error("outbox: {}", done.error().message);
    if (done.error().kind == ErrorKind::damaged) return done;
  } while (clock.sleep_for(pause, stop));
  return {};
}

Deliveries::Deliveries(storage::Database database, const settings::Config& config, const Clock& clock, OnFatal on_fatal)
    : database_(std::move(database)),
      config_(config),
      clock_(clock),
      on_fatal_(std::move(on_fatal)),
      thread_([this](const std::stop_token& stop) {
        const Status ended = deliver_for_ever(database_, config_, clock_, pipeline::Deliverer::measuring, stop);
        if (!ended) on_fatal_(ended.error());
      }) {}

}  // namespace tbci::daemon
