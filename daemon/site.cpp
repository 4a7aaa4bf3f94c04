#include "daemon/site.hpp"

#include <utility>

#include "base/log.hpp"
#include "daemon/config/batch_sizes.hpp"

namespace tbci::daemon {

std::filesystem::path database_path(const Config& config) {
  return config.service.state / "tbci.sqlite";
}

Result<std::unique_ptr<Site>> Site::open(Config config) {
  TBCI_TRY(apply_batch_sizes(config));
  TBCI_ASSIGN(storage::Database database, storage::Database::open(database_path(config)));
  return std::unique_ptr<Site>(new Site(std::move(config), std::move(database)));
}

Site::Site(Config config, storage::Database database)
    : config_(std::move(config)), database_(std::move(database)), stores_(database_) {}

Result<OpenedSubject> open_subject(Config config, const std::string& name) {
  TBCI_TRY(config.subject(name));
  TBCI_ASSIGN(auto site, Site::open(std::move(config)));
  TBCI_ASSIGN(const SubjectConfig* subject, site->config().subject(name));
  return OpenedSubject{std::move(site), subject};
}

SubjectDesk::SubjectDesk(Site& site, const SubjectConfig& subject, Progress& progress, std::stop_token stop)
    : workshop_(make_local_workshop({.config = site.config(),
                                     .subject = subject,
                                     .processes = site.processes(),
                                     .clock = site.clock(),
                                     .tell = [](std::string_view line) { log::debug("{}", line); }})),
      desk_{site.config(), subject, site.stores(), *workshop_, site.clock(), progress, std::move(stop)} {}

}  // namespace tbci::daemon
