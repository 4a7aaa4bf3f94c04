#include "detect/expected_hit.hpp"

#include <algorithm>

namespace tbci::detect {

double expected_hit(const model::OperatorProfile& profile, const model::OperatorComparison& seen) {
  if (profile.iteration.count() <= 0) return 0;
  double more = 0;
  for (const model::OperatorChange& change : seen.changed) {
    const auto here = std::ranges::find(profile.operators, change.name, &model::OperatorTime::name);
    if (here == profile.operators.end() || change.before.count() <= 0) continue;
    const double factor = static_cast<double>(change.after.count()) / static_cast<double>(change.before.count());
    more += static_cast<double>(here->self.count()) * (factor - 1);
  }
  return std::max(more, 0.0) / static_cast<double>(profile.iteration.count());
}

}  // namespace tbci::detect
