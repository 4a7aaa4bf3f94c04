#include "storage/nightly_points.hpp"

#include "storage/model/run_keys.hpp"

namespace tbci::storage {

namespace {

// How well a point represents its nightly; higher is better.
int worth_of(const HistoryPoint& point) {
  if (point.purpose != model::Purpose::screen) return 0;
  const std::string own = model::run_keys::screen(point.nightly);
  return point.key == own || point.key.starts_with(own + "@") ? 2 : 1;
}

}  // namespace

bool counts_in_history(const HistoryPoint& point) {
  return point.purpose == model::Purpose::screen || (point.purpose == model::Purpose::confirm && !point.alternating);
}

std::vector<HistoryPoint> nightly_points(const std::vector<HistoryPoint>& points, const std::string& runner) {
  std::vector<HistoryPoint> chosen;
  for (const HistoryPoint& point : points) {
    if (point.runner != runner || !counts_in_history(point)) continue;
    if (chosen.empty() || chosen.back().nightly != point.nightly) {
      chosen.push_back(point);
    } else if (worth_of(point) > worth_of(chosen.back()) || (worth_of(point) == 2 && worth_of(chosen.back()) == 2)) {
      chosen.back() = point;
    }
  }
  return chosen;
}

}  // namespace tbci::storage
