// Whom and what a report brings in besides its issue: labels, assignees, a mention of the culprit's author, and a
// comment on its pull request. Each once, as the configuration wants it: what a person takes away stays away.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "github/api.hpp"
#include "github/culprit_pull.hpp"
#include "github/delivery.hpp"
#include "github/issue_mark.hpp"

namespace tbci::github {

/// One thread at a time; what it refers to must outlive it.
class Participants {
 public:
  struct Wanted {
    std::vector<std::string> labels, assignees;
    std::string mention;  ///< login; empty: nobody
    std::optional<CulpritPull> pull;
  };

  Participants(const GithubSettings& settings, Api& api, HttpClient& http, const Clock& clock)
      : settings_(settings), api_(api), pulls_(settings, api, http, clock) {}

  /// Asks GitHub for the pull request, where the configuration needs it. What it will not tell is a warning, and nobody
  /// is brought in.
  Or<Wanted> wanted(const model::Report& report, std::stop_token stop);

  /// For an issue that is filed with its labels: the mark becomes what is then there. Returns what is to stand below
  /// its text.
  static std::string with_issue(const Wanted& wanted, const model::Report& report, IssueMark& mark);

  /// Adds to an issue what the mark does not have, and keeps the comment on the pull request as it should be. The mark
  /// becomes what is then there, and `below` what is to stand below the issue's text. Nothing where all went well;
  /// what GitHub refuses is a warning, and is not tried again.
  std::optional<Attempt> bring_in(const Issue& issue, const std::string& page, const Dispatch& dispatch,
                                  IssueMark& mark, std::string& below, std::stop_token stop);

 private:
  std::optional<Attempt> keep_pull_comment(const std::optional<CulpritPull>& pull, const std::string& page,
                                           const Dispatch& dispatch, IssueMark& mark, std::stop_token stop);
  std::optional<Attempt> write_on(const PullAddress& pull, const std::string& text, bool only_change,
                                  const Dispatch& dispatch, std::stop_token stop);
  /// The attempt, if it may succeed later.
  std::optional<Attempt> unless_refused(const Attempt& attempt) const;

  const GithubSettings& settings_;
  Api& api_;
  CulpritPulls pulls_;
};

/// What tbci writes on the pull request of a culprit, without a marker. `page`: of the report's issue.
std::string pull_comment_text(const model::Report& report, std::string_view page);

/// What a report would bring in, for a person, a line each; what GitHub has to be asked for stands there in words.
std::string participants_preview(const model::Report& report, const GithubSettings& settings);

}  // namespace tbci::github
