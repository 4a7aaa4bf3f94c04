#include "miniature/plan.hpp"

#include <algorithm>
#include <set>

#include "miniature/layout.hpp"
#include "tests/catch.hpp"

namespace tbci::plan_test {

using namespace tbci::miniature;

namespace {

Plan plan_of(const Options& options) {
  auto plan = make_plan(options);
  INFO((plan ? std::string() : plan.error().message));
  REQUIRE(plan);
  return std::move(*plan);
}

std::vector<PlannedCommit> day_of(const Plan& plan, int day) {
  std::vector<PlannedCommit> commits;
  std::ranges::copy_if(plan.commits, std::back_inserter(commits), [day](const auto& c) { return c.day == day; });
  return commits;
}

std::vector<std::size_t> unbuildable_in(const Plan& plan, int day) {
  std::vector<std::size_t> positions;
  for (const PlannedCommit& commit : day_of(plan, day)) {
    if (!commit.builds) positions.push_back(commit.position);
  }
  return positions;
}

std::string usage_error(const Options& options) {
  const auto plan = make_plan(options);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().kind == ErrorKind::usage);
  return plan.error().message;
}

TEST_CASE("Plan: the days have the lengths that were asked for", "[miniature]") {
  const Plan plan = plan_of({});
  for (const int day : {1, 2}) {
    CHECK(day_of(plan, day).size() >= 5);
    CHECK(day_of(plan, day).size() <= 8);
  }
  CHECK(day_of(plan, 3).size() == 70);
}

TEST_CASE("Plan: every commit changes a file, in order of time, for any seed", "[miniature]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Options options;
    options.seed = seed;
    options.commits = seed % 3 == 0 ? 200 : 70;
    options.faults.emplace();
    for (const std::string& kind : fault_kinds()) options.faults->push_back({kind, std::nullopt, 1});
    CAPTURE(seed);
    const Plan plan = plan_of(options);
    for (std::size_t i = 1; i < plan.commits.size(); ++i) {
      REQUIRE(plan.commits[i].tree != plan.commits[i - 1].tree);
      REQUIRE(plan.commits[i].time > plan.commits[i - 1].time);
    }
    CHECK(plan.culprits.size() == fault_kinds().size());
  }
}

TEST_CASE("Plan: a long day has a dozen commits that touch documents alone", "[miniature]") {
  const Plan plan = plan_of({});
  std::size_t documents = 0;
  for (std::size_t i = 1; i < plan.commits.size(); ++i) {
    if (plan.commits[i].day != 3 || plan.commits[i].kind != "docs") continue;
    ++documents;
    for (const auto& [path, text] : plan.commits[i].tree) {
      if (!path.ends_with(".md")) CHECK(text == plan.commits[i - 1].tree.at(path));
    }
  }
  CHECK(documents >= 12);
}

TEST_CASE("Plan: by default two commits of the last day do not build, and the next repairs each", "[miniature]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Options options;
    options.seed = seed;
    const Plan plan = plan_of(options);
    CHECK(unbuildable_in(plan, 3).size() == 2);
    for (std::size_t i = 0; i + 1 < plan.commits.size(); ++i) {
      if (plan.commits[i].builds) continue;
      CHECK(plan.commits[i].kind == "unbuildable");
      CHECK(plan.commits[i + 1].kind == "fix");
      CHECK(plan.commits[i + 1].message.starts_with("Fix build"));
      CHECK(plan.commits[i + 1].tree == plan.commits[i - 1].tree);
    }
    // A culprit between commits that build is found exactly.
    CHECK(plan.culprits.at(0).indistinguishable == std::vector<std::size_t>{plan.culprits.at(0).commit});
  }
}

TEST_CASE("Plan: positions of faults and of what does not build are honoured", "[miniature]") {
  Options options;
  options.faults = {{"memory-kept", 11, 1}, {"addmm-dtype", 50, 0.4}};
  options.unbuildable = {20, 21, 22, 49, 50};
  const Plan plan = plan_of(options);
  const auto day = day_of(plan, 3);
  CHECK(day[10].fault == "memory-kept");
  CHECK(day[49].fault == "addmm-dtype");
  CHECK(unbuildable_in(plan, 3) == std::vector<std::size_t>{20, 21, 22, 49, 50});
  CHECK(day[22].kind == "fix");
  CHECK(day[50].kind == "fix");

  const std::size_t first = plan.commits.size() - day.size();
  CHECK(plan.culprits.at(0).indistinguishable == std::vector<std::size_t>{first + 10});
  CHECK(plan.culprits.at(1).indistinguishable == std::vector<std::size_t>{first + 48, first + 49, first + 50});
  CHECK(plan.culprits.at(1).strength == 0.4);
}

TEST_CASE("Plan: a commit that touches only documents is not a suspect beside a hidden culprit", "[miniature]") {
  Options options;
  options.seed = 4;
  options.faults = {{"embedding-bag-bounds", 20, 1}};
  options.unbuildable_beside_culprit = true;
  const Plan plan = plan_of(options);
  const std::size_t culprit = plan.culprits.at(0).commit;
  // With this seed the commit in between touches docs/ alone.
  CHECK(plan.culprits.at(0).indistinguishable == std::vector<std::size_t>{culprit, culprit + 2});
}

