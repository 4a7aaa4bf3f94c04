#include "pipeline/measure/scaling.hpp"

#include "base/assert.hpp"
#include "base/text.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::pipeline {

namespace {

// Times of one size, of each build.
struct Times {
  std::vector<std::vector<double>> of_builds;
  std::string why;  // it is not measured (any more)
};

Result<std::vector<model::Measurement>> measure_in_turn(SubjectContext& context,
                                                        const std::vector<model::Build>& builds,
                                                        const model::Case& measured, const MeasureOptions& options) {
  if (builds.size() == 1) {
    TBCI_ASSIGN(auto one, context.machine.measure(builds[0].product, measured, options, context.stop));
    return std::vector{std::move(one)};
  }
  TBCI_ASSIGN(auto pair,
              context.machine.measure_pair(builds[0].product, builds[1].product, measured, options, context.stop));
  return std::vector{std::move(pair.before), std::move(pair.after)};
}

MeasureOptions options_for(const std::string& over, std::int64_t size) {
  MeasureOptions options;
  if (over == "batch") {
    options.batch = static_cast<int>(size);
  } else {
    options.chosen[over] = std::to_string(size);
  }
  return options;
}

Status measure_size(SubjectContext& context, const std::vector<model::Build>& builds, const model::Case& measured,
                    const MeasureOptions& options, Times& times) {
  TBCI_ASSIGN(const auto all, measure_in_turn(context, builds, measured, options));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto time = model::value_of(all[i], model::Metric::time);
    if (all[i].outcome != model::Outcome::done || !time || *time <= 0) {
      times.why = fmt::format("{}: {}", to_string(all[i].outcome), one_line(all[i].message));
      return {};
    }
    times.of_builds[i].push_back(*time);
  }
  return {};
}

Result<std::map<std::int64_t, Times>> measure_all(SubjectContext& context, const std::vector<model::Build>& builds,
                                                  const model::Case& measured, const ScalePlan& plan) {
  std::map<std::int64_t, Times> all;
  for (const std::int64_t size : plan.sizes) all[size].of_builds.resize(builds.size());
  context.progress.begin_stage("measure",
                               fmt::format("{} with {} sizes of {}", to_string(measured), all.size(), plan.over),
                               plan.processes * static_cast<int>(all.size()));
  for (int round = 0; round < plan.processes; ++round) {
    for (auto& [size, times] : all) {
      context.progress.step(fmt::format("{} {}, process {} of {}", plan.over, size, round + 1, plan.processes));
      if (times.why.empty()) TBCI_TRY(measure_size(context, builds, measured, options_for(plan.over, size), times));
    }
  }
  context.progress.end_stage("measured");
  return all;
}

void fit(ScaledBuild& build) {
  auto law = detect::fit_power_law(build.points);
  if (law) {
    build.law = *law;
  } else {
    build.no_law = law.error().message;
  }
}

}  // namespace

Result<ScaledCase> scale(SubjectContext& context, const std::vector<model::Build>& builds, const model::Case& measured,
                         const ScalePlan& plan) {
  TBCI_ASSERT(builds.size() == 1 || builds.size() == 2);
  TBCI_ASSIGN(const auto times, measure_all(context, builds, measured, plan));
  ScaledCase scaled;
  scaled.measured = measured;
  scaled.over = plan.over;
  for (const model::Build& build : builds)
    scaled.builds.push_back({.name = build.name, .points = {}, .law = {}, .no_law = {}});
  for (const auto& [size, one] : times) {
    if (!one.why.empty()) {
      scaled.missing[size] = one.why;
      continue;
    }
    for (std::size_t i = 0; i < builds.size(); ++i)
      scaled.builds[i].points.push_back({static_cast<double>(size), model::median(one.of_builds[i])});
  }
  for (ScaledBuild& build : scaled.builds) fit(build);
  if (builds.size() == 1 || !scaled.builds[0].law || !scaled.builds[1].law) return scaled;
  if (const auto change = detect::compare_power_laws(scaled.builds[0].points, scaled.builds[1].points)) {
    scaled.change = *change;
  } else {
    scaled.no_change = change.error().message;
  }
  return scaled;
}

}  // namespace tbci::pipeline
