#include "pipeline/hidden_files.hpp"

#include <cstdlib>

namespace tbci::pipeline {

std::vector<std::filesystem::path> hidden_files(const settings::Config& config) {
  namespace fs = std::filesystem;
  std::vector<fs::path> hidden;
  const auto hide = [&hidden](const fs::path& path) {
    if (!path.empty()) hidden.push_back(fs::absolute(path));
  };
  for (const char* name : {"tbci.sqlite", "tbci.sqlite-wal", "tbci.sqlite-shm", "tbci.sqlite-journal"})
    hide(config.service.state / name);
  hide(config.report.github.token_file);
  if (config.report.github.app) hide(config.report.github.app->key_file);
  hide(config.report.webhook.secret_file);
  if (const char* credentials = std::getenv("CREDENTIALS_DIRECTORY")) hide(credentials);
  return hidden;
}

}  // namespace tbci::pipeline
