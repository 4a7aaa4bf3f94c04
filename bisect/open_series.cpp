#include "bisect/open_series.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tbci::bisect {

std::vector<OpenStep> open_steps_of(const OpenSeries& one) {
  std::vector<OpenStep> all;
  if (one.finished || one.next.kind != NextAction::Kind::split) return all;
  for (const Bracket& bracket : one.next.brackets) all.push_back(one.search.open_step(bracket));
  return all;
}

std::vector<OpenStep> open_steps_of(std::span<const OpenSeries> all) {
  std::vector<OpenStep> steps;
  for (const OpenSeries& one : all) std::ranges::move(open_steps_of(one), std::back_inserter(steps));
  return steps;
}

OpenSeries* clearest(std::span<OpenSeries> all) {
  OpenSeries* found = nullptr;
  for (OpenSeries& one : all) {
    if (!one.finished && (found == nullptr || one.search.clearness() > found->search.clearness())) found = &one;
  }
  return found;
}

bool is_in_doubt(const OpenSeries& one, std::size_t at) {
  return std::ranges::any_of(one.next.brackets,
                             [at](const Bracket& bracket) { return bracket.good < at && at < bracket.bad; });
}

std::size_t commits_in_doubt(std::span<const OpenSeries> all) {
  std::set<std::size_t> in_doubt;
  for (const OpenSeries& one : all) {
    for (const Bracket& bracket : one.next.brackets) {
      for (std::size_t at = bracket.good + 1; at <= bracket.bad; ++at) in_doubt.insert(at);
    }
  }
  return in_doubt.size();
}

std::optional<std::size_t> built_class_inside(const OpenSeries& one, const std::function<bool(std::size_t)>& is_built) {
  std::vector<OpenStep> inside;
  for (const Bracket& bracket : one.next.brackets) {
    OpenStep open_step = one.search.open_step(bracket);
    for (std::size_t at = 0; at < open_step.states.size(); ++at) {
      const bool untried = open_step.states[at] == ClassState::untried && is_built(at);
      open_step.states[at] = untried ? ClassState::untried : ClassState::measured;
    }
    open_step.builds_left = 0;
    inside.push_back(std::move(open_step));
  }
  const auto found = next_builds(inside, 1);
  if (found.empty()) return std::nullopt;
  return found.front();
}

bool explains_too_little(const OpenSeries& one, double expected, double least) {
  constexpr double unexplained_share = 0.3;
  const std::vector<LevelEstimate>& levels = one.search.posterior().levels;
  const std::size_t last_step = one.search.index_of_class(one.next.brackets.back().bad);
  const double found = levels[last_step].mean - levels.front().mean;
  const double missing = expected > 0 ? expected - found : found - expected;
  return missing > std::max(least, unexplained_share * std::abs(expected));
}

}  // namespace tbci::bisect
