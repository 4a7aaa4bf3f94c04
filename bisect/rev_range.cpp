#include "bisect/rev_range.hpp"

#include "base/git.hpp"
#include "base/text.hpp"

namespace tbci::bisect {
namespace {

std::string short_id(const GitCommit& commit) {
  return commit.id.substr(0, 12);
}

Result<model::Commit> with_inputs(const GitRepository& repository, const GitCommit& commit,
                                  const std::vector<std::string>& compiled, const std::vector<std::string>& laid_over) {
  auto inputs = repository.compiled_inputs(commit.id, compiled);
  if (inputs && !laid_over.empty()) {
    auto more = repository.compiled_inputs(commit.id, laid_over);
    inputs = more ? Result<std::string>(*inputs + *more) : std::move(more);
  }
  if (!inputs && inputs.error().kind != ErrorKind::failed) return pass_on(std::move(inputs).error());
  // A tree too large to read costs the search this one commit: it shares its build with no other, and does not build.
  std::string key = inputs ? *std::move(inputs) : "too large to read: " + commit.id;
  return model::Commit{commit.id, commit.author, commit.email, commit.time, commit.subject, std::move(key)};
}

Status check_order(const GitRepository& repository, const GitCommit& good, const GitCommit& bad) {
  const std::string where = repository.path().string();
  if (good.id == bad.id) {
    return fail(ErrorKind::usage, "both ends are the same commit {} of {}: give two different ones", short_id(good),
                where);
  }
  TBCI_ASSIGN(const bool in_order, repository.is_ancestor(good.id, bad.id));
  if (in_order) return {};
  TBCI_ASSIGN(const bool swapped, repository.is_ancestor(bad.id, good.id));
  if (swapped) {
    return fail(ErrorKind::usage, "{} comes after {} in {}: swap the two ends (--from takes the older, good one)",
                short_id(good), short_id(bad), where);
  }
  return fail(ErrorKind::usage, "{} is not an ancestor of {} in {}: take both ends from one branch", short_id(good),
              short_id(bad), where);
}

}  // namespace

Result<std::vector<model::Commit>> commits_between(const std::filesystem::path& repository, const std::string& from,
                                                   const std::string& to, const std::vector<std::string>& compiled,
                                                   Lineage lineage, const std::vector<std::string>& laid_over) {
  TBCI_ASSIGN(const auto opened, GitRepository::open(repository));
  TBCI_ASSIGN(const auto good, opened.resolve(from));
  TBCI_ASSIGN(const auto bad, opened.resolve(to));
  TBCI_TRY(check_order(opened, good, bad));
  TBCI_ASSIGN(const auto between, lineage == Lineage::all ? opened.all_commits_between(good.id, bad.id)
                                                          : opened.commits_between(good.id, bad.id));

  std::vector<model::Commit> commits;
  commits.reserve(between.size() + 1);
  TBCI_ASSIGN(auto first, with_inputs(opened, good, compiled, laid_over));
  commits.push_back(std::move(first));
  for (const GitCommit& commit : between) {
    TBCI_ASSIGN(auto one, with_inputs(opened, commit, compiled, laid_over));
    commits.push_back(std::move(one));
  }
  return commits;
}

}  // namespace tbci::bisect
