#include "runner/nightly/nightly_source.hpp"

#include "runner/nightly/git_nightlies.hpp"
#include "runner/nightly/pip_nightlies.hpp"

namespace tbci::runner {

std::unique_ptr<NightlySource> make_nightly_source(const NightlyParts& parts) {
  if (parts.subject.nightly.kind == NightlyKind::git_days)
    return std::make_unique<GitNightlies>(parts.subject, parts.builder, parts.clock);
  return std::make_unique<PipNightlies>(parts.subject.nightly,
                                        PipPlace{.venvs = parts.state / "venvs",
                                                 .repository = parts.state / "checkouts/mirror.git",
                                                 .cache = parts.state / "pip-cache",
                                                 .confinement = parts.confinement},
                                        parts.processes, parts.progress);
}

}  // namespace tbci::runner
