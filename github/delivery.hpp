// Channels that deliver reports.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// The result of one attempt to deliver a report.
struct Attempt {
  enum class Outcome {
    delivered,  ///< the report is delivered, perhaps by an earlier attempt: see `reference`
    retry,      ///< may succeed later: see `error` and `not_before`
    refused,    ///< fails until a person intervenes: see `error`
  };
  Outcome outcome = Outcome::retry;
  std::string reference;  ///< path of the file, or URL of the issue
  Error error;            ///< kind `interrupted`: a stop came before the answer, so it does not count
  /// Not before then, by the server's wish or because a person must act: no report of this channel, unless `only_this`.
  std::optional<TimePoint> not_before;
  bool only_this = false;  ///< the wait concerns this report alone

  static Attempt delivered(std::string reference);
  static Attempt retry(Error error, std::optional<TimePoint> not_before = {});
  static Attempt refused(Error error);
};

/// A report on its way to a channel, and what is known of earlier ways.
struct Dispatch {
  model::Report report;
  std::string reference =
      {};  ///< where an earlier revision is: path of the file, or address of the issue; may be empty
  /// Since when a request that writes this may have been carried out though its answer is not known. It may have
  /// written less than it was asked for: GitHub drops labels. Empty: there was no such request.
  std::optional<TimePoint> attempted = {};
  int delivered_revision = 0;                 ///< of the report, that is there already; 0: none yet
  std::vector<model::ReportNote> notes = {};  ///< all of the report, the oldest first
  /// To be called before each request that writes. It keeps that the request begins; with an error it must not be sent.
  std::function<Status()> before_write = [] { return Status(); };
};

/// Whether a note belongs to what is not delivered yet. A first delivery needs none: its text says all.
inline bool is_due(const model::ReportNote& note, const Dispatch& dispatch) {
  return dispatch.delivered_revision > 0 && note.revision > dispatch.delivered_revision;
}

/// One thing that a person said where a report is. Texts are one line each, and hostile.
struct SaidWish {
  std::string source;  ///< unique there: `comment:17`, `closed:2026-11-21T04:46:48Z`, `label:tbci:accept`
  model::Wish wish = model::Wish::none;
  std::string person = {};  ///< login; empty: not known
  std::string reason = {};  ///< as it was said; of `none` what is wrong with the command, empty where nobody answers it
  bool by_page = false;     ///< the issue itself shows it: it was closed or opened there
};

/// Whether what was said there is kept already.
using IsKnown = std::function<bool(const std::string& source)>;

/// A report that was delivered, and what is known of what people said there.
struct ReportPlace {
  std::string reference;  ///< address of the issue
  std::string marker;     ///< of the report
  IsKnown is_known;
};

/// What was said about one report.
struct Heard {
  bool read = false;           ///< something changed there, so it was read. Then a label that is not in `said` is gone
  std::vector<SaidWish> said;  ///< may hold again what is known
};

/// Delivers each revision of a report at most once: one whose marker already exists counts as delivered.
class Channel {
 public:
  virtual ~Channel() = default;
  /// As in model::Delivery::channel: `folder`, `github`.
  virtual std::string name() const = 0;
  /// Blocks. One caller at a time.
  virtual Attempt deliver(const Dispatch& dispatch, std::stop_token stop) = 0;
  /// What people said since then where these reports are, one for each, in the same order. Blocks.
  virtual tl::expected<std::vector<Heard>, Attempt> listen(std::span<const ReportPlace> places, TimePoint since,
                                                           std::stop_token stop);
};

/// The JSON body of POST /repos/{owner}/{repo}/issues: title, body, labels.
std::string issue_json(const model::Report& report);

}  // namespace tbci::github
