#include "detect/selftest/campaign.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tbci::detect::selftest {

namespace {

constexpr double shown_confidence = 0.95;

/// Hands out chunks of series to threads and sums what they bring back. Sums of whole numbers do not depend on who
/// did what.
class Crew {
 public:
  Crew(const Campaign& campaign, std::stop_token stop) : campaign_(campaign), stop_(std::move(stop)) {}

  Tally work(int jobs, const OnProgress& progress) {
    std::vector<std::jthread> threads;
    running_ = std::max(jobs, 1);
    for (int i = 0; i < std::max(jobs, 1); ++i) threads.emplace_back([this] { follow_chunks(); });
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      ended_.wait_for(lock, std::chrono::milliseconds(500));
      const std::int64_t done = sum_.series;
      lock.unlock();
      if (progress) progress(done);
      lock.lock();
    }
    return sum_;
  }

 private:
  void follow_chunks() {
    constexpr std::int64_t chunk = 64;
    for (std::int64_t first = next_.fetch_add(chunk); first < campaign_.series && !stop_.stop_requested();
         first = next_.fetch_add(chunk)) {
      Tally tally;
      for (std::int64_t i = first; i < std::min(first + chunk, campaign_.series); ++i) {
        const auto source = campaign_.source(stream_seed(campaign_.seed, static_cast<std::uint64_t>(i)));
        tally.add(follow(campaign_.method, *source, campaign_.scenario));
      }
      const std::lock_guard lock(mutex_);
      sum_.add(tally);
    }
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_one();
  }

  const Campaign& campaign_;
  std::stop_token stop_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;  // guarded by mutex_, as sum_
  Tally sum_;
};

double effect_on(const Scenario& scenario, int night) {
  if (night < 0) return 0;
  return std::log1p(scenario.step) + (night + 1) * std::log1p(scenario.creep);
}

}  // namespace

void Tally::add(const Tally& other) {
  series += other.series;
  nights += other.nights;
  alarms += other.alarms;
  early_alarms += other.early_alarms;
  if (found_on.size() < other.found_on.size()) found_on.resize(other.found_on.size());
  for (std::size_t i = 0; i < other.found_on.size(); ++i) found_on[i] += other.found_on[i];
  cost.add(other.cost);
}

Tally follow(const MethodKind& kind, Source& source, const Scenario& scenario) {
  const auto method = kind.make();
  Tally tally;
  tally.series = 1;
  tally.found_on.resize(static_cast<std::size_t>(scenario.nights));
  const bool unchanged = !scenario.real() && scenario.bad_night == 0;
  for (int night = -kind.warmup; night < scenario.nights; ++night) {
    source.begin_night(night == 0 ? std::log1p(scenario.bad_night) : 0);
    const MethodNight result = method->night(source, effect_on(scenario, night));
    if (night < 0 && !unchanged) {
      tally.early_alarms += result.filed ? 1 : 0;
      continue;
    }
    ++tally.nights;
    tally.cost.add(result.cost);
    if (!result.filed) continue;
    ++tally.alarms;
    if (!scenario.real()) continue;
    ++tally.found_on[static_cast<std::size_t>(night)];
    break;
  }
  return tally;
}

Result<Tally> run(const Campaign& campaign, int jobs, const OnProgress& progress, std::stop_token stop) {
  const Tally tally = Crew(campaign, stop).work(jobs, progress);
  if (stop.stop_requested()) return fail(ErrorKind::interrupted, "stopped after {} series", tally.series);
  return tally;
}

Share found_within(const Tally& tally, int nights) {
  std::int64_t found = 0;
  for (std::size_t i = 0; i < tally.found_on.size() && static_cast<int>(i) < nights; ++i) found += tally.found_on[i];
  if (tally.series == 0) return {};
  return {static_cast<double>(found) / static_cast<double>(tally.series),
          clopper_pearson(found, tally.series, shown_confidence)};
}

Share alarms_per_thousand(const Tally& tally) {
  if (tally.nights == 0) return {};
  const Proportion interval = clopper_pearson(tally.alarms, tally.nights, shown_confidence);
  return {1000.0 * static_cast<double>(tally.alarms) / static_cast<double>(tally.nights),
          {1000 * interval.low, 1000 * interval.high}};
}

std::optional<int> found_by(const Tally& tally, double share) {
  std::int64_t found = 0;
  for (std::size_t i = 0; i < tally.found_on.size(); ++i) {
    found += tally.found_on[i];
    if (static_cast<double>(found) >= share * static_cast<double>(tally.series) && found > 0)
      return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

}  // namespace tbci::detect::selftest
