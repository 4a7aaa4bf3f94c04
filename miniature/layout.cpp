#include "miniature/layout.hpp"

#include <algorithm>

#include "miniature/random.hpp"

namespace tbci::miniature {
namespace {

constexpr std::uint64_t kPurposeFaults = 1;
constexpr std::uint64_t kPurposeUnbuildable = 2;
/// A day shorter than this gets no commits that do not build unless they are asked for.
constexpr std::size_t kLongDay = 20;
constexpr int kDefaultUnbuildable = 2;

Result<std::size_t> position_in(int position, std::size_t commits, std::string_view what) {
  if (position >= 1 && static_cast<std::size_t>(position) <= commits) return static_cast<std::size_t>(position);
  return fail(ErrorKind::usage, "{} is at position {}, but its day has the positions 1 to {}", what, position, commits);
}

class Placing {
 public:
  explicit Placing(const DayPlan& day) : day_(day), faults_(day.faults), commits_(day.commits) {}

  Result<Layout> place() {
    TBCI_TRY(place_given_faults());
    TBCI_TRY(place_given_unbuildable());
    TBCI_TRY(place_other_faults());
    if (day_.unbuildable_beside_culprit) hide_culprits();
    if (!day_.unbuildable && commits_ >= kLongDay) draw_unbuildable();
    TBCI_TRY(place_repairs());
    return layout_;
  }

 private:
  Status place_given_faults() {
    layout_.faults.assign(faults_.size(), 0);
    for (std::size_t i = 0; i < faults_.size(); ++i) {
      if (!faults_[i].position) continue;
      TBCI_ASSIGN(layout_.faults[i], position_in(*faults_[i].position, commits_, "fault " + faults_[i].kind));
      if (!taken_.insert(layout_.faults[i]).second) {
        return fail(ErrorKind::usage, "two faults are at position {}; a commit brings one", layout_.faults[i]);
      }
    }
    return {};
  }

  Status place_given_unbuildable() {
    for (const int position : day_.unbuildable.value_or(std::vector<int>())) {
      TBCI_ASSIGN(const std::size_t at, position_in(position, commits_, "--unbuildable"));
      layout_.unbuildable.insert(at);
    }
    return {};
  }

  bool is_far_from_others(std::size_t position) const {
    const auto near = [position](std::size_t other) { return other + 3 >= position && other <= position + 3; };
    return std::none_of(taken_.begin(), taken_.end(), near) &&
           std::none_of(layout_.unbuildable.begin(), layout_.unbuildable.end(), near);
  }

  /// A position that is neither the first nor near the end, away from everything else where there is room.
  std::size_t draw(Random& random) const {
    const std::size_t last = commits_ - 2;
    std::vector<std::size_t> far;
    std::vector<std::size_t> free;
    for (std::size_t position = 2; position <= last; ++position) {
      if (is_far_from_others(position)) far.push_back(position);
      const bool is_repair = layout_.unbuildable.contains(position - 1);
      if (!taken_.contains(position) && !layout_.unbuildable.contains(position) && !is_repair) free.push_back(position);
    }
    const std::vector<std::size_t>& choice = far.empty() ? free : far;
    return choice.empty() ? 0 : choice[random.below(choice.size())];
  }

  Status place_other_faults() {
    Random random(day_.seed, kPurposeFaults);
    for (std::size_t i = 0; i < faults_.size(); ++i) {
      if (layout_.faults[i] != 0) continue;
      layout_.faults[i] = draw(random);
      if (layout_.faults[i] == 0) {
        return fail(ErrorKind::usage,
                    "a day of {} commits has no room for fault {}; use fewer faults or more --commits", commits_,
                    faults_[i].kind);
      }
      taken_.insert(layout_.faults[i]);
    }
    return {};
  }

  void hide_culprits() {
    for (const std::size_t position : layout_.faults) layout_.unbuildable.insert({position, position + 1});
  }

  void draw_unbuildable() {
    Random random(day_.seed, kPurposeUnbuildable);
    for (int i = 0; i < kDefaultUnbuildable; ++i) {
      const std::size_t position = draw(random);
      if (position != 0 && is_far_from_others(position)) layout_.unbuildable.insert(position);
    }
  }

  Status place_repairs() {
    for (const std::size_t position : layout_.unbuildable) {
      const std::size_t next = position + 1;
      if (layout_.unbuildable.contains(next)) continue;
      if (next > commits_) {
        return fail(ErrorKind::usage,
                    "the commit at position {} cannot be unbuildable: the next one repairs it, "
                    "and the day ends at {}",
                    position, commits_);
      }
      if (taken_.contains(next)) {
        return fail(ErrorKind::usage, "the commit at position {} repairs the build, so it cannot bring a fault too",
                    next);
      }
      layout_.repairs.insert(next);
    }
    return {};
  }

  const DayPlan& day_;
  const std::vector<Fault>& faults_;
  std::size_t commits_;
  Layout layout_;
  std::set<std::size_t> taken_;
};

}  // namespace

std::vector<std::size_t> Layout::indistinguishable(std::size_t position) const {
  std::size_t first = position;
  while (unbuildable.contains(first - 1)) --first;
  std::size_t last = position;
  while (unbuildable.contains(last)) ++last;
  std::vector<std::size_t> all;
  for (std::size_t i = first; i <= last; ++i) all.push_back(i);
  return all;
}

Result<Layout> lay_out(const DayPlan& day) {
  return Placing(day).place();
}

}  // namespace tbci::miniature
