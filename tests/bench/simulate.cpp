// How often the decision and the search are right, simulated: the tables of docs/measured.md.
//
//   ninja -C build/dev bench-simulate && build/dev/tests/bench-simulate
//
// Noise: one run is exp(noise * N(0, 1)) of its true value; a share of runs is slow besides. Seeds are fixed. Takes a
// few minutes on one core.
#include <algorithm>
#include <array>
#include <random>

#include "bisect/bisection.hpp"
#include "detect/confirm.hpp"
#include "tests/fakes/prober.hpp"

namespace {

using namespace tbci;

struct Noise {
  double run;
  double slow_share;
};
constexpr std::array bisection_noises = {Noise{0.02, 0}, Noise{0.03, 0.02}, Noise{0.05, 0.02}};
constexpr std::array confirmation_noises = {Noise{0.02, 0}, Noise{0.03, 0.02}};
constexpr unsigned first_seed = 7001;
constexpr unsigned confirmation_seed = 3;

const model::Series series{"dlrm", model::Configuration::cpu_train, model::Metric::time};

void bisect_days(const Noise& noise, double factor, int days) {
  int exact = 0, none = 0, wrong = 0, worst = 0;
  double builds = 0, runs = 0;
  for (int number = 0; number < days; ++number) {
    test::Day day;
    day.noise = noise.run;
    day.slow_share = noise.slow_share;
    day.seed = first_seed + static_cast<unsigned>(number);
    const std::size_t culprit = 1 + static_cast<std::size_t>(number + 1) * 37 % 70;
    day.faults = {{culprit, series, factor}};
    test::FakeProber prober(day);
    bisect::Observer observer;
    const auto answers = bisect::bisect(test::commits_of(day), {series}, {}, prober, observer, {});
    const auto& suspects = answers->at(0).suspects;
    if (suspects.empty()) {
      ++none;
    } else {
      (suspects == std::vector{test::id_of(culprit)} ? exact : wrong) += 1;
    }
    builds += prober.search_builds();
    worst = std::max(worst, prober.search_builds());
    runs += prober.runs();
  }
  fmt::print("| +{:.0f}% | {:.0f}%{} | {} | {} | {} | {} | {:.2f} / {} | {:.1f} |\n", (factor - 1) * 100,
             noise.run * 100, noise.slow_share > 0 ? " and slow runs" : "", days, exact, none, wrong, builds / days,
             worst, runs / days);
}

void confirm_days(const Noise& noise, double step, int days, std::mt19937_64& random) {
  std::normal_distribution<double> gaussian;
  std::uniform_real_distribution<double> uniform;
  const auto run = [&](double factor) {
    const double time = 1e6 * factor * std::exp(noise.run * gaussian(random));
    return uniform(random) < noise.slow_share ? time * 1.4 : time;
  };
  int regressions = 0, inconclusive = 0;
  double pairs = 0;
  for (int day = 0; day < days; ++day) {
    std::vector<detect::Pair> seen;
    auto decision = detect::confirm(series, seen, {});
    while (decision.pairs_wanted > 0) {
      for (int i = 0; i < decision.pairs_wanted; ++i) {
        const double before = run(1), after = run(1 + step);
        seen.push_back({before, after});
      }
      decision = detect::confirm(series, seen, {});
    }
    regressions += decision.finding.verdict == model::Verdict::regression ? 1 : 0;
    inconclusive += decision.finding.verdict == model::Verdict::inconclusive ? 1 : 0;
    pairs += static_cast<double>(seen.size());
  }
  fmt::print("| {:.1f}% | {:.0f}%{} | {} | {:.5f} | {:.4f} | {:.1f} |\n", step * 100, noise.run * 100,
             noise.slow_share > 0 ? " and slow runs" : "", days, static_cast<double>(regressions) / days,
             static_cast<double>(inconclusive) / days, pairs / days);
}

}  // namespace

int main() {
  fmt::print("Seeds: {} and {}\n\nBisection of 70 commits, one culprit:\n\n", first_seed, confirmation_seed);
  fmt::print(
      "| step | noise | days | exact | no culprit | wrong | builds, mean / worst | runs "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const double factor : {1.2, 1.08}) {
    for (const Noise& noise : bisection_noises) bisect_days(noise, factor, 1000);
  }
  fmt::print(
      "\nConfirmation:\n\n| step | noise | days | regression | inconclusive | pairs |\n|---|---|---|---|---|---|\n");
  std::mt19937_64 random(confirmation_seed);
  for (const Noise& noise : confirmation_noises) {
    for (const double step : {0.0, 0.03, 0.05, 0.075, 0.08, 0.10, 0.15}) {
      confirm_days(noise, step, step <= 0.05 ? 20000 : 5000, random);
    }
  }
}
