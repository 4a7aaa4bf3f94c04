#include "pipeline/night/night_tries.hpp"

#include "pipeline/night/waiting_nights.hpp"
#include "storage/connection.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/broken_nights.hpp"

namespace tbci::night_tries_test {

using namespace tbci::test;

using namespace std::chrono_literals;
using pipeline::pause_after;
using pipeline::try_night;

namespace {

const std::string tonight = "2026-01-06";

// Every measurement fails through the machine.
Status no_measurement(const std::string& effect) {
  if (!effect.starts_with("measure ")) return {};
  return fail(ErrorKind::machine, "no space left");
}

model::NightTry tries_of(Bench& bench) {
  const auto night = bench.stores().nights.find("fake", tonight).value();
  REQUIRE(night);
  return bench.stores().tries.of_night(night->id).value();
}

model::Stage stage_of(Bench& bench) {
  return bench.stores().nights.find("fake", tonight).value()->stage;
}

}  // namespace

TEST_CASE("Tries: the pause doubles from ten minutes to six hours", "[tries]") {
  CHECK(pause_after(1) == 10min);
  CHECK(pause_after(2) == 20min);
  CHECK(pause_after(6) == 320min);
  CHECK(pause_after(7) == 6h);
  CHECK(pause_after(1000) == 6h);
}

TEST_CASE("Tries: the next one is due at its time, and at once where the clock was set back", "[tries]") {
  const TimePoint now{1000h};
  CHECK(pipeline::is_due({.next = now}, now));
  CHECK_FALSE(pipeline::is_due({.next = now + 1ms}, now));
  CHECK_FALSE(pipeline::is_due({.next = now + 6h}, now));
  CHECK(pipeline::is_due({.next = now + 6h + 1ms}, now));
}

TEST_CASE("Tries: a failure is counted, kept, and tried again after a pause", "[tries]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  machine.before_effect = no_measurement;
  {
    Bench bench(folder.path(), machine);
    const auto result = try_night(bench.context(), {.nightly = tonight});
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("no space left (try 1 of 12; the next one at ") != std::string::npos);
  }
  Bench bench(folder.path(), machine);  // as after kill -9
  CHECK(tries_of(bench).tries == 1);
  CHECK(tries_of(bench).next == bench.clock().now() + 10min);
  CHECK_FALSE(tries_of(bench).mark);
  CHECK(pipeline::waiting_nights(bench.stores(), "fake", bench.clock().now(), false).value().due.empty());
  bench.clock().advance(10min);
  CHECK(pipeline::waiting_nights(bench.stores(), "fake", bench.clock().now(), false).value().due.size() == 1);
  machine.before_effect = {};
  REQUIRE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(stage_of(bench) == model::Stage::done);
  CHECK(tries_of(bench).tries == 0);
  CHECK(bench.stores().tries.troubled("fake", 7).value().empty());
}

TEST_CASE("Tries: after the last one the night is given up with its reason", "[tries]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  machine.before_effect = no_measurement;
  Bench bench(folder.path(), machine);
  bench.config().service.tries = 3;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) CHECK(stage_of(bench) != model::Stage::failed);
    REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
    bench.clock().advance(6h);
  }
  const auto night = bench.stores().nights.find("fake", tonight).value();
  CHECK(night->stage == model::Stage::failed);
  CHECK(night->note.starts_with("given up after 3 tries: "));
  CHECK(night->note.find("no space left") != std::string::npos);
  const auto troubled = bench.stores().tries.troubled("fake", 7).value();
  REQUIRE(troubled.size() == 1);
  CHECK(troubled[0].tries.given_up);
  // A person may ask for it again: it counts from the beginning.
  machine.before_effect = {};
  REQUIRE(pipeline::check_night(bench.context(), {.nightly = tonight, .retry = true}));
  CHECK(stage_of(bench) == model::Stage::done);
  CHECK(bench.stores().tries.troubled("fake", 7).value().empty());
}

TEST_CASE("Tries: a search that is given up leaves its regressions reported without a culprit", "[tries]") {
  const TemporaryDirectory folder;
  FakeMachine machine(40);
  machine.slower["beta"] = {{23, 1.25}};
  machine.before_effect = [](const std::string& effect) -> Status {
    if (!effect.starts_with("build ")) return {};
    return fail(ErrorKind::machine, "the compiler is gone");
  };
  Bench bench(folder.path(), machine);
  bench.config().service.tries = 2;
  for (int i = 0; i < 2; ++i) REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  const auto night = bench.stores().nights.find("fake", tonight).value();
  CHECK(night->stage == model::Stage::done);  // its verdicts stand: it can be the next night's baseline
  CHECK(night->note.starts_with("given up after 2 tries: "));
  const auto regressions = bench.stores().nights.regressions(night->id).value();
  REQUIRE(regressions.size() == 1);
  CHECK(regressions[0].suspects.empty());
  CHECK(regressions[0].reason.find("the compiler is gone") != std::string::npos);
  CHECK(regressions[0].report_id);
}

TEST_CASE("Tries: a stage that was never reached before counts from the beginning, an earlier one does not",
          "[tries]") {
  const TemporaryDirectory folder;
  FakeMachine machine(40);
  machine.slower["beta"] = {{23, 1.25}};
  machine.before_effect = no_measurement;
  Bench bench(folder.path(), machine);
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(tries_of(bench).tries == 2);
  CHECK(tries_of(bench).stage == model::Stage::measure);
  machine.before_effect = [](const std::string& effect) -> Status {
    if (!effect.starts_with("build ")) return {};
    return fail(ErrorKind::machine, "the compiler is gone");
  };
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(tries_of(bench).tries == 1);
  CHECK(tries_of(bench).stage == model::Stage::bisect);
}