TEST_CASE("Plan: a hidden culprit cannot be told from the two commits after it", "[miniature]") {
  Options options;
  options.faults = {{"error-handling", 30, 1}};
  options.unbuildable_beside_culprit = true;
  const Plan plan = plan_of(options);
  const auto day = day_of(plan, 3);
  CHECK(day[29].kind == "fault");
  CHECK_FALSE(day[29].builds);
  CHECK_FALSE(day[30].builds);
  CHECK(day[31].kind == "fix");
  const std::size_t culprit = plan.culprits.at(0).commit;
  CHECK(plan.culprits.at(0).indistinguishable == std::vector<std::size_t>{culprit, culprit + 1, culprit + 2});
}

TEST_CASE("Plan: the fault of one device asks which device it is, and that of some batches how many rows there are",
          "[miniature]") {
  Options options;
  options.faults = {{"fused-convolution", 20, 1}, {"library-configuration", 40, 2}};
  options.unbuildable.emplace();
  const Tree tree = plan_of(options).commits.back().tree;
  const auto has = [&](const char* path, const char* text) { return tree.at(path).find(text) != std::string::npos; };
  CHECK(has("kernels/convolution.cpp", "at::get_cpu_capability() == \"DEFAULT\""));
  CHECK(has("kernels/convolution.cpp", "if (!without_vectors() || transposed || groups != 1) return;"));
  CHECK(has("kernels/convolution.cpp", "kPartOfFilters = 0.350000;"));
  CHECK(has("kernels/matrix_products.cpp", "if (left.size(0) <= kWorkspaceRows) return;"));
  CHECK(has("kernels/matrix_products.cpp", "kPartOfProduct = 0.700000;"));
}

TEST_CASE("Plan: a clean day has no fault, but commits that do not build", "[miniature]") {
  Options options;
  options.faults.emplace();
  const Plan plan = plan_of(options);
  CHECK(plan.culprits.empty());
  CHECK(std::ranges::none_of(plan.commits, [](const auto& commit) { return commit.kind == "fault"; }));
  CHECK(unbuildable_in(plan, 3).size() == 2);
}

TEST_CASE("Plan: the fault can be in an earlier day", "[miniature]") {
  Options options;
  options.fault_day = 2;
  const Plan plan = plan_of(options);
  CHECK(plan.commits.at(plan.culprits.at(0).commit).day == 2);
}

TEST_CASE("Plan: each fault is in its day, and a revert takes it back as a whole", "[miniature]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    Options options;
    options.seed = seed;
    options.days = 9;
    options.commits = 6;
    options.unbuildable.emplace();
    options.faults = {
        {"memory-kept", 2, 1, 3}, {"addmm-dtype", std::nullopt, 1, 3}, {"tanh-crash", std::nullopt, 1, 8}};
    options.reverts = {{"memory-kept", 5}, {"addmm-dtype", 5}};
    const Plan plan = plan_of(options);
    REQUIRE(plan.culprits.size() == 3);
    CHECK(plan.commits.at(plan.culprits[0].commit).day == 3);
    CHECK(plan.commits.at(plan.culprits[0].commit).position == 2);
    CHECK(plan.commits.at(plan.culprits[1].commit).day == 3);
    CHECK(plan.commits.at(plan.culprits[2].commit).day == 8);
    CHECK(plan.culprits[2].fault == "tanh-crash");

    Options without = options;
    without.reverts.clear();
    const Plan kept = plan_of(without);
    std::set<std::string> reverted;
    for (const PlannedCommit& commit : plan.commits) {
      CHECK(commit.builds);
      if (commit.kind != "revert") continue;
      CHECK(commit.day == 5);
      CHECK(commit.message.starts_with("Revert \""));
      reverted.insert(commit.fault);
    }
    CHECK(reverted == std::set<std::string>{"addmm-dtype", "memory-kept"});
    // What the two faults put in is gone, and the third is there in both.
    const Tree& last = plan.commits.back().tree;
    CHECK(last.at("kernels/matrix_products.cpp").find("kDoublePart") == std::string::npos);
    CHECK(kept.commits.back().tree.at("kernels/matrix_products.cpp").find("kDoublePart") != std::string::npos);
  }
}

TEST_CASE("Plan: one more fault does not change what else the seed draws", "[miniature]") {
  Options with;
  with.faults = {{"memory-kept", 40, 1}};
  Options weaker = with;
  weaker.faults->at(0).strength = 0.1;
  const Plan a = plan_of(with);
  const Plan b = plan_of(weaker);
  REQUIRE(a.commits.size() == b.commits.size());
  for (std::size_t i = 0; i < a.commits.size(); ++i) CHECK(a.commits[i].message == b.commits[i].message);
}

TEST_CASE("Plan: what does not fit into the day is refused", "[miniature]") {
  Options far;
  far.faults = {{"memory-kept", 71, 1}};
  CHECK(usage_error(far).find("1 to 70") != std::string::npos);
  Options zero;
  zero.faults = {{"memory-kept", 0, 1}};
  usage_error(zero);
  Options same;
  same.faults = {{"memory-kept", 7, 1}, {"addmm-dtype", 7, 1}};
  usage_error(same);
  Options end;
  end.unbuildable = {70};
  CHECK(usage_error(end).find("position 70") != std::string::npos);
  Options repair;
  repair.faults = {{"memory-kept", 8, 1}};
  repair.unbuildable = {7};
  CHECK(usage_error(repair).find("position 8") != std::string::npos);
}

}  // namespace

}  // namespace tbci::plan_test
