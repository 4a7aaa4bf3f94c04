#include "runner/nightly/pip_environment.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::array of_connections = {"PIP_CERT",    "PIP_CLIENT_CERT", "PIP_PROXY",     "PIP_TRUSTED_HOST",
                                       "PIP_TIMEOUT", "PIP_RETRIES",     "PIP_CACHE_DIR", "PIP_DEFAULT_TIMEOUT"};

std::string value_of(const std::map<std::string, std::string>& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

// The person's own file. pip would look for it in the home, which is a private one here.
std::string file_of_person(const std::map<std::string, std::string>& ours) {
  const fs::path home = value_of(ours, "HOME");
  const fs::path config = value_of(ours, "XDG_CONFIG_HOME");
  if (home.empty()) return {};
  for (const fs::path& file : {(config.empty() ? home / ".config" : config) / "pip/pip.conf", home / ".pip/pip.conf"}) {
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) return file.string();
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> pip_environment(const std::string& index_url,
                                                   const std::map<std::string, std::string>& ours) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : ours) {
    const bool connects = std::find(of_connections.begin(), of_connections.end(), name) != of_connections.end();
    if (connects || (index_url.empty() && name.starts_with("PIP_"))) variables[name] = value;
  }
  if (!index_url.empty()) {
    variables["PIP_INDEX_URL"] = index_url;
    variables["PIP_CONFIG_FILE"] = "/dev/null";  // which keeps pip from reading any other
  } else if (const std::string file = file_of_person(ours); !file.empty()) {
    variables.try_emplace("PIP_CONFIG_FILE", file);
  }
  return variables;
}

}  // namespace tbci::runner
