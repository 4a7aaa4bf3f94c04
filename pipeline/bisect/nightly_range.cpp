#include "pipeline/bisect/nightly_range.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "pipeline/measure/building.hpp"

namespace tbci::pipeline {

namespace {

// The index may say the commit: nothing is installed then.
Result<model::Build> nightly_named(SubjectContext& context, const std::string& name) {
  TBCI_ASSIGN(const auto known, context.stores.builds.find(context.name(), model::BuildKind::nightly, name));
  if (known && !known->product.commit.empty()) return *known;
  TBCI_ASSIGN(const auto published, context.machine.nightlies(context.stop));
  const auto listed = std::ranges::find(published, name, &model::Nightly::name);
  if (listed != published.end() && !listed->commit.empty()) {
    model::Build build;
    build.name = name;
    build.product.commit = listed->commit;
    return build;
  }
  TBCI_ASSIGN(model::Build build, build_named(context, name));
  if (!build.product.commit.empty()) return build;
  return fail(ErrorKind::failed, "nightly {} does not say which commit it was built from", one_line(name, 80));
}

// After `from` and up to `to`, which descends from it.
Result<std::vector<RangeCommit>> commits_after(SubjectContext& context, const std::string& from,
                                               const std::string& to) {
  std::vector<RangeCommit> range;
  if (from == to) return range;
  TBCI_ASSIGN(auto commits, context.machine.commits_between(from, to, context.stop));
  commits.erase(commits.begin());
  TBCI_ASSIGN(const auto details, context.machine.details(commits, context.stop));
  for (std::size_t i = 0; i < commits.size(); ++i) {
    range.push_back(
        {.commit = std::move(commits[i]), .pull_request = i < details.size() ? details[i].pull_request : std::nullopt});
  }
  return range;
}

}  // namespace

Result<NightlyRange> nightly_range(SubjectContext& context, const std::string& from, const std::string& to) {
  if (context.subject.source.repository.empty()) {
    return fail(ErrorKind::usage, "subject {} names no repository: set `repository` in its [subject.source]",
                context.name());
  }
  if (is_older(to, from)) {
    return fail(ErrorKind::usage, "{} is newer than {}: give the older nightly first", one_line(from, 80),
                one_line(to, 80));
  }
  NightlyRange range;
  TBCI_ASSIGN(range.from, nightly_named(context, from));
  TBCI_ASSIGN(range.to, nightly_named(context, to));
  TBCI_ASSIGN(const std::string first, context.machine.resolve(range.from.product.commit, context.stop));
  TBCI_ASSIGN(const std::string last, context.machine.resolve(range.to.product.commit, context.stop));
  TBCI_ASSIGN(const std::string common, context.machine.common_ancestor(first, last, context.stop));
  TBCI_ASSIGN(range.commits, commits_after(context, common, last));
  TBCI_ASSIGN(range.taken_back, commits_after(context, common, first));
  return range;
}

}  // namespace tbci::pipeline
