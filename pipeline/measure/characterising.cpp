#include "pipeline/measure/characterising.hpp"

#include "base/text.hpp"
#include "detect/timeline/flops.hpp"

namespace tbci::pipeline {

namespace {

// Means over the iterations of a timeline; 0 where there is no shorter one beside them.
double recorded_factor(const model::Timeline& timeline) {
  double watched = 0, unwatched = 0;
  for (const model::TimelineIteration& one : timeline.iterations) {
    watched += static_cast<double>(one.watched);
    unwatched += static_cast<double>(one.unwatched);
  }
  return unwatched > 0 ? watched / unwatched : 0;
}

}  // namespace

Result<Character> characterise(SubjectContext& context, const model::Build& build, const model::Case& measured,
                               const CharacterOptions& options) {
  TBCI_ASSIGN(const model::Timeline timeline,
              context.machine.timeline(build.product, measured, {.variant = options.variant}, context.stop));
  const auto look = detect::look_into(timeline);
  if (!look) return fail(look.error(), to_string(measured));
  Character character{.measured = measured,
                      .split = detect::split_of(*look),
                      .hints = detect::hints_of(*look, options.thresholds),
                      .parts = {}};
  if (!timeline.on_gpu) character.parts = detect::parts_of(*look);
  const double whole = character.split.whole();
  if (whole > 0) character.flops_per_second = detect::flops_of_iteration(*look) * 1e9 / whole;
  character.peak_flops_per_second = static_cast<double>(timeline.speed.flops_per_second);
  character.recorded = recorded_factor(timeline);
  return character;
}

Result<Characters> characterise_all(SubjectContext& context, const model::Build& build,
                                    const std::vector<model::Case>& cases) {
  context.progress.begin_stage("record", fmt::format("{} cases of {}", cases.size(), one_line(build.name, 40)),
                               static_cast<int>(cases.size()));
  Characters all;
  for (const model::Case& measured : cases) {
    context.progress.step(to_string(measured));
    auto character = characterise(context, build, measured);
    if (character) {
      all.of_cases.push_back(std::move(*character));
    } else if (character.error().kind == ErrorKind::failed) {
      all.missing[measured] = one_line(character.error().message);
    } else {
      return pass_on(character.error());
    }
  }
  context.progress.end_stage(fmt::format("{} of {}", all.of_cases.size(), cases.size()));
  return all;
}

}  // namespace tbci::pipeline
