// The composition root's common part: what every command that works on the state folder needs, opened and wired.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "pipeline/subject_context.hpp"
#include "settings/config.hpp"
#include "storage/database.hpp"

namespace tbci::daemon {

/// `<state>/tbci.sqlite`
std::filesystem::path database_path(const settings::Config& config);

/// The state folder, held by this process alone while it lives.
class Site {
 public:
  /// Errors: another process works on the folder (transient); the configured file of batch sizes is wrong (usage).
  static Result<std::unique_ptr<Site>> open(settings::Config config);
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  const settings::Config& config() const { return config_; }
  storage::Stores& stores() { return stores_; }
  ProcessRunner& processes() { return processes_; }
  const Clock& clock() const { return clock_; }

 private:
  Site(settings::Config config, storage::Database database);
  settings::Config config_;
  SystemClock clock_;
  SystemProcessRunner processes_;
  storage::Database database_;
  storage::Stores stores_;
};

struct OpenedSubject {
  std::unique_ptr<Site> site;
  const settings::SubjectConfig* subject;  ///< of the site's configuration
};
/// Opens the site for a subject; for one that is not configured nothing is opened or made. See Config::subject.
Result<OpenedSubject> open_subject(settings::Config config, const std::string& name);

/// A subject's context at a site, with a local machine. `site` and `progress` must outlive it.
class OpenContext {
 public:
  OpenContext(Site& site, const settings::SubjectConfig& subject, Progress& progress, std::stop_token stop);
  pipeline::SubjectContext& context() { return context_; }

 private:
  std::unique_ptr<pipeline::Machine> machine_;
  pipeline::SubjectContext context_;
};

}  // namespace tbci::daemon
