#include "runner/nightly/nightly_source.hpp"

#include "runner/nightly/git_nightlies.hpp"
#include "runner/nightly/pip_nightlies.hpp"

namespace tbci::runner {

std::unique_ptr<NightlySource> make_nightly_source(const Subject& subject, const std::filesystem::path& state,
                                                   SourceBuilder& builder, ProcessRunner& processes, const Clock& clock,
                                                   LineSink progress) {
  if (subject.nightly.kind == NightlyKind::git_days) return std::make_unique<GitNightlies>(subject, builder, clock);
  return std::make_unique<PipNightlies>(subject.nightly, state / "venvs", state / "checkouts/mirror.git", processes,
                                        std::move(progress));
}

}  // namespace tbci::runner
