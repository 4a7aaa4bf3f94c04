#include "daemon/cli/total_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace tbci::daemon {

std::vector<PlannedStage> stages_of_a_night() {
  return {{"install", 0.25}, {"measure", 0.3}, {"confirm", 0.15}, {"bisect", 0.25}, {"report", 0.05}};
}

TotalProgress::TotalProgress(std::vector<PlannedStage> plan) : plan_(std::move(plan)) {}

void TotalProgress::begin_stage(std::string_view name) {
  for (std::size_t i = current_ + 1; i < plan_.size(); ++i) {
    if (plan_[i].name == name) current_ = i;
  }
  double before = 0;
  for (std::size_t i = 0; i < current_; ++i) before += plan_[i].share;
  fraction_ = std::max(fraction_, before);
}

void TotalProgress::steps(int done, int expected, Time now) {
  double before = 0;
  for (std::size_t i = 0; i < current_; ++i) before += plan_[i].share;
  const double part = expected > 0 ? std::clamp(static_cast<double>(done) / expected, 0.0, 1.0) : 0;
  fraction_ = std::max(fraction_, before + part * plan_[current_].share);
  if (!first_) {
    first_ = now;
    first_fraction_ = fraction_;
  }
}

std::optional<std::chrono::nanoseconds> TotalProgress::left(Time now) const {
  constexpr double enough = 0.03;
  if (!first_ || fraction_ - first_fraction_ < enough || fraction_ >= 1) return std::nullopt;
  const double pace = (1 - fraction_) / (fraction_ - first_fraction_);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(pace * static_cast<double>((now - *first_).count())));
}

std::string TotalProgress::text(Time now) const {
  constexpr int width = 20;
  const int filled = std::clamp(static_cast<int>(width * fraction_), 0, width);
  const auto rest = left(now);
  return fmt::format("[{}{}] {}%{}", std::string(static_cast<std::size_t>(filled), '#'),
                     std::string(static_cast<std::size_t>(width - filled), '-'), static_cast<int>(100 * fraction_),
                     rest ? fmt::format(", about {} left", human_duration(*rest)) : "");
}

}  // namespace tbci::daemon
