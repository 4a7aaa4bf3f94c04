#include "github/issue_wishes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "github/issue_mark.hpp"

namespace tbci::github {

namespace {

constexpr std::string_view command_begin = "/tbci";
constexpr std::string_view label_begin = "tbci:";
constexpr std::size_t longest_reason_bytes = 500;

std::optional<model::Wish> wish_named(std::string_view verb) {
  const auto wish = model::wish_from(verb);
  return wish && *wish != model::Wish::none ? std::optional(*wish) : std::nullopt;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

SaidWish said(const Comment& comment, const SaidCommand& command) {
  return {.source = fmt::format("comment:{}", comment.id),
          .wish = command.wish,
          .person = comment.author,
          .reason = command.reason};
}

}  // namespace

std::optional<SaidCommand> command_in(std::string_view comment) {
  std::string_view line = first_line(comment);
  if (!line.starts_with(command_begin)) return std::nullopt;
  line.remove_prefix(command_begin.size());
  if (!line.empty() && line.front() != ' ' && line.front() != '\t') return std::nullopt;
  line = trim(line);
  const std::string_view verb = line.substr(0, line.find_first_of(" \t"));
  const std::string reason = one_line(trim(line.substr(verb.size())), longest_reason_bytes);
  const auto wish = wish_named(verb);
  if (!wish) return SaidCommand{model::Wish::none, fmt::format("'{}' is not a command", one_line(verb, 40))};
  if (*wish == model::Wish::dismiss && reason.empty())
    return SaidCommand{model::Wish::none, "a dismissal needs a reason, which tbci keeps and shows"};
  return SaidCommand{*wish, reason};
}

std::optional<model::Wish> wish_of_label(std::string_view label) {
  if (!label.starts_with(label_begin)) return std::nullopt;
  return wish_named(label.substr(label_begin.size()));
}

std::vector<SaidWish> said_by_issue(const Issue& issue) {
  std::vector<SaidWish> all;
  const auto mark = mark_in(issue.body);
  const bool open = issue.state == IssueState::open;
  if (mark && mark->issue_open && !open) {
    const bool unwanted = issue.reason == StateReason::not_planned || issue.reason == StateReason::duplicate;
    const std::string_view how = issue.reason == StateReason::duplicate ? "as a duplicate"
                                 : unwanted                             ? "as not planned"
                                                                        : "as completed";
    all.push_back({.source = "closed:" + (issue.closed ? to_iso8601(*issue.closed) : ""),
                   .wish = unwanted ? model::Wish::dismiss : model::Wish::accept,
                   .person = issue.closer,
                   .reason = fmt::format("the issue was closed {}", how),
                   .by_page = true});
  }
  if (mark && !mark->issue_open && open)
    all.push_back({.source = "opened",
                   .wish = model::Wish::reopen,
                   .person = "",
                   .reason = "the issue was opened again",
                   .by_page = true});
  for (const std::string& label : issue.labels) {
    const auto wish = wish_of_label(label);
    if (wish)
      all.push_back(
          {.source = "label:" + label, .wish = *wish, .person = "", .reason = "the issue got the label " + label});
  }
  return all;
}

Or<std::vector<SaidWish>> said_in_comments(Api& api, std::int64_t issue, const IsKnown& is_known,
                                           std::stop_token stop) {
  std::vector<std::pair<Comment, SaidCommand>> found;
  const auto visit = [&](const Comment& comment) {
    const auto command = command_in(comment.body);
    if (command && comment.id > 0 && !is_known(fmt::format("comment:{}", comment.id)))
      found.emplace_back(comment, *command);
    return true;
  };
  const auto listing = api.list_comments(issue, visit, stop);
  if (!listing) return tl::unexpected(listing.error());
  std::map<std::string, bool> may_write;
  std::vector<SaidWish> all;
  for (const auto& [comment, command] : found) {
    if (!may_write.contains(comment.author)) {
      const auto permission = api.permission_of(comment.author, stop);
      if (!permission) return tl::unexpected(permission.error());
      may_write[comment.author] = *permission >= Permission::write;
    }
    all.push_back(said(comment, may_write[comment.author] ? command : SaidCommand{}));
  }
  return all;
}

}  // namespace tbci::github
