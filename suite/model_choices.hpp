// What a model offers beside its mode and its batch: --set NAME=VALUE, such as the size of a cache.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tbci::suite {

struct ModelChoice {
  std::string name;
  std::vector<std::string> values;  // the first one is measured where nothing is set
  std::string meaning;              // half a line
};

// By name; what is not there has its first value.
using ChosenValues = std::map<std::string, std::string>;

// Empty if each name is one of `offered` and has one of its values, else the reason in one line.
std::string why_not_chosen(const ChosenValues& chosen, const std::vector<ModelChoice>& offered,
                           const std::string& benchmark);

const std::string& chosen_value(const ChosenValues& chosen, const ModelChoice& choice);

// Where a value stands among those of its choice: for an enumeration in the same order.
std::size_t chosen_index(const ChosenValues& chosen, const ModelChoice& choice);

}  // namespace tbci::suite
