// What people said on the issues of reports: that they closed or opened one, a label, a comment that begins with /tbci.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "github/api.hpp"
#include "github/delivery.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// The command in a comment: `/tbci dismiss REASON` as its first line, and nothing in front of it. Nothing: it is none.
/// An unknown verb, or one that needs a reason and has none, is `none`, with what is wrong. Pure.
struct SaidCommand {
  model::Wish wish = model::Wish::none;
  std::string reason;
};
std::optional<SaidCommand> command_in(std::string_view comment);

/// The label that asks for something: `tbci:accept`. Pure.
std::optional<model::Wish> wish_of_label(std::string_view label);

/// What the state and the labels of an issue say, by the mark that tbci left in its body. Those who may close an issue
/// or set a label have the right to. Pure.
std::vector<SaidWish> said_by_issue(const Issue& issue);

/// The commands in the comments on an issue that are not known yet. Whoever may not write to the repository says
/// nothing: a wish `none` without a reason, so that nobody is asked for again.
Or<std::vector<SaidWish>> said_in_comments(Api& api, std::int64_t issue, const IsKnown& is_known, std::stop_token stop);

}  // namespace tbci::github
