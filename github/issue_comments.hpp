// The comments on an issue or a pull request, and which of them tbci wrote.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "github/api.hpp"

namespace tbci::github {

/// All of them, the oldest first.
Or<std::vector<Comment>> comments_on(Api& api, std::int64_t issue, std::stop_token stop);

/// The comment with this marker that tbci wrote, or nothing: anybody can copy a marker into a comment.
Or<const Comment*> own_comment(Api& api, const std::vector<Comment>& comments, const std::string& marker,
                               std::stop_token stop);

/// A comment that is to be there once.
struct KeptComment {
  std::int64_t issue = 0;  ///< or pull request
  std::string marker;
  std::string text;  ///< with the marker as a line of its own
};
/// Writes it, or changes the one that is there and says something else.
Or<Comment> keep_comment(Api& api, const std::vector<Comment>& comments, const KeptComment& kept,
                         const Writing& writing);

}  // namespace tbci::github
