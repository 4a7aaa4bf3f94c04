#include "pipeline/hidden_files.hpp"

#include <algorithm>

#include "daemon/state_dir.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"

namespace tbci::hidden_files_test {

TEST_CASE("Hidden files: the database, the secrets and the credentials are what no build or worker may read",
          "[confinement]") {
  const test::EnvironmentVariable credentials("CREDENTIALS_DIRECTORY", "/run/credentials/tbci.service");
  settings::Config config;
  config.service.state = "/var/lib/tbci";
  config.report.github.token_file = "/etc/tbci/token";
  config.report.github.app.emplace().key_file = "/etc/tbci/key";
  config.report.webhook.secret_file = "/etc/tbci/webhook";
  const auto hidden = pipeline::hidden_files(config);
  const auto hides = [&hidden](const std::filesystem::path& path) {
    return std::find(hidden.begin(), hidden.end(), path) != hidden.end();
  };
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    CHECK(hides(daemon::database_path(config).string() + ending));
  for (const char* path : {"/etc/tbci/token", "/etc/tbci/key", "/etc/tbci/webhook", "/run/credentials/tbci.service"})
    CHECK(hides(path));
}

}  // namespace tbci::hidden_files_test
