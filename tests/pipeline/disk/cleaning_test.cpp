#include "pipeline/disk/cleaning.hpp"

#include <algorithm>
#include <fstream>

#include "pipeline/disk/inventory.hpp"
#include "pipeline/measure/building.hpp"
#include "tests/as_ordinary_user.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::cleaning_test {

using namespace tbci::test;

using namespace tbci::pipeline;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct Disk {
  TemporaryDirectory state;
  FakeMachine machine{2};
  Bench bench{state.path(), machine};

  /// An environment of a nightly of a million bytes, used N days ago, with its build in the store.
  fs::path environment(const std::string& nightly, int days_ago, bool stored = true) {
    const fs::path folder = state / "subjects/fake/venvs" / ("torch-" + nightly);
    fs::create_directories(folder / "lib/torch");
    std::ofstream(folder / "lib/torch/libtorch.so") << std::string(1'000'000, 'x');
    used(folder, days_ago);
    if (stored) {
      storage::BuildStore& builds = bench.stores().builds;
      const auto id = builds.begin("fake", model::BuildKind::nightly, nightly, now()).value().id;
      model::Product product;
      product.libtorch = folder / "lib/torch";
      product.commit = nightly;
      REQUIRE(builds.ready(id, product, now()));
    }
    return folder;
  }
  void used(const fs::path& folder, int days_ago) const {
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(24 * days_ago));
  }
  TimePoint now() const { return SystemClock().now(); }
  std::vector<StoredThing> things() { return list_things(bench.stores(), bench.config(), now()).value(); }
  std::string kept(const fs::path& folder) {
    for (const StoredThing& thing : things()) {
      if (thing.path == folder) return thing.kept;
    }
    FAIL("not listed: " << folder);
    return {};
  }
  model::Night night(const std::string& name, const std::string& baseline, model::Stage end) {
    auto& nights = bench.stores().nights;
    const auto begun = nights.begin({"fake", name, baseline}, now()).value();
    if (end == model::Stage::done || end == model::Stage::failed) REQUIRE(nights.finish(begun.id, end, "", now()));
    return begun;
  }
};

}  // namespace

TEST_CASE("Inventory: environments, builds, workers, logs, mirrors and checkouts are listed with their sizes",
          "[disk]") {
  Disk disk;
  const fs::path environment = disk.environment("2026-01-05", 3);
  const fs::path state = disk.state.path();
  for (const char* folder :
       {"subjects/fake/products/aa", "subjects/fake/checkouts/mirror.git", "subjects/fake/requirements/cc",
        "subjects/fake/checkouts/submodules", "subjects/fake/checkouts/slot-0", "subjects/fake/logs", "workers/bb"})
    fs::create_directories(state / folder);
  std::ofstream(state / "subjects/fake/logs/commit.log") << "text";
  std::ofstream(state / "workers/bb.log") << "text";
  const auto things = disk.things();
  const auto count = [&](ThingKind kind) {
    return std::count_if(things.begin(), things.end(), [&](const StoredThing& thing) { return thing.kind == kind; });
  };
  CHECK(count(ThingKind::environment) == 2);
  CHECK(count(ThingKind::product) == 1);
  CHECK(count(ThingKind::worker) == 1);
  CHECK(count(ThingKind::log) == 2);
  CHECK(count(ThingKind::mirror) == 2);
  CHECK(count(ThingKind::checkout) == 1);
  const auto found = std::find_if(things.begin(), things.end(), [&](const auto& t) { return t.path == environment; });
  REQUIRE(found != things.end());
  CHECK(found->bytes >= 1'000'000);
  CHECK(found->bytes < 1'100'000);
}

TEST_CASE("Cleaning: a folder whose maker took away its own permissions is removed", "[disk]") {
  CHECK(holds_for_ordinary_user([] {
    const TemporaryDirectory folder;
    fs::create_directories(folder / "venv/closed");
    std::ofstream(folder / "venv/closed/file") << "x";
    fs::permissions(folder / "venv/closed", fs::perms::owner_read | fs::perms::owner_exec);
    StoredThing thing;
    thing.path = folder / "venv";
    return remove_thing(thing) && fs::is_empty(folder.path());
  }));
}

