#include "storage/model/report.hpp"

#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<DeliveryState> delivery_states = {
    {DeliveryState::pending, "pending"}, {DeliveryState::delivered, "delivered"}, {DeliveryState::failed, "failed"}};

}  // namespace

std::string_view to_string(DeliveryState state) {
  return name_of(state, delivery_states);
}

Result<DeliveryState> delivery_state_from(std::string_view text) {
  return value_of_name(text, delivery_states, "state of a delivery");
}

}  // namespace tbci::model
