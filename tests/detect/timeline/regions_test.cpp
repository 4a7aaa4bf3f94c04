#include "detect/timeline/regions.hpp"

#include "tests/catch.hpp"
#include "tests/detect/timeline/made_timeline.hpp"

namespace tbci::regions_test {

using detect::Region;

TEST_CASE("Regions: a call has that of the innermost call around it which has one", "[detect]") {
  made_timeline::MadeTimeline made;
  made.iteration(0, 200);
  made.call("aten.mm.default", 0, 5);
  made.call("tbci:tier", 10, 50);
  made.call("aten.index_select.default", 15, 30);
  made.call("aten.empty.memory_format", 16, 2);
  made.call("c10d.allreduce_.default", 50, 5);
  made.call("aten.add.Tensor", 70, 5);
  const auto look = detect::look_into(made.timeline());
  REQUIRE(look);
  CHECK(detect::regions_of(*look) == std::vector<Region>{Region::none, Region::tier, Region::tier, Region::tier,
                                                         Region::communication, Region::none});
}

TEST_CASE("Regions: names of operators that look like one are none", "[detect]") {
  CHECK(detect::region_named("tbci:tier") == Region::tier);
  CHECK(detect::region_named("gloo.wait") == Region::communication);
  CHECK(detect::region_named("c10d.alltoall_base_.default") == Region::communication);
  CHECK(detect::region_named("c10dx.alltoall_base_.default") == Region::none);
  CHECK(detect::region_named("tbci:tiers") == Region::none);
  CHECK(detect::is_region_mark("tbci:tier"));
  CHECK_FALSE(detect::is_region_mark("c10d.allreduce_.default"));
}

}  // namespace tbci::regions_test