TEST_CASE("Cleaning: with an environment goes the file of its lock, unless somebody holds it", "[disk]") {
  const TemporaryDirectory folder;
  StoredThing thing;
  thing.path = folder / "torch-1.0";
  fs::create_directories(thing.path);
  { REQUIRE(FileLock::acquire(folder / "torch-1.0.lock")); }
  REQUIRE(remove_thing(thing));
  CHECK(fs::is_empty(folder.path()));
  fs::create_directories(thing.path);
  const auto lock = FileLock::acquire(folder / "torch-1.0.lock");
  REQUIRE(remove_thing(thing));
  CHECK(fs::exists(folder / "torch-1.0.lock"));
}

TEST_CASE("Cleaning: what cannot be removed stays with its reason, and the rest goes", "[disk]") {
  const TemporaryDirectory folder;
  fs::create_directories(folder / "other");
  Cleaning cleaning;
  cleaning.things.resize(2);
  cleaning.things[0].path = folder / "gone-before";
  cleaning.things[1].path = folder / "other";
  cleaning.removed = {0, 1};
  carry_out(cleaning);
  CHECK(cleaning.removed == std::vector<std::size_t>{1});
  REQUIRE(cleaning.failed.size() == 1);
  CHECK(cleaning.failed.front().message.find("gone-before") != std::string::npos);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("Cleaning: what a stopped download of a ready build left counts as downloaded", "[disk]") {
  Disk disk;
  const fs::path ready = disk.state / "subjects/fake/ready";
  fs::create_directories(ready);
  std::ofstream(ready / "commit.zip.part") << std::string(1'000'000, 'x');
  disk.used(ready, 3);
  disk.bench.config().disk.downloads_bytes = 500'000;
  const auto things = disk.things();
  const auto found = std::find_if(things.begin(), things.end(), [&](const auto& one) { return one.path == ready; });
  REQUIRE(found != things.end());
  CHECK(found->kind == ThingKind::download);
  CHECK(things_to_remove(things, budgets_of(disk.bench.config()), 0).size() == 1);
}

TEST_CASE("Cleaning: what pip downloaded goes as one where it is over its budget", "[disk]") {
  Disk disk;
  const fs::path cache = disk.state / "subjects/fake/pip-cache", wheel = cache / "http-v2/a/b.body";
  fs::create_directories(wheel.parent_path());
  std::ofstream(wheel) << std::string(1'000'000, 'x');
  disk.bench.config().disk.downloads_bytes = 2'000'000;  // each call of pip has just used it
  const auto removed = [&] {
    const auto things = disk.things();
    return things_to_remove(things, budgets_of(disk.bench.config()), 0).size();
  };
  CHECK(removed() == 0);
  disk.bench.config().disk.downloads_bytes = 500'000;
  CHECK(removed() == 1);
  const auto things = disk.things();
  const auto found = std::find_if(things.begin(), things.end(), [&](const auto& one) { return one.path == cache; });
  REQUIRE(found != things.end());
  CHECK(found->kind == ThingKind::download);
  CHECK(found->subject == "fake");
  // What a kill left of an earlier removal goes at any time.
  disk.bench.config().disk.downloads_bytes = 2'000'000;
  fs::create_directories(disk.state / "subjects/fake/unfinished-0-pip-cache/wheels");
  CHECK(removed() == 1);
}

TEST_CASE("Inventory: the anchor, open regressions, the last good nights and unfinished nights are kept", "[disk]") {
  Disk disk;
  disk.bench.config().disk.kept_nights = 1;
  const fs::path anchor = disk.environment("2026-01-01", 90), forgotten = disk.environment("2026-01-02", 80);
  const fs::path culprit = disk.environment("2026-01-03", 70), before = disk.environment("2026-01-04", 60);
  const fs::path baseline = disk.environment("2026-01-05", 50), good = disk.environment("2026-01-06", 40);
  const fs::path begun = disk.environment("2026-01-07", 30), unknown = disk.environment("no night", 20, false);
  const fs::path fresh = disk.environment("today", 0, false);
  auto& stores = disk.bench.stores();
  const auto build = stores.builds.find("fake", model::BuildKind::nightly, "2026-01-01").value();
  REQUIRE(stores.anchors.set(
      {.subject = "fake", .build_id = build->id, .person = "ada", .reason = "r", .set = disk.now()}));
  const auto bad = disk.night("2026-01-03", "2026-01-02", model::Stage::done);
  const model::Finding finding{.series = {"a", model::Configuration::cpu_infer, model::Metric::time}, .reason = {}};
  REQUIRE(stores.nights.add_regression(bad.id, finding, "2026-01-04"));
  disk.night("2026-01-06", "2026-01-05", model::Stage::done);
  disk.night("2026-01-07", "2026-01-06", model::Stage::install);
  CHECK(disk.kept(anchor) == "the anchor");
  CHECK(disk.kept(culprit) == "an open regression");
  CHECK(disk.kept(before) == "an open regression");
  CHECK(disk.kept(baseline) == "one of the last good nights");
  CHECK_FALSE(disk.kept(good).empty());
  CHECK(disk.kept(begun) == "a night that is not finished");
  CHECK(disk.kept(fresh) == "used within a day");
  CHECK(disk.kept(forgotten).empty());
  CHECK(disk.kept(unknown).empty());
}

TEST_CASE("Inventory: a clock that was set back makes nothing look used today", "[disk]") {
  Disk disk;
  const fs::path folder = disk.environment("2026-01-05", -400);
  CHECK(disk.kept(folder).empty());
}

TEST_CASE("Cleaning: an install makes room first, and what it needs stays", "[disk]") {
  Disk disk;
  disk.bench.config().subjects.front().nightly.kind = runner::NightlyKind::pip;
  disk.bench.config().disk.environments_bytes = 2'500'000;
  const fs::path old = disk.environment("2026-01-01", 90), newer = disk.environment("2026-01-02", 80),
                 newest = disk.environment("2026-01-03", 70);
  REQUIRE(install_nightly(disk.bench.context(), {.name = "2026-01-05", .commit = disk.machine.history[0].id}));
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(newer));
  CHECK(fs::exists(newest));
}

