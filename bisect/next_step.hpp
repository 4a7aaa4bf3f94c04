// What one regression wants next: another reading of a build that is there, a build between two others, or nothing.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bisect/posterior.hpp"

namespace tbci::bisect {

struct Certainty {
  double direction = 3e-3;         ///< probability that a build is asked for where no step lies
  double ends = 0.01;              ///< of the ends being equal after all, before anything is built between them
  double aside = 0.003;            ///< of another step: below, it is not looked for; what is above 1 - aside is
  double culprit = 0.999;          ///< of a step between two neighbours, before it is named
  std::size_t most_readings = 40;  ///< of one class; then the likelier is taken
};

/// What is known of a class of commits, for one regression.
enum class ClassState {
  untried,
  measured,  ///< has readings: is one of LevelData::classes
  lost       ///< does not build, or can't be measured
};

/// A gap between two measured classes that a step lies in.
struct Gap {
  std::size_t good = 0, bad = 0;  ///< classes
  double change = 0;              ///< probability of a step
};

struct Need {
  enum class Kind { read, split, nothing };
  Kind kind = Kind::nothing;
  std::size_t at = 0;     ///< read: the class
  std::vector<Gap> gaps;  ///< split: measure something in each of them. Nothing: those that hold the steps
};

/// What is known of a regression.
struct Knowledge {
  const LevelData& data;
  const Posterior& posterior;
  std::span<const ClassState> states;       ///< of each class of the day
  std::span<const std::size_t> at_least{};  ///< readings of each class of the day; empty: none
};

/// Where the ends are equal the need is nothing, with no gaps. Deterministic.
Need next_need(const Knowledge& knowledge, const Certainty& certainty);

}  // namespace tbci::bisect