TEST_CASE("Tries: what a night had confirmed is reported where it is given up before all its verdicts", "[tries]") {
  BrokenNights nights(16);
  nights.machine.broken["alpha"] = model::Outcome::crashed;
  nights.bench->config().service.tries = 1;
  nights.check_all(1, 12);
  nights.machine.before_effect = [&](const std::string&) -> Status {
    if (nights.bench->stores().nights.open_regressions("fake").value().empty()) return {};
    return fail(ErrorKind::machine, "the machine goes down");
  };
  const std::string name = nights.machine.name_of(13);
  REQUIRE_FALSE(try_night(nights.bench->context(), {.nightly = name}));
  storage::Stores& stores = nights.bench->stores();
  const auto night = stores.nights.find("fake", name).value();
  CHECK(night->stage == model::Stage::failed);
  const auto found = stores.nights.regressions(night->id).value();
  REQUIRE(found.size() == 1);
  CHECK(found[0].finding.series.benchmark == "alpha");
  CHECK(found[0].report_id);
  nights.machine.before_effect = nullptr;
  const auto next = nights.check(14);
  REQUIRE(next.regressions.size() == 1);
  CHECK(next.regressions[0].finding.series.benchmark == "beta");
}

TEST_CASE("Tries: a night whose last report cannot be written is given up once it can", "[tries]") {
  Nights nights(6);
  nights.machine.slower["beta"] = {{3 * commits_a_day - 1, 1.25}};
  nights.bench->config().service.tries = 1;
  nights.check_all(1, 2);
  SQLite::Database& sqlite = nights.bench->stores().database.connection().sqlite;
  nights.machine.before_effect = [&](const std::string& effect) -> Status {
    if (!effect.starts_with("build ")) return {};
    sqlite.exec("PRAGMA query_only = ON");  // as a full disk does, every write fails
    return fail(ErrorKind::machine, "no space left");
  };
  const std::string name = nights.machine.name_of(3);
  const auto stage = [&] { return nights.bench->stores().nights.find("fake", name).value()->stage; };
  REQUIRE_FALSE(try_night(nights.bench->context(), {.nightly = name}));
  CHECK(stage() == model::Stage::bisect);
  const auto searched = pipeline::search_waiting_night(nights.bench->context());
  REQUIRE(searched);
  REQUIRE(searched->next);
  CHECK(*searched->next >= nights.bench->clock().now() + std::chrono::minutes(1));  // and not at once
  sqlite.exec("PRAGMA query_only = OFF");
  nights.machine.before_effect = [](const std::string& effect) -> Status {
    if (!effect.starts_with("build ")) return {};
    return fail(ErrorKind::machine, "no space left");
  };
  REQUIRE_FALSE(try_night(nights.bench->context(), {.nightly = name}));
  CHECK(stage() == model::Stage::done);
  CHECK(nights.bench->stores().reports.list("fake", 5).value().size() == 1);
}

TEST_CASE("Tries: a stop is not a failure", "[tries]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  machine.before_effect = [](const std::string&) -> Status { return fail(ErrorKind::interrupted, "stopped"); };
  Bench bench(folder.path(), machine);
  for (int i = 0; i < 20; ++i) REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(tries_of(bench).tries == 0);
  CHECK_FALSE(tries_of(bench).mark);
}

TEST_CASE("Tries: a try in which the program was killed counts only where it added nothing", "[tries]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  Bench bench(folder.path(), machine);
  bench.config().service.tries = 2;
  machine.before_effect = [](const std::string&) -> Status { return fail(ErrorKind::interrupted, "stopped"); };
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  const auto killed = [&] {  // leaves its mark behind
    model::NightTry tried = tries_of(bench);
    tried.mark = bench.stores().tries.progress_mark(tried.night_id).value();
    REQUIRE(bench.stores().tries.put(tried));
  };
  killed();
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(tries_of(bench).tries == 1);
  // This one measures something before it is killed.
  killed();
  machine.before_effect = [&](const std::string&) -> Status {
    if (machine.effects.size() < 8) return {};
    return fail(ErrorKind::interrupted, "stopped");
  };
  REQUIRE_FALSE(pipeline::check_night(bench.context(), {.nightly = tonight}));
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(tries_of(bench).tries == 1);
  killed();
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(tries_of(bench).tries == 1);  // the first in a further stage
  CHECK(tries_of(bench).stage == model::Stage::measure);
  killed();
  const auto last = try_night(bench.context(), {.nightly = tonight});
  REQUIRE_FALSE(last);
  CHECK(last.error().message.find("given up after 2 tries") != std::string::npos);
  CHECK(stage_of(bench) == model::Stage::failed);
}

TEST_CASE("Tries: one that adds something before it gives way ends the pause after an earlier failure", "[tries]") {
  const TemporaryDirectory folder;
  FakeMachine machine(20);
  Bench bench(folder.path(), machine);
  machine.before_effect = no_measurement;
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  const TimePoint later = tries_of(bench).next;
  REQUIRE(later > bench.clock().now());
  int left = 0;
  machine.before_effect = [&](const std::string& effect) -> Status {
    if (!effect.starts_with("measure ") || left-- > 0) return {};
    return fail(ErrorKind::interrupted, "gives way");
  };
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(tries_of(bench).next == later);  // it added nothing
  left = 3;
  REQUIRE_FALSE(try_night(bench.context(), {.nightly = tonight}));
  CHECK(tries_of(bench).next <= bench.clock().now());
  CHECK(tries_of(bench).tries == 1);
}

}  // namespace tbci::night_tries_test
