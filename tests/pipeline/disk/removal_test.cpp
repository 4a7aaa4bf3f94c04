#include "pipeline/disk/removal.hpp"

#include <fstream>

#include "pipeline/disk/cleaning.hpp"
#include "pipeline/disk/inventory.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::removal_test {

using namespace tbci::test;

using namespace tbci::pipeline;
namespace fs = std::filesystem;

namespace {

/// Environments of nightlies of the package torch, all used long ago.
struct Environments {
  Environments() { subject().nightly.kind = runner::NightlyKind::pip; }
  settings::SubjectConfig& subject() { return bench.config().subjects.front(); }
  fs::path add(const std::string& nightly) {
    const fs::path folder = state / "subjects/fake/venvs" / ("torch-" + nightly);
    fs::create_directories(folder / "lib/torch");
    std::ofstream(folder / "lib/torch/libtorch.so") << std::string(100'000, 'x');
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(24 * 30));
    storage::BuildStore& builds = bench.stores().builds;
    const auto id = builds.begin("fake", model::BuildKind::nightly, nightly, now()).value().id;
    model::Product product;
    product.libtorch = folder / "lib/torch";
    product.commit = nightly;
    REQUIRE(builds.ready(id, product, now()));
    return folder;
  }
  TimePoint now() const { return SystemClock().now(); }
  Result<std::vector<StoredThing>> things(const std::string& nightly) {
    return things_of_nightly(bench.stores(), bench.config(), subject(), nightly, now());
  }
  std::string refusal(const std::string& nightly) {
    const auto refused = things(nightly);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::usage);
    return refused.error().message;
  }
  void pin(const std::string& nightly) {
    REQUIRE(bench.stores().pins.put({"fake", nightly, "ada", "the release", now()}));
  }
  void night(const std::string& name, const std::string& baseline, bool finished) {
    auto& nights = bench.stores().nights;
    const auto begun = nights.begin({"fake", name, baseline}, now()).value();
    if (finished) REQUIRE(nights.finish(begun.id, model::Stage::done, "", now()));
  }
  void anchor(const std::string& nightly) {
    const auto build = bench.stores().builds.find("fake", model::BuildKind::nightly, nightly).value();
    REQUIRE(bench.stores().anchors.set({0, "fake", build->id, "ada", "r", now()}));
  }

  TemporaryDirectory state;
  FakeMachine machine{2};
  Bench bench{state.path(), machine};
};

}  // namespace

TEST_CASE("Removal: the environment of a nightly goes, and no other", "[disk]") {
  Environments all;
  const fs::path one = all.add("2.14.0.dev20261118"), other = all.add("2.14.0.dev20261119");
  const auto things = all.things("2.14.0.dev20261118").value();
  REQUIRE(things.size() == 1);
  CHECK(things[0].path == one);
  REQUIRE(remove_thing(things[0]));
  CHECK_FALSE(fs::exists(one));
  CHECK(fs::exists(other));
  CHECK(all.things("2.14.0.dev20261118").value().empty());
}

TEST_CASE("Removal: what was downloaded of its wheel goes with it, also of one that was never installed", "[disk]") {
  Environments all;
  const fs::path wheels = all.state / "subjects/fake/pip-cache/wheels";
  for (const char* file : {"aa/torch-2.14.0.dev20261118-cp311-cp311-linux_x86_64.whl.partial",
                           "bb/torch-2.14.0.dev202611180-cp311-cp311-linux_x86_64.whl", "cc/triton-3.0-cp311.whl"}) {
    fs::create_directories((wheels / file).parent_path());
    std::ofstream(wheels / file) << "x";
  }
  const auto things = all.things("2.14.0.dev20261118").value();
  REQUIRE(things.size() == 1);
  CHECK(things[0].path == wheels / "aa");
}

TEST_CASE("Removal: a build that is a folder of its own goes too", "[disk]") {
  Environments all;
  all.subject().nightly.kind = runner::NightlyKind::git_days;
  const fs::path build = all.state / "subjects/fake/products/0123";
  fs::create_directories(build / "package");
  fs::last_write_time(build, fs::file_time_type::clock::now() - std::chrono::hours(24 * 30));
  storage::BuildStore& builds = all.bench.stores().builds;
  const auto id = builds.begin("fake", model::BuildKind::nightly, "2026-01-06", all.now()).value().id;
  model::Product product;
  product.folder = build / "package";
  product.commit = "0123";
  REQUIRE(builds.ready(id, product, all.now()));
  const auto things = all.things("2026-01-06").value();
  REQUIRE(things.size() == 1);
  CHECK(things[0].path == build);
}

TEST_CASE("Removal: an unknown nightly is refused", "[disk]") {
  Environments all;
  CHECK(all.refusal("2.14.0.dev20261118").find("tbci nightly list") != std::string::npos);
}

TEST_CASE("Removal: what the anchor, an open regression, an unfinished night or a pin needs is refused", "[disk]") {
  Environments all;
  for (const char* nightly : {"1", "2", "3", "4", "5"}) all.add(nightly);
  all.anchor("1");
  all.night("3", "2", true);
  const auto bad = all.bench.stores().nights.find("fake", "3").value();
  const model::Finding finding{.series = {"a", model::Configuration::cpu_infer, model::Metric::time}, .reason = {}};
  REQUIRE(all.bench.stores().nights.add_regression(bad->id, finding, "2"));
  all.night("5", "4", false);
  CHECK(all.refusal("1") == "1 stays on the disk: the anchor needs it");
  CHECK(all.refusal("2") == "2 stays on the disk: an open regression needs it");
  CHECK(all.refusal("3") == "3 stays on the disk: an open regression needs it");
  CHECK(all.refusal("4") == "4 stays on the disk: a night that is not finished needs it");
  all.pin("4");
  const std::string pinned = all.refusal("4");
  CHECK(pinned.starts_with("4 stays on the disk: pinned by ada on 2"));
  CHECK(pinned.ends_with(": the release (`tbci nightly unpin` takes that back)"));
}

TEST_CASE("Removal: the last good nights are kept for convenience alone, so a person may remove them", "[disk]") {
  Environments all;
  all.add("1");
  all.add("2");
  all.night("2", "1", true);
  CHECK(all.things("2").value().size() == 1);
  all.anchor("2");
  CHECK(all.refusal("2") == "2 stays on the disk: the anchor needs it");
}

TEST_CASE("Cleaning: a pinned nightly stays over its budget, and the reason names who pinned it", "[disk]") {
  Environments all;
  const fs::path pinned = all.add("1"), other = all.add("2");
  all.bench.config().disk.environments_bytes = 1;
  all.pin("1");
  const auto cleaning = plan_cleaning(all.bench.stores(), all.bench.config(), all.now()).value();
  REQUIRE(cleaning.removed.size() == 1);
  CHECK(cleaning.things[cleaning.removed[0]].path == other);
  const auto kept = std::ranges::find(cleaning.things, pinned, &StoredThing::path);
  CHECK(kept->kept.starts_with("pinned by ada on 2"));
  REQUIRE(all.bench.stores().pins.remove("fake", "1"));
  CHECK(plan_cleaning(all.bench.stores(), all.bench.config(), all.now()).value().removed.size() == 2);
}

}  // namespace tbci::removal_test
