// The composition root's common part: what every command that works on the state folder needs, opened and wired.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "daemon/config/config.hpp"
#include "daemon/pipeline/desk.hpp"
#include "storage/database.hpp"

namespace tbci::daemon {

/// `<state>/tbci.sqlite`
std::filesystem::path database_path(const Config& config);

/// The state folder, held by this process alone while it lives.
class Site {
 public:
  /// Errors: another process works on the folder (transient); the configured file of batch sizes is wrong (usage).
  static Result<std::unique_ptr<Site>> open(Config config);
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  const Config& config() const { return config_; }
  Stores& stores() { return stores_; }
  ProcessRunner& processes() { return processes_; }
  const Clock& clock() const { return clock_; }

 private:
  Site(Config config, storage::Database database);
  Config config_;
  SystemClock clock_;
  SystemProcessRunner processes_;
  storage::Database database_;
  Stores stores_;
};

struct OpenedSubject {
  std::unique_ptr<Site> site;
  const SubjectConfig* subject;  ///< of the site's configuration
};
/// Opens the site for a subject; for one that is not configured nothing is opened or made. See Config::subject.
Result<OpenedSubject> open_subject(Config config, const std::string& name);

/// A subject's desk at a site, with a local workshop. `site` and `progress` must outlive it.
class SubjectDesk {
 public:
  SubjectDesk(Site& site, const SubjectConfig& subject, Progress& progress, std::stop_token stop);
  Desk& desk() { return desk_; }

 private:
  std::unique_ptr<Workshop> workshop_;
  Desk desk_;
};

}  // namespace tbci::daemon
