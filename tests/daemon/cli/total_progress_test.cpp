#include "daemon/cli/total_progress.hpp"
#include "tests/catch.hpp"

namespace tbci::total_progress_test {

using namespace std::chrono_literals;
using namespace tbci::test;
using daemon::TotalProgress;

namespace {

TotalProgress of_two_stages() {
  return TotalProgress({{"measure", 0.6}, {"report", 0.4}});
}

constexpr TotalProgress::Time start{};

}  // namespace

TEST_CASE("Total progress: a stage's steps count by the stage's share of the whole", "[cli]") {
  TotalProgress total = of_two_stages();
  total.begin_stage("measure");
  total.steps(5, 10, start);
  CHECK(total.fraction() == Approx(0.3));
  total.begin_stage("report");
  CHECK(total.fraction() == Approx(0.6));
  total.steps(1, 2, start);
  CHECK(total.fraction() == Approx(0.8));
}

TEST_CASE("Total progress: a stage that is unknown or begins again never takes progress back", "[cli]") {
  TotalProgress total = of_two_stages();
  total.begin_stage("measure");
  total.steps(9, 10, start);
  total.begin_stage("measure");
  total.steps(1, 10, start);
  CHECK(total.fraction() == Approx(0.54));
  total.begin_stage("report");
  total.begin_stage("creep");
  total.begin_stage("measure");
  CHECK(total.fraction() == Approx(0.6));
}

TEST_CASE("Total progress: the time left follows from the steps of this call alone", "[cli]") {
  TotalProgress total = of_two_stages();
  total.begin_stage("measure");
  total.steps(5, 10, start);  // what an earlier call measured
  CHECK_FALSE(total.left(start + 10s));
  total.steps(10, 10, start + 30s);
  REQUIRE(total.left(start + 30s));
  CHECK(std::chrono::duration<double>(*total.left(start + 30s)).count() == Approx(40));
  CHECK(total.text(start + 30s) == "[############--------] 60%, about 40 s left");
}

TEST_CASE("Total progress: the stages of a night fill the whole", "[cli]") {
  double sum = 0;
  for (const auto& stage : daemon::stages_of_a_night()) sum += stage.share;
  CHECK(sum == Approx(1));
}

}  // namespace tbci::total_progress_test
