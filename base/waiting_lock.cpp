#include "base/waiting_lock.hpp"

namespace tbci {

Result<FileLock> wait_for_lock(const std::filesystem::path& path, std::string_view what, const Clock& clock,
                               const std::stop_token& stop) {
  constexpr std::chrono::milliseconds pause(100);
  while (true) {
    auto lock = FileLock::acquire(path);
    if (lock || lock.error().kind != ErrorKind::transient) return lock;
    if (!clock.sleep_for(pause, stop)) return fail(ErrorKind::interrupted, "waiting for {}: stopped", what);
  }
}

}  // namespace tbci
