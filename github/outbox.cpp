#include "github/outbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"

namespace tbci::github {

namespace {

constexpr std::chrono::minutes longest_backoff = std::chrono::hours(6);
constexpr std::size_t longest_error_bytes = 500;

Channel* find(std::span<const std::unique_ptr<Channel>> channels, const std::string& name) {
  const auto found = std::find_if(channels.begin(), channels.end(), [&](const auto& c) { return c->name() == name; });
  return found == channels.end() ? nullptr : found->get();
}

// One pass over the outbox.
class Pass {
 public:
  Pass(std::span<const std::unique_ptr<Channel>> channels, OutboxJournal& journal, const Clock& clock)
      : channels_(channels), journal_(journal), clock_(clock) {}

  Status take(const PendingDelivery& pending, std::stop_token stop) {
    const model::Delivery& delivery = pending.delivery;
    if (delivery.state != model::DeliveryState::pending) return {};
    if (!is_due(delivery, clock_.now())) {
      remember(delivery.next_attempt);
      return {};
    }
    if (const auto waiting = waits_.find(delivery.channel); waiting != waits_.end()) {
      ++summary_.postponed;
      remember(waiting->second);
      return journal_.postponed(delivery.id, waiting->second);
    }
    return record(pending, attempt(pending, stop));
  }

  const OutboxSummary& summary() const { return summary_; }

 private:
  Attempt attempt(const PendingDelivery& pending, std::stop_token stop) {
    const std::string& name = pending.delivery.channel;
    Channel* channel = find(channels_, name);
    if (!channel) {
      return Attempt::retry({ErrorKind::usage, fmt::format("no channel '{}' is configured: add it to the configuration",
                                                           one_line(name, 60))});
    }
    const model::Delivery& delivery = pending.delivery;
    Attempt made = channel->deliver({.report = pending.report,
                                     .reference = delivery.reference,
                                     .attempted = delivery.attempted,
                                     .delivered_revision = delivery.revision,
                                     .notes = pending.notes,
                                     .before_write = [&] { return journal_.attempting(delivery.id); }},
                                    stop);
    if (made.outcome == Attempt::Outcome::retry && made.not_before && !made.only_this)
      waits_.emplace(name, *made.not_before);
    return made;
  }

  Status record(const PendingDelivery& pending, const Attempt& attempt) {
    const model::Delivery& delivery = pending.delivery;
    if (attempt.outcome == Attempt::Outcome::delivered) {
      ++summary_.delivered;
      return journal_.delivered(delivery.id, attempt.reference, pending.report.revision);
    }
    if (attempt.error.kind == ErrorKind::interrupted) return pass_on(attempt.error);
    const std::string error = one_line(attempt.error.message, longest_error_bytes);
    if (attempt.outcome == Attempt::Outcome::refused) {
      ++summary_.refused;
      return journal_.refused(delivery.id, error);
    }
    ++summary_.postponed;
    TimePoint next = clock_.now() + backoff(delivery.attempts + 1, delivery.id);
    if (attempt.not_before) next = std::max(next, *attempt.not_before);
    remember(next);
    return journal_.failed_attempt(delivery.id, error, next);
  }

  void remember(TimePoint next) { summary_.next = summary_.next ? std::min(*summary_.next, next) : next; }

  std::span<const std::unique_ptr<Channel>> channels_;
  OutboxJournal& journal_;
  const Clock& clock_;
  OutboxSummary summary_;
  std::map<std::string, TimePoint> waits_;  // channels that asked to wait in this pass, until when
};

}  // namespace

std::chrono::seconds backoff(int attempts, std::int64_t delivery_id) {
  std::chrono::seconds wait = std::chrono::minutes(1);
  for (int i = 1; i < attempts && wait < longest_backoff; ++i) wait *= 2;
  wait = std::min<std::chrono::seconds>(wait, longest_backoff);
  // The golden ratio spreads numbers that follow each other.
  const double part = std::fmod(static_cast<double>(delivery_id) * 0.6180339887498949, 1.0);
  return wait + std::chrono::duration_cast<std::chrono::seconds>(wait * part / 4);
}

Result<OutboxSummary> deliver_due(std::span<const PendingDelivery> pending,
                                  std::span<const std::unique_ptr<Channel>> channels, OutboxJournal& journal,
                                  const Clock& clock, std::stop_token stop) {
  Pass pass(channels, journal, clock);
  for (const PendingDelivery& delivery : pending) {
    if (stop.stop_requested()) return fail(ErrorKind::interrupted, "stopped while delivering reports");
    TBCI_TRY(pass.take(delivery, stop));
  }
  return pass.summary();
}

}  // namespace tbci::github
