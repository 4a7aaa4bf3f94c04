#include "daemon/cli/open_page.hpp"

#include <filesystem>

#include "base/text.hpp"
#include "tests/catch.hpp"

namespace tbci::open_page_test {

using daemon::place_of;

namespace {

model::Delivery delivery(const std::string& channel, const std::string& reference,
                         model::DeliveryState state = model::DeliveryState::delivered) {
  model::Delivery made;
  made.channel = channel;
  made.state = state;
  made.reference = reference;
  return made;
}

}  // namespace

TEST_CASE("Open a report: the issue's page goes before the file, whose path is absolute", "[cli]") {
  const auto file = delivery("folder", "state/issues/x.md");
  const auto issue = delivery("github", "https://github.com/o/n/issues/1");
  CHECK(place_of(3, {file, issue}) == "https://github.com/o/n/issues/1");
  CHECK(place_of(3, {file}) == (std::filesystem::current_path() / "state/issues/x.md").string());
  // A server cannot make it an option or a file of its choice.
  CHECK(place_of(3, {delivery("github", "--version"), file}) == place_of(3, {file}).value());
  CHECK(place_of(3, {delivery("github", "file:///etc/passwd"), file}) == place_of(3, {file}).value());
  // The first revision is there while the second one waits.
  CHECK(place_of(3, {delivery("github", "https://h/1", model::DeliveryState::pending)}) == "https://h/1");
}

TEST_CASE("Open a report: the error of one that is nowhere says where it went", "[cli]") {
  const auto nowhere =
      place_of(3, {delivery("github", "", model::DeliveryState::pending), delivery("webhook", "https://h")});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().kind == ErrorKind::usage);
  CHECK(contains(nowhere.error().message, "github pending, webhook delivered"));
  CHECK(contains(place_of(3, {}).error().message, "no channel"));
}

}  // namespace tbci::open_page_test
