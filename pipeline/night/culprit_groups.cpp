#include "pipeline/night/culprit_groups.hpp"

#include <algorithm>

namespace tbci::pipeline {

namespace {

// A group of tonight that is of the same culprit, if no other may be.
ReportGroup* group_of(std::vector<ReportGroup>& groups, const std::vector<std::string>& suspects) {
  ReportGroup* found = nullptr;
  for (ReportGroup& group : groups) {
    if (group.suspects == suspects) return &group;
    if (!model::have_common_suspect(group.suspects, suspects)) continue;
    if (found != nullptr || !model::is_same_culprit(group.suspects, suspects)) return nullptr;
    found = &group;
  }
  return found;
}

}  // namespace

std::vector<ReportGroup> by_culprit(std::vector<model::Regression> regressions) {
  std::ranges::stable_sort(regressions, {}, [](const auto& one) { return one.suspects.size(); });
  std::vector<ReportGroup> groups;
  for (model::Regression& regression : regressions) {
    ReportGroup* group = group_of(groups, regression.suspects);
    if (group == nullptr) group = &groups.emplace_back(ReportGroup{regression.suspects, {}, {}, {}});
    group->regressions.push_back(std::move(regression));
  }
  return groups;
}

Result<std::optional<model::Report>> report_about(const storage::Stores& stores, const std::string& subject,
                                                  const std::vector<std::string>& suspects) {
  TBCI_ASSIGN(auto known, stores.reports.with_culprits(subject));
  std::erase_if(known, [&](const model::Report& one) { return !model::have_common_suspect(one.culprits, suspects); });
  const auto is_same = [&](const model::Report& one) { return model::is_same_culprit(one.culprits, suspects); };
  const auto same = std::ranges::find_if(
      known, [&](const model::Report& one) { return is_same(one) && one.culprits.size() == suspects.size(); });
  if (same != known.end()) return std::optional(*same);
  return known.size() == 1 && is_same(known.front()) ? std::optional(known.front()) : std::nullopt;
}

std::vector<std::string> narrower(const std::vector<std::string>& known, const std::vector<std::string>& now) {
  if (now.empty()) return known;
  return model::is_same_culprit(known, now) && known.size() < now.size() ? known : now;
}

}  // namespace tbci::pipeline
