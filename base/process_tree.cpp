#include "base/process_tree.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/process_guard.hpp"

namespace tbci {

namespace {

namespace fs = std::filesystem;

// Takes the ends of orphans that have ended. How many still run.
int reap_orphans() {
  int running = 0;
  std::error_code ignored;
  for (fs::directory_iterator at("/proc", ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) continue;
    if (parent_of(at->path()) != ::getpid() || ::getsid(pid) == ::getsid(0)) continue;
    if (::waitpid(pid, nullptr, WNOHANG | __WALL) == 0) ++running;
  }
  return running;
}

// Children in our own session that were killed and have not ended: guards.
class LeftBehind {
 public:
  void add(pid_t child) {
    const std::lock_guard lock(mutex_);
    children_.push_back(child);
  }
  void reap() {
    const std::lock_guard lock(mutex_);
    std::erase_if(children_, [](pid_t child) { return ::waitpid(child, nullptr, WNOHANG) != 0; });
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> children_;
};

LeftBehind& left_behind() {
  static LeftBehind all;
  return all;
}

}  // namespace

pid_t parent_of(const fs::path& folder) {
  const auto text = read_file(folder / "stat");
  if (!text) return 0;
  // `1234 (any (name) here) S 1200 ...`: the number behind the state.
  const std::size_t name_end = text->rfind(')');
  pid_t parent = 0;
  if (name_end != std::string::npos && name_end + 4 < text->size())
    std::from_chars(text->data() + name_end + 4, text->data() + text->size(), parent);
  return parent;
}

void bury(pid_t child, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  pid_t waited;
  while ((waited = ::waitpid(child, nullptr, WNOHANG)) == 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (waited == 0) left_behind().add(child);
}

void take_in_orphans(Orphans running) {
  left_behind().reap();
  // Bounded, because a process may wait in the kernel for a device that does not answer.
  constexpr int most_rounds = 200;
  for (int round = 0; reap_orphans() > 0 && running == Orphans::kill && round < most_rounds; ++round) {
    const Descriptor proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (proc.open()) process::kill_children(proc.get(), true);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace tbci
