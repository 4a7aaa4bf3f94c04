#include "storage/model/report.hpp"

#include <algorithm>

#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<DeliveryState> delivery_states = {
    {DeliveryState::pending, "pending"}, {DeliveryState::delivered, "delivered"}, {DeliveryState::failed, "failed"}};
const Names<Wish> wishes = {{Wish::accept, "accept"},     {Wish::dismiss, "dismiss"}, {Wish::reopen, "reopen"},
                            {Wish::rebisect, "rebisect"}, {Wish::confirm, "confirm"}, {Wish::none, "none"}};

}  // namespace

std::string_view to_string(DeliveryState state) {
  return name_of(state, delivery_states);
}

Result<DeliveryState> delivery_state_from(std::string_view text) {
  return value_of_name(text, delivery_states, "state of a delivery");
}

std::string_view to_string(Wish wish) {
  return name_of(wish, wishes);
}

Result<Wish> wish_from(std::string_view text) {
  return value_of_name(text, wishes, "wish");
}

bool is_same_culprit(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return false;
  const auto& fewer = a.size() <= b.size() ? a : b;
  const auto& more = a.size() <= b.size() ? b : a;
  return std::ranges::all_of(fewer, [&](const auto& one) { return std::ranges::find(more, one) != more.end(); });
}

bool have_common_suspect(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a, [&](const auto& one) { return std::ranges::find(b, one) != b.end(); });
}

}  // namespace tbci::model
