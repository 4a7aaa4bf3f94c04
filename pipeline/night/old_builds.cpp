#include "pipeline/night/old_builds.hpp"

#include <utility>

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"

namespace tbci::pipeline {

namespace {

Result<bool> is_stored(SubjectContext& context, const std::string& name) {
  for (const model::BuildKind kind : {model::BuildKind::nightly, model::BuildKind::commit}) {
    TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), kind, name));
    if (build && build->state == model::BuildState::ready) return true;
  }
  return false;
}

}  // namespace

Result<OldBuild> find_old_build(SubjectContext& context, const std::string& name) {
  auto build = build_named(context, name);
  if (build) return OldBuild{.build = std::move(*build), .gone = false, .reason = {}};
  const Error& error = build.error();
  if (error.kind == ErrorKind::interrupted) return pass_on(error);
  TBCI_ASSIGN(const bool known, is_stored(context, name));
  const bool gone = error.kind == ErrorKind::failed || (error.kind == ErrorKind::usage && !known);
  return OldBuild{.build = {}, .gone = gone, .reason = one_line(error.message, 200)};
}

}  // namespace tbci::pipeline
