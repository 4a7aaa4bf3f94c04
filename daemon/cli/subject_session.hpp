// What a command that works on one subject needs, opened in one call.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/result.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/state_dir.hpp"

namespace tbci::daemon {

/// The state folder, held by this process, with one subject's context and the command's progress.
class SubjectSession {
 public:
  SubjectSession(OpenedSubject opened, std::unique_ptr<Progress> progress, std::stop_token stop)
      : opened_(std::move(opened)),
        progress_(std::move(progress)),
        at_(*opened_.state, *opened_.subject, *progress_, std::move(stop)) {}
  SubjectSession(const SubjectSession&) = delete;
  SubjectSession& operator=(const SubjectSession&) = delete;

  StateDir& state() { return *opened_.state; }
  pipeline::SubjectContext& context() { return at_.context(); }

 private:
  OpenedSubject opened_;
  std::unique_ptr<Progress> progress_;
  OpenContext at_;
};

/// Loads the configuration that the command names, applies the selection to it, and opens the selected subject. Errors
/// as those of load_config, apply and open_subject.
Result<std::unique_ptr<SubjectSession>> open_session(const Invocation& invocation, const Selection& selection,
                                                     std::stop_token stop);
/// The same for a configuration that the command has changed further.
Result<std::unique_ptr<SubjectSession>> open_session(const Invocation& invocation, settings::Config config,
                                                     const std::string& subject, std::stop_token stop);
/// The configuration that the command names, with the selection applied.
Result<settings::Config> load_config(const Invocation& invocation, const Selection& selection);

}  // namespace tbci::daemon
