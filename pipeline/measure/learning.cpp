#include "pipeline/measure/learning.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::pipeline {

namespace {

constexpr std::uint64_t first_seed = 1;

// Trainings with one amount, of each build: a seed's at the same place.
struct Trainings {
  std::vector<std::vector<runner::Learned>> of_builds;
  std::string why;  // it is not trained (any more)
};
using AllTrainings = std::map<std::int64_t, Trainings>;

// A failure of the training costs the amount; any other error ends the work.
Status train_once(SubjectContext& context, const std::vector<model::Build>& builds, const model::Case& measured,
                  const runner::LearningPlan& plan, Trainings& trainings) {
  for (std::size_t i = 0; i < builds.size(); ++i) {
    const auto learned = context.machine.learn(builds[i].product, measured, plan, context.stop);
    if (!learned && learned.error().kind != ErrorKind::failed) return pass_on(learned.error());
    if (!learned) {
      trainings.why = one_line(learned.error().message);
      return {};
    }
    trainings.of_builds[i].push_back(*learned);
  }
  return {};
}

Result<AllTrainings> train_all(SubjectContext& context, const std::vector<model::Build>& builds,
                               const model::Case& measured, const LearningScalePlan& plan) {
  AllTrainings all;
  for (const std::int64_t amount : plan.amounts) all[amount].of_builds.resize(builds.size());
  context.progress.begin_stage("train",
                               fmt::format("{} with {} sizes of {}", to_string(measured), all.size(), plan.over),
                               plan.seeds * static_cast<int>(all.size()));
  for (int i = 0; i < plan.seeds; ++i) {
    for (auto& [amount, trainings] : all) {
      context.progress.step(fmt::format("{} {}, seed {} of {}", plan.over, amount, i + 1, plan.seeds));
      if (!trainings.why.empty()) continue;
      const runner::LearningPlan one{
          .over = plan.over, .amount = amount, .seed = first_seed + static_cast<std::uint64_t>(i)};
      TBCI_TRY(train_once(context, builds, measured, one, trainings));
    }
  }
  context.progress.end_stage("trained");
  return all;
}

double size_of(const runner::Learned& learned, const std::string& over) {
  if (over == "compute") return learned.operations;
  return static_cast<double>(over == "parameters" ? learned.parameters : learned.samples);
}

void add_point(LearningBuild& build, const std::vector<runner::Learned>& trainings, const std::string& over) {
  double loss = 0;
  for (const runner::Learned& one : trainings) loss += one.loss / static_cast<double>(trainings.size());
  build.points.push_back({size_of(trainings.front(), over), loss});
  build.entropy = trainings.front().entropy;
}

void fit_losses(LearningBuild& build) {
  const auto law = detect::fit_power_law(build.points, detect::Trend::falls);
  if (!law) {
    build.no_law = law.error().message;
  } else if (law->c.low <= 0) {
    // So few or so small sizes that nothing of the constant shows yet.
    build.no_law = "no law: its constant may be 0 or less, which no loss can come to: take more or larger sizes";
  } else {
    build.law = *law;
  }
}

void add_pairs(std::vector<detect::LossPair>& pairs, const Trainings& trainings) {
  for (std::size_t i = 0; i < trainings.of_builds.front().size(); ++i)
    pairs.push_back({first_seed + i, trainings.of_builds.front()[i].loss, trainings.of_builds.back()[i].loss});
}

}  // namespace

Result<LearningCase> scale_learning(SubjectContext& context, const std::vector<model::Build>& builds,
                                    const model::Case& measured, const LearningScalePlan& plan) {
  TBCI_ASSERT(builds.size() == 1 || builds.size() == 2);
  TBCI_ASSIGN(const AllTrainings all, train_all(context, builds, measured, plan));
  LearningCase scaled;
  scaled.measured = measured;
  scaled.over = plan.over;
  for (const model::Build& build : builds) scaled.builds.emplace_back().name = build.name;
  std::vector<detect::LossPair> pairs;
  for (const auto& [amount, trainings] : all) {
    if (!trainings.why.empty()) {
      scaled.missing[amount] = trainings.why;
      continue;
    }
    for (std::size_t i = 0; i < builds.size(); ++i) add_point(scaled.builds[i], trainings.of_builds[i], plan.over);
    add_pairs(pairs, trainings);
  }
  for (LearningBuild& build : scaled.builds) fit_losses(build);
  if (builds.size() == 1) return scaled;
  if (const auto change = detect::compare_losses(pairs)) {
    scaled.change = *change;
  } else {
    scaled.no_change = change.error().message;
  }
  return scaled;
}

}  // namespace tbci::pipeline
