#include "pipeline/night/search_ends.hpp"

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"

namespace tbci::pipeline {

std::string no_way_to_bisect(const SubjectContext& context, const Comparison& builds) {
  if (context.subject.source.repository.empty()) return "the subject names no repository to bisect";
  if (builds.before.product.commit.empty() || builds.after.product.commit.empty())
    return "a nightly does not say which commit it was built from";
  if (builds.before.product.commit == builds.after.product.commit) {
    return fmt::format(
        "both nightlies are of commit {}: what changed is the packaging, or something that comes with it",
        builds.after.product.commit.substr(0, 12));
  }
  return {};
}

Status commits_are_there(SubjectContext& context, const std::string& from, const std::string& to) {
  for (const std::string& commit : {from, to}) {
    const auto found = context.machine.resolve(commit, context.stop);
    if (found) continue;
    const bool is_missing = found.error().kind == ErrorKind::usage || found.error().kind == ErrorKind::failed;
    if (!is_missing) return pass_on(found.error());
    return fail(ErrorKind::transient, "{} (a repository that lags behind the nightlies has it later)",
                one_line(found.error().message, 300));
  }
  return {};
}

Result<std::string> search_start(SubjectContext& context, const std::string& from, const std::string& to) {
  // A wheel may name a commit of the branch that nightlies are cut from.
  TBCI_ASSIGN(const std::string first, context.machine.resolve(from, context.stop));
  TBCI_ASSIGN(const std::string last, context.machine.resolve(to, context.stop));
  if (first == last) return from;
  TBCI_ASSIGN(std::string common, context.machine.common_ancestor(first, last, context.stop));
  if (common == first) return from;
  if (common == last) {
    return fail(ErrorKind::usage, "main was rewound: {} lies before {}, and has no commit that the other has not",
                to.substr(0, 12), from.substr(0, 12));
  }
  context.progress.note(fmt::format("main was rewound: {} is not an ancestor of {}, so the search begins at {}",
                                    from.substr(0, 12), to.substr(0, 12), common.substr(0, 12)));
  return common;
}

Result<model::Build> end_of_search(SubjectContext& context, const std::string& name) {
  using model::BuildKind;
  for (const BuildKind kind : {BuildKind::nightly, BuildKind::commit}) {
    TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), kind, name));
    if (build && !build->product.commit.empty()) return *build;
  }
  return build_named(context, name);
}

}  // namespace tbci::pipeline
