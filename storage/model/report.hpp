// Reports and their deliveries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace tbci::model {

/// A report: the text of one issue. `marker` is unique and stands in the body, so that a second delivery finds its
/// own earlier issue.
struct Report {
  std::int64_t id = 0;
  std::string subject;
  std::string marker;
  std::string title;
  std::string body;  ///< Markdown, at most 65,536 characters
  std::vector<std::string> labels;
  TimePoint created{};
  int revision = 1;  ///< one more each time that its text changes, that it ends or begins again, or gets a note
  std::vector<std::string> culprits = {};  ///< commits; several: one of them did it. Empty: not known
  bool open = true;                        ///< whether somebody has to do something about it
  std::string rest = {};                   ///< Markdown: what the body has no room for, as long as that at most
  std::string pull_request = {};  ///< address of the page of the one that its commit names, of the one culprit; hostile
};

/// Whether two sets of commits, one of which did it, are of the same culprit: the one contains the other.
bool is_same_culprit(const std::vector<std::string>& a, const std::vector<std::string>& b);
/// Whether one commit may have done both.
bool have_common_suspect(const std::vector<std::string>& a, const std::vector<std::string>& b);

/// What people should read even if they do not look at the report again: a comment on its issue.
struct ReportNote {
  std::int64_t id = 0;
  std::int64_t report_id = 0;
  int revision = 0;  ///< of the report, that came with it
  std::string text;  ///< Markdown
  TimePoint made{};
};

/// What a person with write access wants of a report.
enum class Wish {
  accept,
  dismiss,
  reopen,
  rebisect,  ///< search for its culprit again
  confirm,   ///< measure tonight whether it is there
  none,      ///< a text that is not a command
};
std::string_view to_string(Wish wish);
Result<Wish> wish_from(std::string_view text);

struct ReportWish {
  std::int64_t id = 0;
  std::int64_t report_id = 0;
  std::string source;  ///< where it was said: `comment:17`; unique in the report
  Wish wish{};
  std::string person, reason;
  TimePoint asked{};
  std::optional<TimePoint> done;  ///< nothing: it waits for a night
};

enum class DeliveryState { pending, delivered, failed };
std::string_view to_string(DeliveryState state);
Result<DeliveryState> delivery_state_from(std::string_view text);

/// In the error of a delivery whose issue is gone: it is filed once more only where a person asks for it.
inline constexpr std::string_view deleted_there = "somebody deleted";

/// A row of the outbox: one report to one channel (`folder`, `github`). Written in the transaction that makes the
/// report; retried until delivered or refused for good.
struct Delivery {
  std::int64_t id = 0;
  std::int64_t report_id = 0;
  std::string channel;
  DeliveryState state = DeliveryState::pending;
  int attempts = 0;
  TimePoint next_attempt{};
  std::string reference;  ///< path of the file, or address of the issue
  std::string error;      ///< of the last attempt
  int revision = 0;       ///< of the report, that was delivered; 0: none yet
  /// When the first request was begun that writes to the channel and whose answer is not known. From then on the report
  /// may be there.
  std::optional<TimePoint> attempted;
};

/// A delivery that a person should know of, with the title of its report.
struct Undelivered {
  Delivery delivery;
  std::string title;
};

/// No delivery waits as long as this. A time that is further away was set before the clock was set back.
inline constexpr std::chrono::hours no_delivery_waits = std::chrono::hours(24 * 7);
/// Whether the next attempt's time has come.
inline bool is_due(const Delivery& delivery, TimePoint now) {
  return delivery.next_attempt <= now || delivery.next_attempt - no_delivery_waits > now;
}

}  // namespace tbci::model
