#include "suite/self_times.hpp"

#include <algorithm>
#include <utility>

namespace tbci::suite {
namespace {

std::int64_t whole_nanoseconds(Span span) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(span).count();
}

Span spent(const ProfiledIteration& iteration) {
  return iteration.whole - iteration.own;
}

// Without the lowest and the highest quarter by `length`.
template <class Length>
std::vector<ProfiledIteration> middle_half(std::vector<ProfiledIteration> iterations, Length length) {
  std::stable_sort(iterations.begin(), iterations.end(),
                   [&](const auto& a, const auto& b) { return length(a) < length(b); });
  const auto quarter = static_cast<std::ptrdiff_t>(iterations.size() / 4);
  return {iterations.begin() + quarter, iterations.end() - quarter};
}

std::map<std::string, Tally> sums_of(const std::vector<ProfiledIteration>& iterations) {
  std::map<std::string, Tally> sums;
  for (const ProfiledIteration& iteration : iterations) {
    for (const auto& [name, tally] : iteration.operators) {
      sums[name].calls += tally.calls;
      sums[name].self += tally.self;
    }
  }
  return sums;
}

}  // namespace

void SelfTimes::charge(Instant now) {
  if (!inside_.empty()) tallies_[inside_.back()].self += now - last_;
  last_ = now;
}

void SelfTimes::enter(std::size_t who, Instant now) {
  charge(now);
  if (who >= tallies_.size()) tallies_.resize(who + 1);
  ++tallies_[who].calls;
  inside_.push_back(who);
}

void SelfTimes::leave(Instant now) {
  charge(now);
  if (!inside_.empty()) inside_.pop_back();
}

void SelfTimes::resume(Instant now) {
  own_ += now - last_;
  last_ = now;
}

std::vector<Tally> SelfTimes::take() {
  // Operators that are still open need an entry.
  return std::exchange(tallies_, std::vector<Tally>(tallies_.size()));
}

Span SelfTimes::take_own() {
  return std::exchange(own_, Span{});
}

Profile summarize(const std::vector<ProfiledIteration>& iterations) {
  Profile profile;
  profile.iterations = static_cast<int>(iterations.size());
  const std::vector<ProfiledIteration> middle = middle_half(iterations, spent);
  if (middle.empty()) return profile;
  const auto count = static_cast<std::int64_t>(middle.size());
  Span whole{}, own{}, inside{}, unwatched{};
  const auto by_unwatched = [](const ProfiledIteration& iteration) { return iteration.unwatched; };
  for (const ProfiledIteration& iteration : middle_half(iterations, by_unwatched)) unwatched += iteration.unwatched;
  for (const ProfiledIteration& iteration : middle) {
    whole += spent(iteration);
    own += iteration.own;
  }
  for (const auto& [name, sum] : sums_of(middle)) {
    inside += sum.self;
    profile.operators.push_back({name, (sum.calls + count / 2) / count, whole_nanoseconds(sum.self / count)});
  }
  profile.iteration_nanoseconds = whole_nanoseconds(whole / count);
  profile.outside_nanoseconds = whole_nanoseconds(std::max(Span{}, whole - inside) / count);
  profile.profiler_nanoseconds = whole_nanoseconds(own / count);
  profile.unwatched_nanoseconds = whole_nanoseconds(unwatched / count);
  std::stable_sort(profile.operators.begin(), profile.operators.end(),
                   [](const auto& a, const auto& b) { return a.self_nanoseconds > b.self_nanoseconds; });
  return profile;
}

}  // namespace tbci::suite
