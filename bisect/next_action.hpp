// What the search of one series does next: take another reading of a known build, build between two others, or stop.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bisect/posterior.hpp"

namespace tbci::bisect {

/// How certain a search must be before it acts. Probabilities are posterior probabilities.
struct Certainty {
  double direction = 3e-3;         ///< accepted probability that the next build is made where no step lies
  double ends = 0.01;              ///< accepted probability that the ends are equal, before anything is built between
  double aside = 0.003;            ///< another step below this is ignored; a step above 1 - aside is certain
  double culprit = 0.999;          ///< required probability of a step between two neighbours before it is reported
  std::size_t most_readings = 40;  ///< of one class; after these the search takes the likelier side
};

/// What the search of one series knows about a class of commits.
enum class ClassState {
  untried,
  measured,  ///< has readings: is one of LevelData::classes
  lost,      ///< does not build, or cannot be measured
  skipped    ///< lies among lost ones (see bisect/lost_stretch.hpp): is not tried
};

/// Two measured classes with a possible step between them, and no other measured class.
struct Bracket {
  std::size_t good = 0, bad = 0;  ///< classes: the step lies after `good`, at or before `bad`
  double probability = 0;         ///< of a step
};

struct NextAction {
  enum class Kind {
    measure,  ///< take another reading of class `at`
    split,    ///< measure a class inside each of `brackets`
    done      ///< `brackets` hold the steps; empty: the ends are equal
  };
  Kind kind = Kind::done;
  std::size_t at = 0;
  std::vector<Bracket> brackets;
};

/// What the search of one series knows. The pointers are not null.
struct SeriesState {
  const LevelData* data = nullptr;
  const Posterior* posterior = nullptr;
  std::span<const ClassState> states;                ///< of each class of the search
  std::span<const std::size_t> required_readings{};  ///< of each class of the search; empty: none
  std::span<const std::size_t> closed{};             ///< classes that take no further reading
};

/// Deterministic. `state` has at least two measured classes (asserts).
NextAction next_action(const SeriesState& state, const Certainty& certainty);

}  // namespace tbci::bisect
