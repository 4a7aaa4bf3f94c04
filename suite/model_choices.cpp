#include "suite/model_choices.hpp"

#include <algorithm>

#include "suite/nearest.hpp"

namespace tbci::suite {
namespace {

std::string values_of(const ModelChoice& choice) {
  std::string text;
  for (const std::string& value : choice.values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

const ModelChoice& nearest_choice(const std::vector<ModelChoice>& offered, const std::string& name) {
  return *std::min_element(offered.begin(), offered.end(), [&](const ModelChoice& a, const ModelChoice& b) {
    return edit_distance(a.name, name) < edit_distance(b.name, name);
  });
}

}  // namespace

std::string why_not_chosen(const ChosenValues& chosen, const std::vector<ModelChoice>& offered,
                           const std::string& benchmark) {
  for (const auto& [name, value] : chosen) {
    if (offered.empty()) return benchmark + " has nothing to set: leave out --set " + name + "=" + value;
    const auto found = std::find_if(offered.begin(), offered.end(),
                                    [&, set = name](const ModelChoice& choice) { return choice.name == set; });
    if (found == offered.end()) {
      return benchmark + " has nothing named '" + name + "' to set; the nearest name is '" +
             nearest_choice(offered, name).name + "'";
    }
    if (std::find(found->values.begin(), found->values.end(), value) == found->values.end())
      return name + " of " + benchmark + " must be one of " + values_of(*found) + ", not '" + value + "'";
  }
  return {};
}

const std::string& chosen_value(const ChosenValues& chosen, const ModelChoice& choice) {
  const auto found = chosen.find(choice.name);
  return found == chosen.end() ? choice.values.front() : found->second;
}

std::size_t chosen_index(const ChosenValues& chosen, const ModelChoice& choice) {
  const auto found = std::find(choice.values.begin(), choice.values.end(), chosen_value(chosen, choice));
  return static_cast<std::size_t>(found - choice.values.begin());
}

}  // namespace tbci::suite
