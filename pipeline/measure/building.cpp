#include "pipeline/measure/building.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "base/git.hpp"
#include "base/text.hpp"
#include "pipeline/disk/cleaning.hpp"
#include "pipeline/disk/inventory.hpp"

namespace tbci::pipeline {

namespace {

constexpr int most_killed = 2;

// An attempt that is killed, at its time limit or by SIGKILL, is made once more: the machine may have been at fault.
// The second time in all, also over restarts of tbci, the error stays.
template <typename Made>
Result<Made> attempt_twice(SubjectContext& context, const model::Build& build,
                           const std::function<Result<Made>()>& attempt) {
  while (true) {
    Result<Made> made = attempt();
    if (made || made.error().kind != ErrorKind::killed) return made;
    TBCI_ASSIGN(const int killed, context.stores.builds.killed(build.id));
    if (killed >= most_killed) return made;
    context.progress.note("trying once more: " + one_line(made.error().message, 200));
  }
}

// A build of another recipe or compiler beside one of today's would show what these differ by. Where that cannot be
// told, as without a network, the build counts.
Result<bool> is_current(const SubjectContext& context, const model::Build& build) {
  const bool from_source =
      build.kind == model::BuildKind::commit || context.subject.nightly.kind == runner::NightlyKind::git_days;
  if (!from_source) return true;
  const auto current = context.machine.is_current(build.product, context.stop);
  if (!current && current.error().kind == ErrorKind::interrupted) return pass_on(current.error());
  if (!current || *current) return true;
  context.progress.note(fmt::format("building {} again: its recipe, the recipe's variables or the compiler has changed",
                                    one_line(build.name, 60)));
  return false;
}

// Ready, there, and as it would be built today; it counts as used now.
Result<bool> is_usable(const SubjectContext& context, const model::Build& build) {
  if (build.state != model::BuildState::ready || !is_on_disk(build.product)) return false;
  TBCI_ASSIGN(const bool current, is_current(context, build));
  if (current) mark_used(context.config.service.state, build.product);
  return current;
}

// A commit, built. Error (failed) for one that does not build.
Result<model::Build> usable_commit(SubjectContext& context, const std::string& commit, const std::string& name) {
  context.progress.step("build " + commit.substr(0, 12));
  TBCI_ASSIGN(model::Build build, build_commit(context, commit));
  if (build.state == model::BuildState::failed)
    return fail(ErrorKind::failed, "{} does not build: {} (`tbci run --again` tries it again)", one_line(name, 80),
                build.failure);
  return build;
}

}  // namespace

bool is_on_disk(const model::Product& product) {
  if (product.libtorch.empty() && product.folder.empty()) return false;
  std::error_code ignored;
  for (const auto& prefix : {product.libtorch, product.folder}) {
    if (!prefix.empty() && !std::filesystem::exists(prefix, ignored)) return false;
  }
  for (const auto& library : product.preload) {
    if (!std::filesystem::exists(library, ignored)) return false;
  }
  return true;
}

Result<model::Build> known_nightly(SubjectContext& context, const model::Nightly& nightly) {
  TBCI_ASSIGN(auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, nightly.name));
  if (build && !build->product.commit.empty()) return std::move(*build);
  return install_nightly(context, nightly);
}

Result<model::Build> install_nightly(SubjectContext& context, const model::Nightly& nightly) {
  storage::BuildStore& builds = context.stores.builds;
  TBCI_ASSIGN(const model::Build build,
              builds.begin(context.name(), model::BuildKind::nightly, nightly.name, context.clock.now()));
  TBCI_ASSIGN(const bool usable, is_usable(context, build));
  if (usable) return build;
  if (build.state == model::BuildState::failed) {
    return fail(ErrorKind::failed, "nightly {} does not install: {}", nightly.name, build.failure);
  }
  const bool from_index = context.subject.nightly.kind == runner::NightlyKind::pip;
  TBCI_TRY(make_room(context, from_index ? ThingKind::environment : ThingKind::product));
  context.progress.step("install " + nightly.name);
  auto product =
      attempt_twice<model::Product>(context, build, [&] { return context.machine.install(nightly, context.stop); });
  if (!product && product.error().kind == ErrorKind::killed)
    product = fail(ErrorKind::failed, "{}", product.error().message);
  if (!product && product.error().kind == ErrorKind::failed) {
    TBCI_TRY(builds.failed(build.id, one_line(product.error().message, 500), context.clock.now()));
  }
  if (!product) return fail(product.error(), fmt::format("nightly {}", nightly.name));
  TBCI_TRY(builds.ready(build.id, *product, context.clock.now()));
  return builds.get(build.id);
}

