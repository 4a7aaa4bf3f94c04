// Reports, and the outbox with their deliveries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/report.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class ReportStore {
 public:
  explicit ReportStore(Database& database) : database_(database) {}

  /// Keeps the report (its id, revision and creation time are not read) and one pending delivery a channel, due now, in
  /// one transaction. Where the subject has a report of that marker already, that one becomes as given as its next
  /// revision, with these notes, and is delivered again; one that no channel got before, to these channels. Where
  /// nothing is new, nothing is written. A report that is new says all that there is to say: its notes are left out.
  Result<model::Report> file(const model::Report& report, const std::vector<std::string>& channels, TimePoint now,
                             const std::vector<std::string>& notes = {});
  Result<std::optional<model::Report>> find(const std::string& subject, const std::string& marker) const;
  /// An error where there is no such id.
  Result<model::Report> get(std::int64_t id) const;
  /// Those about a culprit, or several commits one of which it is; the latest first.
  Result<std::vector<model::Report>> with_culprits(const std::string& subject) const;
  /// Those that are open, the oldest first.
  Result<std::vector<model::Report>> open_reports(const std::string& subject) const;
  /// The notes that came after that revision, the oldest first.
  Result<std::vector<model::ReportNote>> notes_after(std::int64_t report_id, int revision) const;
  /// The latest first.
  Result<std::vector<model::Report>> list(const std::string& subject, int limit) const;

  /// Pending deliveries whose next attempt is not after `now`, of all subjects, the longest due first.
  Result<std::vector<model::Delivery>> due(TimePoint now) const;
  /// Deliveries of the subject's reports that were refused, that failed in their last attempt, or that nobody tried
  /// within an hour of their time. The oldest report first.
  Result<std::vector<model::Undelivered>> undelivered(const std::string& subject, TimePoint now) const;
  /// Deliveries through a channel that arrived, of all subjects, the oldest report first.
  Result<std::vector<model::Delivery>> arrived(const std::string& channel) const;
  /// All deliveries of a report, in the order of its channels.
  Result<std::vector<model::Delivery>> deliveries(std::int64_t report_id) const;
  /// Keeps that a request which writes to the channel begins: at `now`, or at the time of an earlier one whose answer
  /// is not known either.
  Status attempting(std::int64_t delivery_id, TimePoint now);
  /// Marks a revision as delivered; `reference` is the path of the file or the address of the issue. Where the report
  /// has a newer revision meanwhile, the delivery stays pending.
  Status delivered(std::int64_t delivery_id, const std::string& reference, int revision);
  /// Records an attempt that failed; the next one is at `next_attempt`.
  Status failed_attempt(std::int64_t delivery_id, const std::string& error, TimePoint next_attempt);
  /// A delivery that was not tried becomes due at `next_attempt`.
  Status postponed(std::int64_t delivery_id, TimePoint next_attempt);
  /// Marks a delivery as refused for good.
  Status refused(std::int64_t delivery_id, const std::string& error);
  /// Deliveries of the report that wait or were refused become due at `now`; those that a person deleted without their
  /// address, so that the report is filed once more. How many those are.
  Result<int> again(std::int64_t report_id, TimePoint now);

 private:
  Database& database_;
};

}  // namespace tbci::storage
