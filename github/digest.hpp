// A week in one text: what regressed, recovered, is still open, could not be judged, and was not measured. Pure: equal
// facts give an equal text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/night.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// The only label of a digest: no other report has it, and a digest has not that of reports.
inline constexpr std::string_view digest_label = "tbci-digest";
/// Whether a stored report is a digest, and never an issue.
bool is_digest(const model::Report& report);

/// The report that names a regression.
struct DigestReport {
  std::int64_t id = 0;
  std::string title;  ///< may be hostile
  std::string page;   ///< address of its issue; empty or no http(s): no link
};

struct DigestRegression {
  std::int64_t id = 0;
  std::string subject;
  model::Finding finding;
  std::string night;                   ///< the nightly that had it first
  TimePoint found{};                   ///< when that night began
  std::optional<DigestReport> report;  ///< none: nothing is filed yet
};

/// A series that nights could not judge.
struct DigestNoise {
  std::string subject;
  model::Series series;
  int undecided = 0;  ///< nights of the time that could not tell
  int nights = 0;     ///< that looked at it
  std::string reason = {};
  bool waits = false;  ///< for the next night
};

/// A nightly without verdicts, or a day without a nightly.
struct DigestGap {
  std::string subject, name, reason;
};

/// Cases of a subject's latest night that ended without a value, all for the same cause.
struct DigestUnmeasured {
  std::string subject;
  model::Outcome outcome{};
  std::vector<std::string> cases;  ///< `dlrm/cpu-train`
};

struct DigestFacts {
  TimePoint from{}, to{};
  int subjects = 0;
  int nights = 0;                                      ///< of the time, that have verdicts
  std::vector<DigestRegression> regressed, recovered;  ///< in this time
  std::vector<DigestRegression> open;                  ///< found before it; the oldest first
  std::vector<DigestNoise> noisy;
  std::vector<DigestGap> gaps;
  std::vector<DigestUnmeasured> unmeasured;
};

/// 32 hex digits: of the ISO week (in UTC) that the time lies in, so that each week has one digest.
std::string digest_marker(TimePoint time);

/// Its subject is empty: it is about all. The id is 0, and the label is digest_label.
model::Report make_digest(const DigestFacts& facts);

}  // namespace tbci::github
