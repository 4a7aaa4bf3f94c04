// The person who looks after the service: once a day, through what the commands of tbci would write.
#pragma once

#include <cstdint>

#include "tests/bench/thousand_nights/program.hpp"

namespace tbci::thousand {

class Person {
 public:
  Person(const Kinds& kinds, std::uint64_t seed) : kinds_(kinds), chance_(seed, 6) {}

  /// The end of a day. Decides nothing where no kind asks for a person.
  Status look_in(Program& program, int day);

 private:
  /// As `tbci anchor set` with the newest nightly that was checked. Nothing where there is none.
  Status set_anchor(Program& program, const std::string& reason);
  /// Whether a creep was reported against this anchor since the last look.
  Result<bool> creep_was_reported(Program& program, const model::Anchor& anchor);

  Kinds kinds_;
  Chance chance_;
  std::int64_t seen_ = 0;  // the newest regression that was dealt with
};

}  // namespace tbci::thousand
