// The commits between two nightlies, also where main was rewound.
#include "pipeline/bisect/nightly_range.hpp"

#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::nightly_range_test {

using namespace tbci::test;
using pipeline::nightly_range;

namespace {

std::vector<std::string> ids_of(const std::vector<pipeline::RangeCommit>& commits) {
  std::vector<std::string> ids;
  for (const auto& one : commits) ids.push_back(one.commit.id);
  return ids;
}

}  // namespace

TEST_CASE("nightly_range: the commits after the older nightly, with their authors", "[bisect]") {
  Nights nights(4);
  const auto range =
      nightly_range(nights.bench->context(), nights.machine.name_of(1), nights.machine.name_of(2)).value();
  CHECK(ids_of(range.commits) == std::vector{nights.commit(5), nights.commit(6), nights.commit(7), nights.commit(8)});
  CHECK(range.commits.front().commit.author == "Ada Example");
  CHECK(range.taken_back.empty());
  CHECK(range.from.product.commit == nights.commit(4));
  CHECK(nights.machine.effects.empty());  // the index says the commits: nothing is installed
}

TEST_CASE("nightly_range: two nightlies of one commit have none between them", "[bisect]") {
  Nights nights(4);
  nights.machine.days[2] = nights.machine.days[1];
  const auto range =
      nightly_range(nights.bench->context(), nights.machine.name_of(1), nights.machine.name_of(2)).value();
  CHECK(range.commits.empty());
  CHECK(range.taken_back.empty());
}

TEST_CASE("nightly_range: where main was rewound it says what was lost", "[bisect]") {
  Nights nights(4);
  nights.machine.rewound_from = 3;
  nights.machine.rewound_until = 6;
  const auto range =
      nightly_range(nights.bench->context(), nights.machine.name_of(1), nights.machine.name_of(2)).value();
  CHECK(ids_of(range.commits) == std::vector{nights.commit(6), nights.commit(7), nights.commit(8)});
  CHECK(ids_of(range.taken_back) == std::vector{nights.commit(3), nights.commit(4)});
}

TEST_CASE("nightly_range: a wrong order and an unknown nightly are errors that say what to do", "[bisect]") {
  Nights nights(4);
  const auto swapped = nightly_range(nights.bench->context(), nights.machine.name_of(2), nights.machine.name_of(1));
  REQUIRE_FALSE(swapped);
  CHECK(swapped.error().kind == ErrorKind::usage);
  CHECK(swapped.error().message.find("give the older nightly first") != std::string::npos);
  const auto unknown = nightly_range(nights.bench->context(), "2025-12-31", nights.machine.name_of(1));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::usage);
  nights.bench->config().subjects.back().source.repository.clear();
  CHECK(nightly_range(nights.bench->context(), nights.machine.name_of(1), nights.machine.name_of(2)).error().kind ==
        ErrorKind::usage);
}

TEST_CASE("Nights: a step of a night before which main was rewound is searched from the last common commit",
          "[nights]") {
  Nights nights(9);
  nights.machine.slower["beta"] = {{6 * commits_a_day - 2, 1.25}};
  nights.check_all(1, 5);
  nights.machine.rewound_from = 5 * commits_a_day - 1;
  nights.machine.rewound_until = 5 * commits_a_day + 1;
  const auto result = nights.check(6);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects == std::vector{nights.commit(6 * commits_a_day - 2)});
  REQUIRE(result.reports.size() == 1);
  CHECK(result.reports[0].body.find("main was rewound between the two") != std::string::npos);
  CHECK(nights.check(7).regressions.empty());
}

TEST_CASE("Nights: a report names the nightlies in between that no night could judge", "[nights]") {
  Nights nights(9);
  nights.machine.slower["beta"] = {{7 * commits_a_day - 2, 1.25}};
  nights.check_all(1, 5);
  nights.machine.before_effect = [&](const std::string& effect) -> Status {
    if (effect != "install " + nights.machine.name_of(6)) return {};
    return fail(ErrorKind::failed, "bad wheel: <not a zip file>");
  };
  REQUIRE_FALSE(pipeline::check_night(nights.bench->context(), {.nightly = nights.machine.name_of(6), .baseline = {}}));
  const auto result = nights.check(7);
  CHECK(result.night.baseline == nights.machine.name_of(5));
  REQUIRE(result.reports.size() == 1);
  const std::string& body = result.reports[0].body;
  CHECK(body.find("- These nightlies between the two were not measured, so the range is wider: `" +
                  nights.machine.name_of(6) + "` (") != std::string::npos);
  CHECK(body.find("<not a zip") == std::string::npos);
  CHECK(body.find("main was rewound") == std::string::npos);
}

TEST_CASE("Nights: where main was set back to before the older nightly there is no culprit, and the reason says so",
          "[nights]") {
  Nights nights(8);
  nights.check_all(1, 5);
  // The nightly of day 6 is of a commit before the one of day 5; what day 5 had made it faster.
  nights.machine.days[6] = 5 * commits_a_day - 2;
  nights.machine.slower["beta"] = {{5 * commits_a_day - 1, 0.7}};
  nights.machine.effects.clear();
  nights.check(5);
  const auto result = nights.check(6);
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions[0].suspects.empty());
  CHECK(result.regressions[0].reason.find("main was rewound") != std::string::npos);
}

}  // namespace tbci::nightly_range_test
