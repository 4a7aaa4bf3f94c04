// Nightlies that a person wants on the disk.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace tbci::model {

struct Pin {
  std::string subject;
  std::string nightly;  ///< its name
  std::string person;
  std::string reason;  ///< may be empty
  TimePoint set{};
};

}  // namespace tbci::model
