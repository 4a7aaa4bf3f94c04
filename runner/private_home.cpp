#include "runner/private_home.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

// `PID-BEGIN`: a process that has ended, or another one with its number, has another. In a container tbci is number 1
// each time.
std::string process_name(const std::string& pid) {
  const std::string facts = read_file("/proc/" + pid + "/stat").value_or("");
  const std::size_t behind_name = facts.rfind(')');
  if (behind_name == std::string::npos) return {};
  constexpr std::size_t begin = 20;  // proc(5): field 22, and two stand before
  const auto fields = split(facts.substr(behind_name + 1), ' ');
  return fields.size() > begin ? pid + "-" + fields[begin] : std::string();
}

// `PID-BEGIN-XXXXXX`: whether that process has ended.
bool left_behind(const fs::path& home) {
  const std::string name = home.filename().string(), pid = name.substr(0, name.find('-'));
  if (pid.empty() || pid == name || pid.find_first_not_of("0123456789") != std::string::npos) return false;
  const std::string alive = process_name(pid);
  return alive.empty() || !name.starts_with(alive + "-");
}

void remove_left_behind(const fs::path& homes) {
  std::error_code ignored;
  for (fs::directory_iterator at(homes, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (left_behind(at->path())) static_cast<void>(remove_tree(at->path()));
  }
}

}  // namespace

PrivateHome::PrivateHome(Confinement confinement, fs::path folder)
    : confinement_(std::move(confinement)), folder_(std::move(folder)) {}

Result<PrivateHome> PrivateHome::make(Confinement confinement) {
  if (confinement.folder.empty()) return PrivateHome(std::move(confinement), {});
  const fs::path homes = fs::absolute(confinement.folder) / "homes";
  TBCI_TRY(make_directories(homes));
  remove_left_behind(homes);
  std::string folder = (homes / (process_name(std::to_string(::getpid())) + "-XXXXXX")).string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail(ErrorKind::machine, "cannot make a folder in {}: check its permissions and the disk space",
                homes.string());
  }
  PrivateHome made(std::move(confinement), folder);
  TBCI_TRY(make_directories(made.folder_ / "home"));
  TBCI_TRY(make_directories(made.folder_ / "tmp"));
  return made;
}

PrivateHome::PrivateHome(PrivateHome&& other) noexcept
    : confinement_(std::move(other.confinement_)), folder_(std::exchange(other.folder_, {})) {}

PrivateHome& PrivateHome::operator=(PrivateHome&& other) noexcept {
  std::swap(confinement_, other.confinement_);
  std::swap(folder_, other.folder_);
  return *this;
}

PrivateHome::~PrivateHome() {
  // What cannot be removed now is removed with the next home, or says so there.
  if (!folder_.empty()) static_cast<void>(remove_tree(folder_));
}

void PrivateHome::confine(Command& command, std::vector<fs::path> own) const {
  if (folder_.empty()) return;
  command.environment.try_emplace("HOME", (folder_ / "home").string());
  command.environment.try_emplace("TMPDIR", (folder_ / "tmp").string());
  own.push_back(folder_);
  own.insert(own.end(), confinement_.writable.begin(), confinement_.writable.end());
  command.writable = std::move(own);
  command.hidden = confinement_.hidden;
}

Status PrivateHome::confine_compiler(Command& command, std::vector<fs::path> own) const {
  if (folder_.empty()) return {};
  const char* configured = std::getenv("CCACHE_DIR");
  fs::path cache = configured != nullptr && *configured == '/' ? configured : fs::path();
  if (const auto given = command.environment.find("CCACHE_DIR"); given != command.environment.end())
    cache = given->second;
  if (cache.empty()) cache = fs::absolute(confinement_.folder) / "ccache";
  TBCI_TRY(make_directories(cache));
  command.environment["CCACHE_DIR"] = cache.string();
  own.push_back(std::move(cache));
  confine(command, std::move(own));
  return {};
}

}  // namespace tbci::runner
