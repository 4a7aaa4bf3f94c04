#include "pipeline/bisect/range_ends.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::range_ends_test {

using namespace tbci::test;

namespace {

struct Range : FakeRange {
  Range() : FakeRange(6) {
    machine.slower["alpha"] = {{3, 1.25}};
    machine.slower["beta"] = {{4, 0.7}};
  }

  Result<std::vector<model::Finding>> regressions(std::size_t from, std::size_t to) {
    return pipeline::regressions_between(bench.context(),
                                         {.key = "by hand", .from = commit(from), .to = commit(to), .metrics = {}});
  }
};

}  // namespace

TEST_CASE("regressions_between: what is worse at the bad end alone", "[bisect]") {
  Range range;
  const auto worse = range.regressions(0, 5);
  REQUIRE(worse);
  REQUIRE(worse->size() == 1);
  CHECK(to_string(worse->front().series) == "alpha/cpu-infer/time");
  CHECK(worse->front().change == Approx(0.25).margin(0.02));
  const auto nothing = Range().regressions(3, 5);
  REQUIRE(nothing);
  CHECK(nothing->empty());
}

TEST_CASE("regressions_between: an end that does not build is an error that says what to do", "[bisect]") {
  Range range;
  range.machine.unbuildable.insert(5);
  const auto worse = range.regressions(0, 5);
  REQUIRE_FALSE(worse);
  CHECK(worse.error().kind == ErrorKind::failed);
  CHECK(worse.error().message.find("choose a neighbouring commit") != std::string::npos);
}

}  // namespace tbci::range_ends_test
