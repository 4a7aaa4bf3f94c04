#include "suite/blocks/detection/matching.hpp"

#include <algorithm>

namespace tbci::suite {

using torch::Tensor;

Match match(const Tensor& overlaps, const MatchRule& rule) {
  TORCH_CHECK((overlaps >= 0).all().item<bool>(), "overlaps are not negative");
  const auto [best, object] = overlaps.max(0);
  Tensor label = at::full_like(object, 1, object.options().dtype(torch::kChar));
  label.index_put_({best < rule.background}, 0);
  label.index_put_({(best >= rule.background).logical_and_(best < rule.object)}, -1);
  if (rule.best_always_an_object) {
    const Tensor best_of_object = std::get<0>(overlaps.max(1));
    const Tensor pairs = at::nonzero(overlaps == best_of_object.unsqueeze(1));
    label.index_put_({pairs.select(1, 1)}, 1);
  }
  return {object, label};
}

DrawnBoxes draw(const Tensor& labels, const SampleRule& rule, std::int64_t background) {
  const Tensor objects = at::nonzero((labels != -1).logical_and_(labels != background)).squeeze(1);
  const Tensor rest = at::nonzero(labels == background).squeeze(1);
  const auto most = static_cast<std::int64_t>(static_cast<double>(rule.size) * rule.objects);
  const std::int64_t count = std::min(objects.numel(), most);
  const auto some = [](const Tensor& of, std::int64_t number) {
    return of.index({at::randperm(of.numel(), of.options()).slice(0, 0, number)});
  };
  const Tensor drawn = some(objects, count);
  return {drawn, some(rest, std::min(rest.numel(), rule.size - count))};
}

}  // namespace tbci::suite