Result<model::Build> build_commit(SubjectContext& context, const std::string& commit) {
  storage::BuildStore& builds = context.stores.builds;
  TBCI_ASSIGN(const model::Build build,
              builds.begin(context.name(), model::BuildKind::commit, commit, context.clock.now()));
  TBCI_ASSIGN(const bool usable, is_usable(context, build));
  if (usable || build.state == model::BuildState::failed) return build;
  TBCI_TRY(make_room(context, ThingKind::product));
  const auto made =
      attempt_twice<runner::BuildOutcome>(context, build, [&] { return context.machine.build(commit, context.stop); });
  if (!made && made.error().kind == ErrorKind::killed) {
    TBCI_TRY(builds.failed(build.id, one_line(made.error().message, 500), context.clock.now()));
    return builds.get(build.id);
  }
  TBCI_ASSIGN(const runner::BuildOutcome outcome, made);
  if (const auto* failure = std::get_if<runner::CompileFailure>(&outcome)) {
    TBCI_TRY(builds.failed(build.id, one_line(failure->telling_line, 500), context.clock.now()));
  } else {
    TBCI_TRY(builds.ready(build.id, std::get<model::Product>(outcome), context.clock.now()));
  }
  return builds.get(build.id);
}

Status forget_failed_commits(SubjectContext& context) {
  constexpr int all = std::numeric_limits<int>::max();
  TBCI_ASSIGN(const auto builds, context.stores.builds.list(context.name(), all));
  for (const model::Build& build : builds) {
    const bool failed = build.kind == model::BuildKind::commit && build.state == model::BuildState::failed;
    if (failed) TBCI_TRY(context.stores.builds.forget(build.id));
  }
  return {};
}

Result<std::optional<model::Build>> latest_build(SubjectContext& context) {
  constexpr int looked_at = 200;
  TBCI_ASSIGN(const auto builds, context.stores.builds.list(context.name(), looked_at));
  for (const model::Build& build : builds) {
    if (build.state == model::BuildState::ready && is_on_disk(build.product)) return build;
  }
  return std::nullopt;
}

Result<std::optional<std::chrono::milliseconds>> time_of_one_build(SubjectContext& context) {
  constexpr int looked_at = 1000;
  TBCI_ASSIGN(const auto builds, context.stores.builds.list(context.name(), looked_at));
  using Files = std::tuple<std::filesystem::path, std::filesystem::path, std::vector<std::filesystem::path>>;
  std::map<Files, std::chrono::milliseconds> first;  // the latest come first: the earliest of the same files stays
  for (const model::Build& build : builds) {
    const bool counts = build.kind == model::BuildKind::commit && build.state == model::BuildState::ready;
    if (!counts || !build.finished) continue;
    first[{build.product.libtorch, build.product.folder, build.product.preload}] =
        std::chrono::duration_cast<std::chrono::milliseconds>(*build.finished - build.started);
  }
  if (first.empty()) return std::nullopt;
  std::vector<std::chrono::milliseconds> times;
  for (const auto& [files, time] : first) times.push_back(time);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

Result<model::Build> build_named(SubjectContext& context, const std::string& name) {
  // The index forgets: what was installed or built once is known here for good.
  using model::BuildKind;
  TBCI_ASSIGN(const auto installed, context.stores.builds.find(context.name(), BuildKind::nightly, name));
  if (installed && installed->state == model::BuildState::ready)
    return install_nightly(context, {.name = name, .commit = installed->product.commit});
  TBCI_ASSIGN(const auto built, context.stores.builds.find(context.name(), BuildKind::commit, name));
  if (built && built->state == model::BuildState::ready) return usable_commit(context, name, name);
  // No nightly is called as a commit is: an index that does not answer keeps no commit from being built.
  if (!is_commit_id(name) || context.subject.source.repository.empty()) {
    TBCI_ASSIGN(const auto published, context.machine.nightlies(context.stop));
    for (const model::Nightly& nightly : published) {
      if (nightly.name == name) return install_nightly(context, nightly);
    }
  }
  if (context.subject.source.repository.empty()) {
    return fail(ErrorKind::usage, "{} has no nightly '{}': see `tbci nightly list`", context.name(),
                one_line(name, 60));
  }
  TBCI_ASSIGN(const std::string commit, context.machine.resolve(name, context.stop));
  return usable_commit(context, commit, name);
}

}  // namespace tbci::pipeline
