#include "detect/scaling/learning.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "detect/robust_statistics.hpp"

namespace tbci::detect {

namespace {

struct OfSeed {
  double sum = 0;  // of the logarithms of the ratios
  double pairs = 0;
};

}  // namespace

Returned returned_by_doubling(const PowerLaw& law, double size) {
  const double share = 1 - std::exp2(law.b.value);
  return {.gained = law.a.value * std::pow(size, law.b.value) * share, .share = share};
}

Result<LossChange> compare_losses(const std::vector<LossPair>& pairs) {
  std::map<std::uint64_t, OfSeed> seeds;
  for (const LossPair& pair : pairs) {
    if (!(pair.before > 0) || !(pair.after > 0) || !std::isfinite(pair.before) || !std::isfinite(pair.after))
      return fail(ErrorKind::failed, "a loss of {:g} or {:g} is not a number above 0", pair.before, pair.after);
    OfSeed& seed = seeds[pair.seed];
    seed.sum += std::log(pair.after / pair.before);
    ++seed.pairs;
  }
  if (seeds.size() < 2) return fail(ErrorKind::failed, "losses are compared over two seeds at least");
  const auto count = static_cast<double>(seeds.size());
  double mean = 0, squares = 0;
  for (const auto& [number, seed] : seeds) mean += seed.sum / seed.pairs / count;
  for (const auto& [number, seed] : seeds) squares += std::pow(seed.sum / seed.pairs - mean, 2);
  const double error = std::sqrt(squares / (count - 1) / count);
  const double margin = error * student_t_upper_quantile(0.005, count - 1);
  LossChange change;
  change.same = std::ranges::all_of(pairs, [](const LossPair& pair) { return pair.before == pair.after; });
  change.ratio = {.value = std::exp(mean), .low = std::exp(mean - margin), .high = std::exp(mean + margin)};
  return change;
}

}  // namespace tbci::detect
