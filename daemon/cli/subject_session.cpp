#include "daemon/cli/subject_session.hpp"

namespace tbci::daemon {

Result<settings::Config> load_config(const Invocation& invocation, const Selection& selection) {
  TBCI_ASSIGN(settings::Config config, load_config(invocation));
  TBCI_TRY(apply(selection, config));
  return config;
}

Result<std::unique_ptr<SubjectSession>> open_session(const Invocation& invocation, settings::Config config,
                                                     const std::string& subject, std::stop_token stop) {
  TBCI_ASSIGN(OpenedSubject opened, open_subject(std::move(config), *invocation.clock, subject));
  return std::make_unique<SubjectSession>(std::move(opened), make_progress(invocation), std::move(stop));
}

Result<std::unique_ptr<SubjectSession>> open_session(const Invocation& invocation, const Selection& selection,
                                                     std::stop_token stop) {
  TBCI_ASSIGN(settings::Config config, load_config(invocation, selection));
  return open_session(invocation, std::move(config), selection.subject, std::move(stop));
}

}  // namespace tbci::daemon
