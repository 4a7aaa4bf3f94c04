#include "suite/blocks/detection/nms.hpp"

#include <vector>

#include "suite/blocks/detection/boxes.hpp"

namespace tbci::suite {
namespace {

using torch::Tensor;

// Which of these boxes (best first) stay. A box stays if no better one that stays overlaps it. That is solved for all
// of them at once by repetition: after n rounds the n best are right, and mostly everything is after a few.
Tensor staying(const Tensor& boxes, double most_overlap) {
  const Tensor suppresses = (box_iou(boxes, boxes) > most_overlap).triu_(1);
  Tensor stays = at::ones({boxes.size(0)}, boxes.options().dtype(torch::kBool));
  while (true) {
    const Tensor next = at::logical_not(at::logical_and(suppresses, stays.unsqueeze(1)).any(0));
    if (at::equal(next, stays)) return stays;
    stays = next;
  }
}

// Each group by itself: less work where there are many boxes.
Tensor nms_of_each(const Tensor& boxes, const Tensor& scores, const Tensor& groups, double most_overlap) {
  Tensor stays = at::zeros_like(scores, torch::kBool);
  const Tensor names = std::get<0>(at::_unique2(groups));
  for (const Tensor& name : names.unbind(0)) {
    const Tensor members = at::nonzero(groups == name).squeeze(1);
    const Tensor best = nms(boxes.index({members}), scores.index({members}), most_overlap);
    stays.index_put_({members.index({best})}, true);
  }
  const Tensor all = at::nonzero(stays).squeeze(1);
  return all.index({std::get<1>(scores.index({all}).sort(-1, true))});
}

}  // namespace

Tensor nms(const Tensor& boxes, const Tensor& scores, double most_overlap) {
  // In blocks, as the overlaps of all pairs of ten thousand boxes would not be small.
  constexpr std::int64_t block = 1024;
  const Tensor order = std::get<1>(scores.sort(/*stable=*/true, 0, /*descending=*/true));
  const Tensor sorted = boxes.index({order});
  Tensor kept = sorted.slice(0, 0, 0);
  std::vector<Tensor> numbers;
  for (std::int64_t first = 0; first < sorted.size(0); first += block) {
    Tensor candidates = sorted.slice(0, first, first + block), which = order.slice(0, first, first + block);
    if (kept.size(0) > 0) {
      const Tensor free = at::logical_not((box_iou(kept, candidates) > most_overlap).any(0));
      candidates = candidates.index({free});
      which = which.index({free});
    }
    const Tensor stays = staying(candidates, most_overlap);
    kept = at::cat({kept, candidates.index({stays})});
    numbers.push_back(which.index({stays}));
  }
  return numbers.empty() ? order : at::cat(numbers);
}

Tensor batched_nms(const Tensor& boxes, const Tensor& scores, const Tensor& groups, double most_overlap) {
  if (boxes.numel() == 0) return at::empty({0}, groups.options().dtype(torch::kLong));
  if (boxes.numel() > (boxes.is_cpu() ? 4000 : 100000)) return nms_of_each(boxes, scores, groups, most_overlap);
  // Moved apart, boxes of different groups cannot overlap.
  const Tensor apart = groups.to(boxes.scalar_type()) * (boxes.max() + 1);
  return nms(boxes + apart.unsqueeze(1), scores, most_overlap);
}

}  // namespace tbci::suite
