#include "storage/model/build.hpp"

#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<BuildKind> build_kinds = {{BuildKind::nightly, "nightly"}, {BuildKind::commit, "commit"}};
const Names<BuildState> build_states = {
    {BuildState::pending, "pending"}, {BuildState::ready, "ready"}, {BuildState::failed, "failed"}};
const Names<Availability> availabilities = {
    {Availability::complete, "complete"}, {Availability::incomplete, "incomplete"}, {Availability::yanked, "yanked"}};

}  // namespace

std::string_view to_string(Availability availability) {
  return name_of(availability, availabilities);
}

Result<Availability> availability_from(std::string_view text) {
  return value_of_name(text, availabilities, "availability of a nightly");
}

std::string_view to_string(BuildKind kind) {
  return name_of(kind, build_kinds);
}

Result<BuildKind> build_kind_from(std::string_view text) {
  return value_of_name(text, build_kinds, "kind of build");
}

std::string_view to_string(BuildState state) {
  return name_of(state, build_states);
}

Result<BuildState> build_state_from(std::string_view text) {
  return value_of_name(text, build_states, "state of a build");
}

}  // namespace tbci::model
