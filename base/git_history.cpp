// The history of a repository: who descends from whom, and the commits of a range.
#include <algorithm>
#include <set>

#include "base/git_impl.hpp"
#include "base/text.hpp"

namespace tbci {

using git::CommitObject;
using git::read_commit;
using git::text_of;
using git::time_of;
using git::Walk;

Result<Walk> GitRepository::Impl::walk_from(const git_oid& tip) const {
  git_revwalk* made = nullptr;
  if (git_revwalk_new(&made, repository.get()) != 0) return trouble("cannot walk the history");
  Walk walk(made);
  git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL);
  git_revwalk_simplify_first_parent(walk.get());
  if (git_revwalk_push(walk.get(), &tip) != 0) return trouble("cannot walk the history");
  return walk;
}

Result<bool> GitRepository::Impl::descends(const git_oid& newer, const git_oid& older) const {
  if (is_shallow()) return descends_in_shallow(newer, older);
  const int answer = git_graph_descendant_of(repository.get(), &newer, &older);
  if (answer < 0) return trouble("cannot walk the history");
  return answer == 1;
}

// libgit2's own walk fails (and, in 1.5, leaks memory) where the clone ends, even when that is outside the range.
Result<bool> GitRepository::Impl::descends_in_shallow(const git_oid& newer, const git_oid& older) const {
  std::vector<git_oid> open = {newer};
  std::set<std::string> seen;
  bool cut_off = false;
  while (!open.empty()) {
    const git_oid id = open.back();
    open.pop_back();
    if (git_oid_equal(&id, &older) != 0) return true;
    if (!seen.insert(text_of(id)).second) continue;
    const auto commit = look_up(id);
    cut_off = cut_off || !commit;
    for (unsigned int i = 0; commit && i < git_commit_parentcount(commit->get()); ++i)
      open.push_back(*git_commit_parent_id(commit->get(), i));
  }
  if (cut_off) return trouble("cannot walk the history");
  return false;
}

Result<bool> GitRepository::is_ancestor(std::string_view ancestor, std::string_view descendant) const {
  TBCI_ASSIGN(const git_oid older, impl_->id_of(ancestor));
  TBCI_ASSIGN(const git_oid newer, impl_->id_of(descendant));
  if (git_oid_equal(&older, &newer) != 0) return true;
  return impl_->descends(newer, older);
}

Result<GitCommit> GitRepository::common_ancestor(std::string_view one, std::string_view other) const {
  TBCI_ASSIGN(const git_oid first, impl_->id_of(one));
  TBCI_ASSIGN(const git_oid second, impl_->id_of(other));
  git_oid base;
  const int code = git_merge_base(&base, impl_->repository.get(), &first, &second);
  if (code == GIT_ENOTFOUND) {
    return fail(ErrorKind::usage, "{} and {} share no history in {}{}", one_line(one, 80), one_line(other, 80),
                impl_->path.string(), is_shallow() ? ", which is a shallow clone: fetch the rest of it" : "");
  }
  if (code != 0) return impl_->trouble("cannot walk the history");
  TBCI_ASSIGN(const CommitObject commit, impl_->look_up(base));
  return read_commit(commit.get());
}

Result<std::vector<GitCommit>> GitRepository::commits_between(std::string_view from, std::string_view to) const {
  TBCI_ASSIGN(const bool ordered, is_ancestor(from, to));
  if (!ordered) {
    return fail(ErrorKind::usage, "{} is not an ancestor of {} in {}: give the older commit first, of the same branch",
                one_line(from, 80), one_line(to, 80), impl_->path.string());
  }
  TBCI_ASSIGN(const git_oid older, impl_->id_of(from));
  TBCI_ASSIGN(git_oid id, impl_->id_of(to));
  std::vector<GitCommit> commits;
  // From parent to parent, and no further than `from`: a shallow clone may have nothing beyond it.
  while (git_oid_equal(&id, &older) == 0) {
    // `from` may have come in by a merge: the commits that it builds on are not after it.
    const auto beside = impl_->descends(older, id);
    if (beside && *beside) break;
    TBCI_ASSIGN(const CommitObject commit, impl_->look_up(id));
    commits.push_back(read_commit(commit.get()));
    if (git_commit_parentcount(commit.get()) == 0) break;
    id = *git_commit_parent_id(commit.get(), 0);
  }
  std::reverse(commits.begin(), commits.end());
  return commits;
}

Result<std::vector<GitCommit>> GitRepository::all_commits_between(std::string_view from, std::string_view to) const {
  TBCI_ASSIGN(const bool ordered, is_ancestor(from, to));
  if (!ordered) {
    return fail(ErrorKind::usage, "{} is not an ancestor of {} in {}: give the older commit first, of the same branch",
                one_line(from, 80), one_line(to, 80), impl_->path.string());
  }
  TBCI_ASSIGN(const git_oid older, impl_->id_of(from));
  TBCI_ASSIGN(const git_oid newer, impl_->id_of(to));
  git_revwalk* made = nullptr;
  if (git_revwalk_new(&made, impl_->repository.get()) != 0) return impl_->trouble("cannot walk the history");
  const Walk walk(made);
  git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME | GIT_SORT_REVERSE);
  if (git_revwalk_push(walk.get(), &newer) != 0 || git_revwalk_hide(walk.get(), &older) != 0)
    return impl_->trouble("cannot walk the history");
  std::vector<GitCommit> commits;
  git_oid id;
  int code = 0;
  for (code = git_revwalk_next(&id, walk.get()); code == 0; code = git_revwalk_next(&id, walk.get())) {
    TBCI_ASSIGN(const CommitObject commit, impl_->look_up(id));
    commits.push_back(read_commit(commit.get()));
  }
  if (code != GIT_ITEROVER) return impl_->trouble("cannot walk the history");
  return commits;
}

Result<std::vector<GitCommit>> GitRepository::last_of_each_day(const std::string& branch, std::size_t most) const {
  TBCI_ASSIGN(const GitCommit tip, branch_tip(branch));
  TBCI_ASSIGN(const git_oid id_of_tip, impl_->id_of(tip.id));
  TBCI_ASSIGN(const Walk walk, impl_->walk_from(id_of_tip));
  std::vector<GitCommit> days;
  std::string day;
  for (git_oid id; git_revwalk_next(&id, walk.get()) == 0;) {
    TBCI_ASSIGN(const CommitObject commit, impl_->look_up(id));
    const std::string date = to_date(time_of(commit.get()));
    // A clock that ran backwards must not make a day appear twice: only an older date opens a new day.
    if (!day.empty() && date >= day) continue;
    // Nor may one absurd date hide all the days before it: one older than its first parent's is wrong.
    git_commit* found = nullptr;
    const bool has_parent = git_commit_parent(&found, commit.get(), 0) == 0;
    const CommitObject parent(found);
    if (has_parent && date < to_date(time_of(parent.get()))) continue;
    if (days.size() == most) break;
    day = date;
    days.push_back(read_commit(commit.get()));
  }
  std::reverse(days.begin(), days.end());
  return days;
}

}  // namespace tbci
