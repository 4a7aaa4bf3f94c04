// The person who looks after the service: once a day, through what the commands of tbci would write.
#pragma once

#include <cstdint>

#include "tests/bench/thousand_nights/program.hpp"

namespace tbci::thousand {

class Person {
 public:
  /// `diary` must outlive it.
  Person(const Kinds& kinds, std::uint64_t seed, Diary& diary) : kinds_(kinds), chance_(seed, 6), diary_(diary) {}

  /// The end of a day. Decides nothing where no kind asks for a person.
  Status look_in(Program& program, int day);

 private:
  /// As `tbci anchor set` with the newest nightly that was checked. Nothing where there is none.
  Status set_anchor(Program& program, const std::string& reason);
  /// Accepts some of the regressions that were reported since the last look, and mutes the series of others.
  Status decide(Program& program, bool has_anchor);
  Status end_unwatched(Program& program);
  Status accept(Program& program, const model::Regression& regression, bool anchor);
  Status mute(Program& program, const model::Series& series);
  /// Whether a creep was reported against this anchor since the last look.
  Result<bool> creep_was_reported(Program& program, const model::Anchor& anchor);

  Kinds kinds_;
  Chance chance_;
  Diary& diary_;
  std::int64_t crept_ = 0;  // the newest creep that was dealt with
  std::int64_t seen_ = 0;   // the newest regression that was
};

}  // namespace tbci::thousand
