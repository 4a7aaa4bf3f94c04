// The common part of all programs that work on the state folder: opens the stores and connects them with the machine.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "pipeline/subject_context.hpp"
#include "settings/config.hpp"
#include "storage/database.hpp"
#include "web/queries/queries.hpp"

namespace tbci::daemon {

/// `<state>/tbci.sqlite`
std::filesystem::path database_path(const settings::Config& config);
/// Whether the configuration asks for a search for creep.
web::queries::Creep creep_of(const settings::Config& config);

/// The state folder. While this object lives, no other process can open it for writing.
class StateDir {
 public:
  /// The clock must outlive it. Errors: another process works on the folder (transient); the configured file of batch
  /// sizes is wrong (usage).
  static Result<std::unique_ptr<StateDir>> open(settings::Config config, const Clock& clock,
                                                const storage::OpenOptions& options = {});
  StateDir(const StateDir&) = delete;
  StateDir& operator=(const StateDir&) = delete;

  const settings::Config& config() const { return config_; }
  storage::Stores& stores() { return stores_; }
  ProcessRunner& processes() { return processes_; }
  const Clock& clock() const { return clock_; }

 private:
  StateDir(settings::Config config, const Clock& clock, storage::Database database);
  settings::Config config_;
  const Clock& clock_;
  SystemProcessRunner processes_;
  storage::Database database_;
  storage::Stores stores_;
};

struct OpenedSubject {
  std::unique_ptr<StateDir> state;
  const settings::SubjectConfig* subject;  ///< of the configuration in `state`
};
/// Opens the state folder for a subject. Error (usage) where the configuration has no such subject: nothing is opened
/// or made then. See Config::subject.
Result<OpenedSubject> open_subject(settings::Config config, const Clock& clock, const std::string& name);

/// What a service adds to a subject's context.
struct ContextExtras {
  ProcessRunner* processes = nullptr;     ///< runs the children, instead of the state folder's own runner
  HttpClient* http = nullptr;             ///< as of pipeline::MachineParts
  const Clock* clock = nullptr;           ///< that the machine waits by, instead of the state folder's own
  std::function<bool()> must_pause = {};  ///< see SubjectContext::must_pause
};

/// A subject's context on this machine. `state` and `progress` must outlive it.
class OpenContext {
 public:
  OpenContext(StateDir& state, const settings::SubjectConfig& subject, Progress& progress, std::stop_token stop,
              ContextExtras extras = {});
  pipeline::SubjectContext& context() { return context_; }

 private:
  std::unique_ptr<pipeline::Machine> machine_;
  pipeline::SubjectContext context_;
};

}  // namespace tbci::daemon
