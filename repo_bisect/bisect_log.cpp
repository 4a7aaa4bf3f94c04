#include "repo_bisect/bisect_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/text.hpp"

namespace tbci::repo_bisect {

namespace {

using model::Side;

std::string comment(std::string_view what, const model::Commit& commit) {
  return fmt::format("# {}: [{}] {}\n", what, commit.id, one_line(commit.subject, 100));
}

std::string_view word_of(Side side) {
  switch (side) {
    case Side::good:
      return "good";
    case Side::bad:
      return "bad";
    case Side::unbuildable:
      return "skip";
    case Side::unknown:
      break;
  }
  return "";
}

}  // namespace

std::string git_bisect_log(const std::vector<model::Commit>& commits, const std::vector<model::Probe>& probes,
                           const model::Answer& answer, bisect::Lineage lineage) {
  std::map<std::string, const model::Commit*> by_id;
  for (const model::Commit& commit : commits) by_id[commit.id] = &commit;
  const model::Commit &good = commits.front(), &bad = commits.back();
  std::string text = "git bisect start";
  if (lineage == bisect::Lineage::first_parent) text += " '--first-parent'";
  text += fmt::format(" '{}' '{}'\n", bad.id, good.id);
  text = comment("bad", bad) + comment("good", good) + text;

  for (std::size_t i = 0; i < probes.size(); ++i) {
    const model::Probe& probe = probes[i];
    const bool decided_again = std::ranges::any_of(
        std::span(probes).subspan(i + 1), [&](const model::Probe& later) { return later.commit == probe.commit; });
    const auto found = by_id.find(probe.commit);
    const bool is_end = probe.commit == good.id || probe.commit == bad.id;
    const std::string_view word = word_of(probe.side);
    if (decided_again || is_end || word.empty() || found == by_id.end()) continue;
    text += comment(word, *found->second) + fmt::format("git bisect {} {}\n", word, probe.commit);
  }
  for (const model::FoundStep& step : model::steps_of(answer)) {
    const std::string_view what = step.suspects.size() == 1 ? "first bad commit" : "possible first bad commit";
    for (const std::string& suspect : step.suspects) {
      if (const auto found = by_id.find(suspect); found != by_id.end())
        text += comment(step.repair ? "commit that repairs a part" : what, *found->second);
    }
  }
  return text;
}

}  // namespace tbci::repo_bisect
