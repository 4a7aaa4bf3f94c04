#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "storage/bisection_store.hpp"
#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/run_store.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::test {

namespace {

using Suspects = std::set<std::string>;

std::set<Suspects> suspects_in(const nlohmann::json& check) {
  std::set<Suspects> all;
  for (const auto& regression : check["regressions"]) all.insert(regression["suspects"].get<Suspects>());
  return all;
}

Suspects as_set(const std::vector<std::string>& commits) {
  return {commits.begin(), commits.end()};
}

// What is in the database: every finished build with its time, and how many measurements there are.
struct Paid {
  std::map<std::string, std::int64_t> builds;
  std::size_t measurements = 0;
};

Paid paid_so_far(const Installation& installation) {
  Paid paid;
  auto database = storage::Database::open(installation.state() / "tbci.sqlite", storage::Access::read_only);
  if (!database) return paid;
  storage::BuildStore builds(*database);
  storage::RunStore runs(*database);
  for (const model::Build& build : builds.list("demo", 1000).value_or(std::vector<model::Build>{})) {
    if (build.finished)
      paid.builds[std::string(to_string(build.kind)) + build.name] = build.finished->time_since_epoch().count();
  }
  for (const model::Run& run : runs.runs("demo", 1000).value_or(std::vector<model::Run>{})) {
    paid.measurements += runs.measurements(run.id).value_or(std::vector<model::PlacedMeasurement>{}).size();
  }
  return paid;
}

bool contains(const Paid& later, const Paid& earlier) {
  return later.measurements >= earlier.measurements &&
         std::all_of(earlier.builds.begin(), earlier.builds.end(), [&](const auto& build) {
           const auto found = later.builds.find(build.first);
           return found != later.builds.end() && found->second == build.second;
         });
}

}  // namespace

TEST_CASE("End to end: two culprits of one day, each in the right report, and nothing on the clean day before",
          "[e2e]") {
  const Installation installation({"--fault", "embedding-bag-bounds@23", "--fault", "addmm-dtype@51"});
  const Answer clean = installation.tbci({"check", "--json", "--nightly", installation.truth().nightly(1)});
  INFO(clean.error);
  CHECK(clean.exit_code == 0);
  CHECK(clean.json()["regressions"].empty());
  CHECK(installation.issues().empty());

  const Answer bad = installation.tbci({"check", "--json"});
  INFO(bad.error << bad.output);
  REQUIRE(bad.exit_code == 1);
  const std::set<Suspects> wanted = {as_set(installation.truth().suspects(0)),
                                     as_set(installation.truth().suspects(1))};
  CHECK(suspects_in(bad.json()) == wanted);
  CHECK(installation.issues().size() == 2);

  // Again: nothing is measured, nothing is filed a second time.
  const Paid before = paid_so_far(installation);
  const Answer again = installation.tbci({"check", "--json"});
  CHECK(again.exit_code == 1);
  CHECK(again.json()["checked_before"] == true);
  CHECK(paid_so_far(installation).measurements == before.measurements);
  CHECK(installation.issues().size() == 2);
}

TEST_CASE("End to end: a culprit that does not build is named as a set with its neighbours", "[e2e]") {
  const Installation installation({"--fault", "embedding-bag-bounds@40", "--unbuildable-beside-culprit"});
  const Answer answer =
      installation.tbci({"bisect", "--from", installation.truth().nightly(1), "--to", installation.truth().nightly(2),
                         "--series", "dlrm/cpu-infer/time", "--json"});
  INFO(answer.error << answer.output);
  REQUIRE(answer.exit_code == 1);
  REQUIRE(answer.json()["suspects"].size() == 1);
  CHECK(answer.json()["suspects"][0].get<Suspects>() == as_set(installation.truth().suspects()));
  CHECK(installation.truth().suspects().size() > 1);
}

TEST_CASE("End to end: killed again and again at any stage, check goes on, repeats nothing and files once", "[e2e]") {
  const Installation installation({"--fault", "addmm-dtype@37"});
  constexpr unsigned seed = 20261121;
  WARN("seed of the moments: " << seed);
  std::mt19937 moments(seed);
  int kills = 0;
  Answer answer;
  for (std::size_t paid_for = 4; paid_for < 100000; paid_for += 9) {
    std::stop_source kill;
    std::jthread killer([&](const std::stop_token& end) {
      while (!end.stop_requested()) {
        const Paid paid = paid_so_far(installation);
        if (paid.measurements + 4 * paid.builds.size() >= paid_for) {
          std::this_thread::sleep_for(std::chrono::milliseconds(moments() % 900));
          kill.request_stop();
          return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    });
    const Paid before = paid_so_far(installation);
    answer = installation.tbci({"check", "--json"}, kill.get_token());
    killer.request_stop();
    killer.join();
    CHECK(contains(paid_so_far(installation), before));
    if (answer.exit_code != 128 + 9) break;
    ++kills;
  }
  INFO(answer.error << answer.output);
  REQUIRE(answer.exit_code == 1);
  CHECK(kills >= 10);
  CHECK(suspects_in(answer.json()) == std::set<Suspects>{as_set(installation.truth().suspects())});
  CHECK(installation.issues().size() == 1);
}

}  // namespace tbci::test
