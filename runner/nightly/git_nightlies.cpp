#include "runner/nightly/git_nightlies.hpp"

#include "base/text.hpp"
#include "runner/source/source_builder.hpp"

namespace tbci::runner {

GitNightlies::GitNightlies(const Subject& subject, SourceBuilder& builder, const Clock& clock)
    : subject_(subject), builder_(builder), clock_(clock) {}

Result<std::vector<model::Nightly>> GitNightlies::list(std::stop_token stop) {
  TBCI_TRY(builder_.worktree().update(stop));
  TBCI_ASSIGN(const GitRepository repository, builder_.worktree().mirror(stop));
  if (!repository.has_branch(subject_.source.branch)) {
    const std::string why = repository.branch_tip(subject_.source.branch).error().message;
    return fail(ErrorKind::usage, "subject {}: {} (the mirror of {})", subject_.name, why, subject_.source.repository);
  }
  TBCI_ASSIGN(const auto days, repository.last_of_each_day(subject_.source.branch, subject_.nightly.listed + 1));
  const std::string today = to_date(clock_.now());
  std::vector<model::Nightly> nightlies;
  for (const GitCommit& commit : days) {
    const std::string date = to_date(commit.time);
    if (date < today) nightlies.push_back({.name = date, .commit = commit.id});
  }
  if (nightlies.size() > subject_.nightly.listed) nightlies.erase(nightlies.begin());
  return nightlies;
}

Result<model::Product> GitNightlies::install(const model::Nightly& nightly, std::stop_token stop) {
  if (nightly.commit.empty())
    return fail(ErrorKind::usage, "the nightly {} has no commit: list the nightlies first", one_line(nightly.name, 60));
  TBCI_ASSIGN(BuildOutcome outcome, builder_.build(nightly.commit, stop));
  if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
    return fail(ErrorKind::failed, "the nightly {} ({}) does not build: {}; see {}", nightly.name,
                nightly.commit.substr(0, 12), failure->telling_line, failure->log.string());
  }
  return std::get<model::Product>(std::move(outcome));
}

}  // namespace tbci::runner
