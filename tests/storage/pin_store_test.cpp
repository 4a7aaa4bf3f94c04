#include "storage/pin_store.hpp"

#include "tests/storage/stores.hpp"

namespace tbci::pin_store_test {

using namespace tbci::test;
using storage::PinStore;

TEST_CASE("PinStore: a pin survives a reopening with who set it, when and why", "[storage]") {
  Fixture fixture;
  must(PinStore(fixture.database()).put({"demo", "2026-01-07", "ada", "the release", at(5)}));
  must(PinStore(fixture.database()).put({"demo", "2026-01-05", "bob", "", at(7)}));
  must(PinStore(fixture.database()).put({"other", "2026-01-05", "bob", "", at(1)}));
  fixture.reopen();
  PinStore pins(fixture.database());
  const auto stored = must(pins.list("demo"));
  REQUIRE(stored.size() == 2);
  CHECK(stored[0].nightly == "2026-01-07");
  CHECK(stored[0].subject == "demo");
  CHECK(stored[0].person == "ada");
  CHECK(stored[0].reason == "the release");
  CHECK(stored[0].set == at(5));
  must(pins.put({"demo", "2026-01-07", "eve", "again", at(9)}));
  CHECK(must(pins.find("demo", "2026-01-07"))->person == "eve");
}

TEST_CASE("PinStore: a pin that is removed is gone, and removing it again says that there was none", "[storage]") {
  Fixture fixture;
  PinStore pins(fixture.database());
  must(pins.put({"demo", "2026-01-07", "ada", "", at(5)}));
  CHECK(must(pins.remove("demo", "2026-01-07")));
  CHECK_FALSE(must(pins.remove("demo", "2026-01-07")));
  CHECK_FALSE(must(pins.find("demo", "2026-01-07")));
}

}  // namespace tbci::pin_store_test
