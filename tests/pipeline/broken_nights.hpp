// Nights of which a commit breaks the case beta/cpu-infer.
#pragma once

#include "tests/pipeline/nights.hpp"

namespace tbci::test {

/// The commit that breaks it: the last but one of day 13.
inline constexpr std::size_t breaking_commit = 13 * commits_a_day - 2;

struct BrokenNights : Nights {
  explicit BrokenNights(std::size_t nights, model::Outcome outcome = model::Outcome::crashed) : Nights(nights) {
    machine.broken["beta"] = outcome;
    machine.broken_from = breaking_commit;
  }
};

inline model::Regression regression_of(Nights& nights, std::int64_t id) {
  return nights.bench->stores().nights.regression(id).value();
}

}  // namespace tbci::test
