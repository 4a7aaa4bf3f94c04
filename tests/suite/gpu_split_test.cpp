#include "suite/gpu/split.hpp"

#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

namespace {

GpuActivity work(std::int64_t begin, std::int64_t end) {
  return {GpuActivity::Kind::work, {begin, end}};
}

GpuActivity movement(std::int64_t begin, std::int64_t end) {
  return {GpuActivity::Kind::movement, {begin, end}};
}

void check(const std::vector<GpuActivity>& activities, GpuSpan window, GpuSplit expected) {
  const GpuSplit split = split_of(activities, window);
  CHECK(split.active == expected.active);
  CHECK(split.movement == expected.movement);
  CHECK(split.idle == expected.idle);
  CHECK(split.active + split.movement + split.idle == window.end - window.begin);
}

}  // namespace

TEST_CASE("GPU split: a GPU that did nothing was idle", "[suite]") {
  check({}, {100, 150}, {0, 0, 50});
  check({}, {100, 100}, {0, 0, 0});
}

TEST_CASE("GPU split: separate pieces of work are added up in any order", "[suite]") {
  check({work(10, 30), movement(40, 45), work(60, 61)}, {0, 100}, {21, 5, 74});
  check({work(60, 61), work(10, 30), movement(40, 45)}, {0, 100}, {21, 5, 74});
}

TEST_CASE("GPU split: kernels of several streams count once where they overlap", "[suite]") {
  check({work(0, 50), work(20, 70), work(30, 40)}, {0, 100}, {70, 0, 30});
  check({work(0, 50), work(50, 100)}, {0, 100}, {100, 0, 0});
  check({work(10, 20), work(10, 20), work(10, 20)}, {0, 100}, {10, 0, 90});
}

TEST_CASE("GPU split: a copy under a kernel is hidden by it, the rest of the copy is movement", "[suite]") {
  check({work(10, 60), movement(20, 40)}, {0, 100}, {50, 0, 50});
  check({work(10, 60), movement(50, 80)}, {0, 100}, {50, 20, 30});
  check({movement(0, 100), work(40, 60)}, {0, 100}, {20, 80, 0});
  check({movement(0, 30), movement(20, 50)}, {0, 100}, {0, 50, 50});
}

TEST_CASE("GPU split: only work inside the window counts", "[suite]") {
  check({work(0, 120), movement(300, 400)}, {100, 200}, {20, 0, 80});
  check({work(0, 1000)}, {100, 200}, {100, 0, 0});
  check({work(0, 100), work(200, 300)}, {100, 200}, {0, 0, 100});
  check({work(190, 250), movement(90, 110)}, {100, 200}, {10, 10, 80});
}

TEST_CASE("GPU split: a record without a length, or that ends before it begins, adds nothing", "[suite]") {
  check({work(50, 50), work(80, 20), movement(0, 0)}, {0, 100}, {0, 0, 100});
}
