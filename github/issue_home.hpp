// Which issue a report belongs to: its own, or one that another report about the same culprit made.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "github/api.hpp"
#include "github/delivery.hpp"
#include "github/github_settings.hpp"

namespace tbci::github {

/// Where a report is, or is to be.
struct IssueHome {
  Issue issue;
  bool own = true;  ///< its text is the issue's; else it is a comment on an issue of another runner or subject
};

/// How far our clock and GitHub's may differ.
inline constexpr std::chrono::minutes clock_difference{10};

/// What a search found.
struct IssueSearch {
  std::optional<IssueHome> home;
  std::optional<std::int64_t> locked;  ///< the number of the earlier issue, which persons locked; see find()
};

/// What is asked of GitHub to find it. One thread at a time; what it refers to must outlive it.
class IssueHomes {
 public:
  IssueHomes(const GithubSettings& settings, Api& api, const Clock& clock)
      : settings_(settings), api_(api), clock_(clock) {}

  /// The issue with the report's marker, open or closed; else the oldest one about the same culprit; nothing if there
  /// is neither. A report that begins again leaves an issue that persons locked. Where an earlier request may have
  /// filed the issue, it is also looked for without its label, which GitHub may have dropped. One that was delivered
  /// and is gone was deleted by a person: then tbci waits for one.
  Or<IssueSearch> find(const Dispatch& dispatch, std::stop_token stop);

  /// An older issue about the same culprit than this one, which was just filed: another runner did the same at the same
  /// time.
  Or<std::optional<Issue>> older_twin(const Issue& own, const Dispatch& dispatch, std::stop_token stop);

 private:
  using Found = Or<std::optional<IssueHome>>;

  Found looked_for(const Dispatch& dispatch, std::stop_token stop);
  Found labelled(const Dispatch& dispatch, std::stop_token stop);
  Found made_since(TimePoint earliest, const Dispatch& dispatch, std::stop_token stop);
  Attempt too_many(TimePoint earliest) const;
  Attempt deleted(const std::string& reference) const;

  const GithubSettings& settings_;
  Api& api_;
  const Clock& clock_;
};

/// The page of an issue. An answer without one is still a delivery: then the list has to do.
std::string page_of(const Issue& issue, const GithubSettings& settings);
/// Logins have no case.
bool same_login(std::string_view a, std::string_view b);
/// The number in an issue's address, also with a comment's behind it.
std::optional<std::int64_t> issue_number_in(std::string_view address);
/// The text without carriage returns, and without blanks at its ends: GitHub changes these.
std::string as_compared(std::string text);

}  // namespace tbci::github
