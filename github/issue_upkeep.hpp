// Makes an issue say what its report says: text, title, open or closed, and the comments that people must read.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "github/api.hpp"
#include "github/delivery.hpp"
#include "github/issue_home.hpp"
#include "github/issue_mark.hpp"
#include "github/participants.hpp"

namespace tbci::github {

/// Changes nothing that is right already. What persons changed stays: a title, text below the marker, and an issue that
/// they closed or opened until tbci has read it (github/issue_wishes.hpp). One thread at a time; what it refers to must
/// outlive it.
class IssueUpkeep {
 public:
  IssueUpkeep(const GithubSettings& settings, Api& api, Participants& participants)
      : settings_(settings), api_(api), participants_(participants) {}

  Attempt bring_up_to_date(const IssueHome& home, const Dispatch& dispatch, std::stop_token stop);

  /// Moves the report of an issue, which was just filed, to an older one about the same culprit, and closes its own.
  Attempt move_to(const Issue& older, const Issue& own, const Dispatch& dispatch, std::stop_token stop);

 private:
  using Comments = std::vector<Comment>;

  Attempt keep_own(const Issue& issue, const Dispatch& dispatch, std::stop_token stop);
  Attempt keep_as_guest(const Issue& issue, const Dispatch& dispatch, std::stop_token stop);
  Or<Comment> write_comment(const Issue& issue, const Comments& comments, const Dispatch& dispatch,
                            std::stop_token stop);
  /// What the text has no room for, as a comment. Also where there is none any more.
  std::optional<Attempt> keep_rest(const Issue& issue, const Comments& comments, const Dispatch& dispatch,
                                   std::stop_token stop);
  /// Closes the issue where all of its reports are over, and opens it where one is not. Nothing where all went well.
  std::optional<Attempt> settle_state(const Issue& issue, const Dispatch& dispatch, std::stop_token stop);
  std::optional<Attempt> add_notes(const Issue& issue, const Comments& comments, const Dispatch& dispatch,
                                   std::stop_token stop);
  std::optional<Attempt> change(const Issue& issue, const IssueChange& change, const Dispatch& dispatch,
                                std::stop_token stop);

  const GithubSettings& settings_;
  Api& api_;
  Participants& participants_;
};

}  // namespace tbci::github
