#include "pipeline/measure/peak_measuring.hpp"

#include "base/text.hpp"

namespace tbci::pipeline {

Status keep_peaks(SubjectContext& context, const model::Run& run, std::span<const model::Build> builds) {
  for (const model::Build& build : builds) {
    const storage::PeakPlace place{.build_id = build.id, .runner = run.runner, .environment = run.environment};
    TBCI_ASSIGN(const auto known, context.stores.peaks.of(place));
    if (!known.empty()) continue;
    const auto peaks = context.machine.peaks(build.product, context.stop);
    if (peaks) {
      TBCI_TRY(context.stores.peaks.add(place, *peaks, context.clock.now()));
    } else if (peaks.error().kind == ErrorKind::interrupted) {
      return pass_on(peaks.error());
    } else {
      context.progress.note(
          fmt::format("the peaks of this machine are not known: {}", one_line(peaks.error().message, 200)));
    }
  }
  return {};
}

}  // namespace tbci::pipeline
