#include "detect/predict/matched_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tbci::detect {

namespace {

using OwnCalls = std::vector<std::size_t>;  // places of calls that one call made, or of a lane's
using CallPairs = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr std::size_t longest_unlike_stretch = 2000;

OwnCalls calls_within(const RecordedIteration& recorded, std::size_t from, std::size_t to) {
  OwnCalls calls;
  for (std::size_t i = from; i < to; i = recorded.calls[i].end) calls.push_back(i);
  return calls;
}

// One list for each lane.
std::vector<OwnCalls> calls_by_lane(const RecordedIteration& recorded) {
  std::vector<OwnCalls> lanes;
  for (const std::size_t i : calls_within(recorded, 0, recorded.calls.size())) {
    lanes.resize(std::max(lanes.size(), recorded.calls[i].lane + 1));
    lanes[recorded.calls[i].lane].push_back(i);
  }
  return lanes;
}

class Matcher {
 public:
  Matcher(const RecordedIteration& one, const RecordedIteration& other) : one_(one), other_(other) {
    matched_.partner.assign(one.calls.size(), -1);
    matched_.differs_inside.assign(one.calls.size(), false);
  }

  MatchedCalls run() && {
    const auto lanes = calls_by_lane(one_), other_lanes = calls_by_lane(other_);
    for (std::size_t i = 0; i < std::min(lanes.size(), other_lanes.size()); ++i)
      match_in_order(lanes[i], other_lanes[i]);
    return std::move(matched_);
  }

 private:
  bool alike(std::size_t a, std::size_t b) const { return one_.calls[a].name == other_.calls[b].name; }

  // The ends that are alike, and what is between them.
  void match_in_order(const OwnCalls& ours, const OwnCalls& theirs) {
    std::size_t front = 0, back = 0;
    const std::size_t most = std::min(ours.size(), theirs.size());
    while (front < most && alike(ours[front], theirs[front])) ++front;
    while (back < most - front && alike(ours[ours.size() - 1 - back], theirs[theirs.size() - 1 - back])) ++back;
    for (std::size_t i = 0; i < front; ++i) pair(ours[i], theirs[i]);
    for (const auto& [a, b] : common(
             {ours.begin() + static_cast<std::ptrdiff_t>(front), ours.end() - static_cast<std::ptrdiff_t>(back)},
             {theirs.begin() + static_cast<std::ptrdiff_t>(front), theirs.end() - static_cast<std::ptrdiff_t>(back)}))
      pair(a, b);
    for (std::size_t i = back; i > 0; --i) pair(ours[ours.size() - i], theirs[theirs.size() - i]);
  }

  // The longest common subsequence.
  CallPairs common(const OwnCalls& ours, const OwnCalls& theirs) const {
    if (ours.size() > longest_unlike_stretch || theirs.size() > longest_unlike_stretch) return {};
    const std::size_t width = theirs.size() + 1;
    std::vector<std::uint16_t> longest((ours.size() + 1) * width);  // from these two on
    for (std::size_t i = ours.size(); i-- > 0;) {
      for (std::size_t j = theirs.size(); j-- > 0;) {
        longest[i * width + j] = alike(ours[i], theirs[j])
                                     ? static_cast<std::uint16_t>(longest[(i + 1) * width + j + 1] + 1)
                                     : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
      }
    }
    CallPairs pairs;
    for (std::size_t i = 0, j = 0; i < ours.size() && j < theirs.size();) {
      if (alike(ours[i], theirs[j])) {
        pairs.emplace_back(ours[i++], theirs[j++]);
      } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
        ++i;
      } else {
        ++j;
      }
    }
    return pairs;
  }

  // As deep as both make the same calls.
  void pair(std::size_t first, std::size_t second) {
    CallPairs open{{first, second}};
    while (!open.empty()) {
      const auto [a, b] = open.back();
      open.pop_back();
      matched_.partner[a] = static_cast<std::ptrdiff_t>(b);
      const OwnCalls ours = calls_within(one_, a + 1, one_.calls[a].end);
      const OwnCalls theirs = calls_within(other_, b + 1, other_.calls[b].end);
      matched_.differs_inside[a] =
          !std::ranges::equal(ours, theirs, [&](std::size_t x, std::size_t y) { return alike(x, y); });
      if (matched_.differs_inside[a]) continue;
      for (std::size_t i = 0; i < ours.size(); ++i) open.emplace_back(ours[i], theirs[i]);
    }
  }

  const RecordedIteration& one_;
  const RecordedIteration& other_;
  MatchedCalls matched_;
};

}  // namespace

MatchedCalls match_calls(const RecordedIteration& one, const RecordedIteration& other) {
  return Matcher(one, other).run();
}

}  // namespace tbci::detect
