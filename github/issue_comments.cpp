#include "github/issue_comments.hpp"

#include "github/issue_home.hpp"
#include "github/report.hpp"

namespace tbci::github {

Or<std::vector<Comment>> comments_on(Api& api, std::int64_t issue, std::stop_token stop) {
  std::vector<Comment> all;
  const auto listing = api.list_comments(
      issue,
      [&](const Comment& comment) {
        all.push_back(comment);
        return true;
      },
      stop);
  if (!listing) return tl::unexpected(listing.error());
  return all;
}

Or<const Comment*> own_comment(Api& api, const std::vector<Comment>& comments, const std::string& marker,
                               std::stop_token stop) {
  for (const Comment& comment : comments) {
    if (!has_marker(comment.body, marker)) continue;
    const auto login = api.who_am_i(stop);
    if (!login) return tl::unexpected(login.error());
    if (login->empty() || comment.author.empty() || same_login(comment.author, *login)) return &comment;
  }
  return nullptr;
}

Or<Comment> keep_comment(Api& api, const std::vector<Comment>& comments, const KeptComment& kept,
                         const Writing& writing) {
  const auto there = own_comment(api, comments, kept.marker, writing.stop);
  if (!there) return tl::unexpected(there.error());
  if (*there == nullptr) return api.create_comment(kept.issue, kept.text, writing);
  if (as_compared((*there)->body) == as_compared(kept.text)) return **there;
  return api.update_comment((*there)->id, kept.text, writing);
}

}  // namespace tbci::github
