// The section of a report on hints: what the culprit made the model do that can be saved.
#pragma once

#include <string>
#include <vector>

#include "storage/model/words.hpp"

namespace tbci::github {

/// One hint that the culprit added, or made larger. All texts may be hostile. Numbers are of one iteration.
struct AddedHint {
  std::string kind;  ///< in words: `small calls in a row`
  std::string name;  ///< of the operator
  double calls = 0, calls_before = 0;
  double gain = 0;  ///< what the culprit added and a change would save, as a part of the iteration
  std::string what_to_try;
};

struct AddedHints {
  model::Case measured;
  int recordings = 0;            ///< of each of the two builds, each in a process of its own
  std::vector<AddedHint> hints;  ///< the largest gain first
};

/// A table of six at most; empty for no hints. Pure.
std::string hints_section(const AddedHints& added);

}  // namespace tbci::github
