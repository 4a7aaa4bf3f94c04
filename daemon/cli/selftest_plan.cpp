#include "daemon/cli/selftest_plan.hpp"

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "detect/selftest/nights.hpp"
#include "detect/selftest/rules.hpp"

namespace tbci::daemon {

namespace {

namespace night_selftest = detect::selftest;
using night_selftest::MethodKind;
using night_selftest::Scenario;

constexpr int nights_of_unchanged = 200;
constexpr int warmup = 16;  // enough for a baseline and the rotation
constexpr std::size_t block = 8;
constexpr std::int64_t most_nights_of_others = 200'000;
constexpr std::int64_t most_series_of_others = 2'000;

using MakeSource = std::function<std::unique_ptr<night_selftest::Source>(std::uint64_t)>;

struct NoiseKind {
  std::string name;
  MakeSource source;
};

bool is_ours(const MethodKind& method) {
  return method.name.starts_with("ours");
}

struct Planned {
  Scenario scenario;
  double share = 1;  // of the requested number of series
};

// More series for rare events.
std::vector<Planned> changes() {
  return {
      {{.name = "+5%", .step = 0.05}, 5},
      {{.name = "+8%", .step = 0.08}},
      {{.name = "+10%", .step = 0.10}},
      {{.name = "+15%", .step = 0.15}, 0.2},
      {{.name = "creep of 0.5%", .creep = 0.005, .nights = 30}, 0.2},
      {{.name = "bad night of 15%", .bad_night = 0.15}, 0.5},
  };
}

std::vector<NoiseKind> noise_kinds(const std::vector<night_selftest::Recorded>& recorded) {
  if (!recorded.empty()) {
    const auto draw = [&recorded](std::uint64_t seed) -> std::unique_ptr<night_selftest::Source> {
      const auto& one = recorded[night_selftest::stream_seed(seed, 0) % recorded.size()];
      return std::make_unique<night_selftest::ReplaySource>(one, block, seed);
    };
    return {{"recorded", draw}};
  }
  std::vector<NoiseKind> kinds;
  for (const night_selftest::Noise& noise : {night_selftest::quiet(), night_selftest::noisy()}) {
    kinds.push_back({noise.name, [noise](std::uint64_t seed) -> std::unique_ptr<night_selftest::Source> {
                       return std::make_unique<night_selftest::NoisySource>(noise, seed);
                     }});
  }
  return kinds;
}

void add_rows(const SelftestOptions& options, const NoiseKind& noise, const MethodKind& method,
              std::vector<PlannedCampaign>& plan) {
  const bool ours = is_ours(method);
  const std::int64_t nights = ours ? options.nights : std::min(options.nights, most_nights_of_others);
  const std::int64_t a_series = nights_of_unchanged + method.warmup;
  const auto add = [&](const Scenario& scenario, std::int64_t series) {
    plan.push_back({noise.name,
                    {.method = method,
                     .scenario = scenario,
                     .series = std::max<std::int64_t>(series, 1),
                     .seed = options.seed,
                     .source = noise.source}});
  };
  add({.name = "unchanged", .nights = nights_of_unchanged}, (nights + a_series - 1) / a_series);
  const std::int64_t series = ours ? options.series : std::min(options.series, most_series_of_others);
  for (const Planned& one : changes()) {
    const double share = ours ? one.share : std::min(one.share, 1.0);
    add(one.scenario, static_cast<std::int64_t>(share * static_cast<double>(series)));
  }
}

}  // namespace

std::vector<MethodKind> selftest_methods(const SelftestOptions& options, const detect::Thresholds& thresholds) {
  night_selftest::JudgementSettings settings;
  settings.thresholds = thresholds;
  settings.anchor_every = options.anchor_every;
  night_selftest::JudgementSettings beside = settings;
  beside.from_history = false;
  const auto make = [](const night_selftest::JudgementSettings& chosen) {
    return [chosen] { return std::make_unique<night_selftest::OurNights>(chosen); };
  };
  std::vector<MethodKind> methods = {
      {"ours", "screen against history, confirmation by pairs, retests, anchor", warmup, make(settings)},
      {"ours-beside", "the same, but each night also measures the build of the night before", warmup, make(beside)}};
  for (MethodKind& rule : night_selftest::other_rules()) methods.push_back(std::move(rule));
  return methods;
}

Result<std::vector<PlannedCampaign>> plan_selftest(const SelftestOptions& options, const detect::Thresholds& thresholds,
                                                   const std::vector<night_selftest::Recorded>& recorded) {
  std::vector<MethodKind> methods = selftest_methods(options, thresholds);
  std::vector<std::string> names;
  for (const MethodKind& method : methods) names.push_back(method.name);
  for (const std::string& rule : options.rules) {
    if (std::find(names.begin(), names.end(), rule) == names.end())
      return fail(ErrorKind::usage, "no rule '{}'{}; the rules are {}", one_line(rule, 40), did_you_mean(rule, names),
                  join(names, ", "));
  }
  std::erase_if(methods, [&](const MethodKind& method) {
    return !options.rules.empty() &&
           std::find(options.rules.begin(), options.rules.end(), method.name) == options.rules.end();
  });
  std::vector<PlannedCampaign> plan;
  for (const NoiseKind& noise : noise_kinds(recorded)) {
    for (const MethodKind& method : methods) add_rows(options, noise, method, plan);
  }
  return plan;
}

std::vector<std::string> noise_descriptions() {
  std::vector<std::string> lines;
  for (const night_selftest::Noise& noise : {night_selftest::quiet(), night_selftest::noisy()}) {
    std::string line =
        fmt::format("{}: {:.1f}% a process, {:.1f}% a night", noise.name, 100 * noise.process, 100 * noise.night);
    if (noise.slow_share > 0) {
      line += fmt::format("; {:.1f}% of the processes slow by {:.0f} to {:.0f}%", 100 * noise.slow_share,
                          100 * noise.slow_least, 100 * noise.slow_most);
    }
    if (noise.bad_share > 0) {
      line += fmt::format("; {:.1f}% of the nights slow by {:.0f} to {:.0f}%", 100 * noise.bad_share,
                          100 * noise.bad_least, 100 * noise.bad_most);
    }
    if (noise.shift_share > 0) {
      line += fmt::format("; in {:.1f}% of the nights the machine changes for good, by {:.0f}%",
                          100 * noise.shift_share, 100 * noise.shift);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tbci::daemon
