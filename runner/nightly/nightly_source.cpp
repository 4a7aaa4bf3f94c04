#include "runner/nightly/nightly_source.hpp"

#include "runner/environment/facts.hpp"
#include "runner/nightly/git_nightlies.hpp"
#include "runner/nightly/pip_nightlies.hpp"

namespace tbci::runner {

namespace {

// A proxy that opens TLS has its own authority, and pip is the one that is configured for it.
std::filesystem::path certificates_of_pip() {
  const auto variables = own_variables();
  const auto named = variables.find("PIP_CERT");
  return named == variables.end() ? std::filesystem::path() : std::filesystem::path(named->second);
}

}  // namespace

std::unique_ptr<NightlySource> make_nightly_source(const NightlyParts& parts) {
  if (parts.subject.nightly.kind == NightlyKind::git_days)
    return std::make_unique<GitNightlies>(parts.subject, parts.builder, parts.clock);
  return std::make_unique<PipNightlies>(parts.subject.nightly,
                                        PipPlace{.venvs = parts.state / "venvs",
                                                 .repository = parts.state / "checkouts/mirror.git",
                                                 .cache = parts.state / "pip-cache",
                                                 .confinement = parts.confinement},
                                        parts.processes, parts.progress,
                                        IndexAccess{parts.http, parts.clock, certificates_of_pip()});
}

}  // namespace tbci::runner
