#include <optional>
#include <random>
#include <set>
#include <thread>

#include "storage/database.hpp"
#include "storage/night_store.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"
#include "tests/e2e/paid.hpp"

namespace tbci::check_test {

using namespace tbci::test;

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

// How far a check has come.
struct Sight {
  Paid paid;
  std::optional<model::Stage> stage;  ///< nothing: the night is not begun
};

Result<Sight> look(const Installation& installation, const std::string& night) {
  Sight sight;
  const auto path = installation.state() / "tbci.sqlite";
  if (!std::filesystem::exists(path)) return sight;
  TBCI_ASSIGN(auto database, storage::Database::open(path, storage::Access::read_only));
  TBCI_ASSIGN(const auto found, storage::NightStore(database).find("demo", night));
  if (found) sight.stage = found->stage;
  TBCI_ASSIGN(sight.paid, look_at_paid(installation));
  return sight;
}

// Where the next kill is wanted: in a stage that none has hit, in the build of a commit, or after some more work.
struct Aim {
  std::set<model::Stage> hit_stages;
  bool hit_build = false;
  int kills = 0;
  std::size_t paid_for = 8;
};

// How long to wait at most until the kill, which comes at a random moment; nothing: it is not time yet. A commit whose
// neighbour was built takes less than a second.
std::optional<std::chrono::milliseconds> longest_wait(const Aim& aim, const Sight& sight) {
  constexpr int most_kills = 12;
  if (sight.paid.building_commit && !aim.hit_build) return std::chrono::milliseconds(200);
  const bool new_stage = sight.stage && !aim.hit_stages.contains(*sight.stage);
  const bool more_work = sight.paid.total() >= aim.paid_for && aim.kills < most_kills;
  if (new_stage || more_work) return std::chrono::milliseconds(900);
  return std::nullopt;
}

Answer check_until_killed(const Installation& installation, const Aim& aim, unsigned moment) {
  std::stop_source kill;
  const std::string night = installation.truth().nightly(2);
  const std::jthread killer([&](const std::stop_token& end) {
    while (!end.stop_requested()) {
      const auto sight = look(installation, night);
      const auto wait = sight ? longest_wait(aim, *sight) : std::nullopt;
      std::this_thread::sleep_for(wait ? *wait * (moment % 1000) / 1000 : std::chrono::milliseconds(50));
      if (wait) {
        kill.request_stop();
        return;
      }
    }
  });
  return installation.tbci({"check", "--json"}, kill.get_token());
}

}  // namespace

TEST_CASE("End to end: two culprits of one day, each in the right report, and nothing on the clean day before",
          "[e2e][long]") {
  // Two faults that no series feels both of: of several steps in one series the search finds one.
  Installation installation({"--fault", "memory-peak@23", "--fault", "addmm-dtype@51*2"});
  installation.configure(measuring({"dlrm", "lennard_jones"}));
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

TEST_CASE("End to end: a culprit that does not build is named as a set with its neighbours", "[e2e][long]") {
  const Installation installation(
      {"--commits", "30", "--fault", "embedding-bag-bounds@19*6", "--unbuildable-beside-culprit"});
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
  // Six times as much as usual: what else runs on this machine does not hide it.
  Installation installation({"--commits", "30", "--fault", "addmm-dtype@17*6"});
  installation.configure(measuring({"lennard_jones"}));
  constexpr unsigned seed = 20261121;
  WARN("seed of the moments: " << seed);
  std::mt19937 moments(seed);
  constexpr int killed = 128 + 9;
  Aim aim;
  Answer answer;
  for (int round = 0; round < 60; ++round) {
    const Paid before = paid_so_far(installation);
    answer = check_until_killed(installation, aim, static_cast<unsigned>(moments()));
    const auto after = look(installation, installation.truth().nightly(2));
    REQUIRE(after);
    CHECK(keeps(after->paid, before));
    if (answer.exit_code != killed) break;
    ++aim.kills;
    aim.paid_for = after->paid.total() + 8;
    if (after->stage) aim.hit_stages.insert(*after->stage);
    aim.hit_build = aim.hit_build || after->paid.building_commit;
  }
  INFO(answer.error << answer.output);
  REQUIRE(answer.exit_code == 1);
  CHECK(aim.kills >= 10);
  CHECK((aim.hit_stages.contains(model::Stage::install) || aim.hit_stages.contains(model::Stage::measure)));
  CHECK(aim.hit_stages.contains(model::Stage::confirm));
  CHECK(aim.hit_stages.contains(model::Stage::bisect));
  CHECK(aim.hit_build);
  const Paid paid = paid_so_far(installation);
  CHECK(paid.repeated == std::set<std::string>{});
  CHECK(paid.broken == std::set<std::string>{});
  CHECK(suspects_in(answer.json()) == std::set<Suspects>{as_set(installation.truth().suspects())});
  REQUIRE(installation.issues().size() == 1);
  CHECK(installation.issues().front().find("### Operators that changed") != std::string::npos);
}

}  // namespace tbci::check_test