TEST_CASE("Cleaning: without enough space nothing is installed, and the night is not at fault", "[disk]") {
  Disk disk;
  disk.bench.config().subjects.front().source.needed_free_bytes = std::uint64_t{1} << 60;
  const auto built = build_commit(disk.bench.context(), disk.machine.history[0].id);
  REQUIRE_FALSE(built);
  CHECK(built.error().kind == ErrorKind::machine);
  CHECK(built.error().message.find("tbci clean --dry-run") != std::string::npos);
  CHECK(disk.machine.effects.empty());
}

TEST_CASE("Cleaning: a build that is used again counts as used now", "[disk]") {
  Disk disk;
  const fs::path folder = disk.environment("2026-01-05", 90);
  REQUIRE(install_nightly(disk.bench.context(), {.name = "2026-01-05", .commit = disk.machine.history[0].id}));
  CHECK(disk.machine.effects.empty());
  CHECK(disk.kept(folder) == "used within a day");
}

TEST_CASE("Cleaning: the use of the disk is listed by kind and subject, beside its budget", "[disk]") {
  const std::vector<StoredThing> things = {{.kind = ThingKind::log, .subject = "a", .path = "1", .bytes = 10},
                                           {.kind = ThingKind::log, .subject = "a", .path = "2", .bytes = 30},
                                           {.kind = ThingKind::checkout, .subject = "a", .path = "3", .bytes = 5}};
  const auto use = use_of(things, {{ThingKind::log, "a", 100}, {ThingKind::worker, "", 7}});
  REQUIRE(use.size() == 2);
  CHECK(use[0].bytes == 40);
  CHECK(use[0].things == 2);
  CHECK(use[0].budget == 100);
  CHECK(use[1].budget == 0);
}

}  // namespace tbci::cleaning_test
