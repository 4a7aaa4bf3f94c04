#include "daemon/notify.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::notify_test {

namespace {

/// The service manager's end.
class Manager {
 public:
  explicit Manager(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  ~Manager() { ::close(socket_); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;
  std::string heard() const {
    char text[512];
    const auto size = ::recv(socket_, text, sizeof text, MSG_DONTWAIT);
    return size < 0 ? std::string() : std::string(text, static_cast<std::size_t>(size));
  }

 private:
  int socket_;
};

}  // namespace

TEST_CASE("Notifier: the service manager hears each state, and a status stays one assignment", "[notify]") {
  const test::TemporaryDirectory folder;
  const Manager manager((folder / "notify").string());
  const test::EnvironmentVariable socket("NOTIFY_SOCKET", (folder / "notify").string());
  daemon::SystemdNotifier notifier;
  notifier.ready();
  CHECK(manager.heard() == "READY=1");
  notifier.watchdog();
  CHECK(manager.heard() == "WATCHDOG=1");
  notifier.status("measuring\nREADY=1");
  CHECK(manager.heard() == "STATUS=measuring READY=1");
  notifier.stopping();
  CHECK(manager.heard() == "STOPPING=1");
  notifier.extend_start(std::chrono::seconds(90));
  CHECK(manager.heard() == "EXTEND_TIMEOUT_USEC=90000000");
}

TEST_CASE("Notifier: says to call at half the watchdog's limit, and nothing where there is none", "[notify]") {
  const daemon::SystemdNotifier notifier;
  CHECK_FALSE(notifier.watchdog_interval());
  const test::EnvironmentVariable limit("WATCHDOG_USEC", "30000000");
  CHECK(notifier.watchdog_interval() == std::chrono::seconds(15));
  const test::EnvironmentVariable other("WATCHDOG_PID", "1");
  CHECK_FALSE(notifier.watchdog_interval());
}

TEST_CASE("Notifier: without a service manager it does nothing", "[notify]") {
  daemon::SystemdNotifier notifier;
  notifier.ready();
  notifier.status("alone");
  notifier.stopping();
  CHECK_FALSE(notifier.watchdog_interval());
}

}  // namespace tbci::notify_test
