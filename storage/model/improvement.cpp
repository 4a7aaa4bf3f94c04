#include "storage/model/improvement.hpp"

#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<ImprovementState> improvement_states = {{ImprovementState::confirmed, "confirmed"},
                                                    {ImprovementState::attributed, "attributed"},
                                                    {ImprovementState::unattributed, "unattributed"}};

}  // namespace

std::string_view to_string(ImprovementState state) {
  return name_of(state, improvement_states);
}

Result<ImprovementState> improvement_state_from(std::string_view text) {
  return value_of_name(text, improvement_states, "state of an improvement");
}

}  // namespace tbci::model
