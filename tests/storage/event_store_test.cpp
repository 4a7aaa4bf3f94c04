#include "storage/event_store.hpp"

#include "storage/night_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::event_store_test {

using namespace tbci::test;
using model::EventKind;
using storage::EventStore;

namespace {

const model::Series dlrm = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
const model::Series bert = {"bert", model::Configuration::cpu_infer, model::Metric::cpu_memory};

struct Setting : Fixture {
  std::int64_t night(const std::string& name, const std::string& subject = "demo") {
    return must(storage::NightStore(database()).begin({subject, name, "before"}, at(0))).id;
  }
};

std::vector<std::string> nights_of(const std::vector<model::Event>& events) {
  std::vector<std::string> names;
  for (const model::Event& event : events) names.push_back(event.night);
  return names;
}

}  // namespace

TEST_CASE("EventStore: a restart keeps an event as it was first noticed", "[storage]") {
  Setting setting;
  const std::int64_t night = setting.night("2026-01-07");
  must(EventStore(setting.database())
           .notice(
               {.night_id = night, .runner = "box", .kind = EventKind::moved, .series = dlrm, .reason = "moved by 9%"},
               at(5)));
  must(EventStore(setting.database())
           .notice({.night_id = night, .runner = "box", .kind = EventKind::moved, .series = dlrm, .reason = "again"},
                   at(6)));
  must(EventStore(setting.database())
           .notice({.night_id = night,
                    .runner = "box",
                    .kind = EventKind::environment,
                    .series = {},
                    .reason = "other kernel"},
                   at(7)));
  setting.reopen();
  const auto events = must(EventStore(setting.database()).of_night(night));
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == EventKind::environment);
  CHECK_FALSE(events[0].series.has_value());
  CHECK(events[1].kind == EventKind::moved);
  CHECK(events[1].series == dlrm);
  CHECK(events[1].reason == "moved by 9%");
  CHECK(events[1].noticed == at(5));
  CHECK(events[1].runner == "box");
  CHECK(events[1].night == "2026-01-07");
}

TEST_CASE("EventStore: the events of a runner from a nightly on, the oldest first", "[storage]") {
  Setting setting;
  EventStore store(setting.database());
  must(store.notice({.night_id = setting.night("2026-01-09"),
                     .runner = "box",
                     .kind = EventKind::environment,
                     .series = {},
                     .reason = "kernel"},
                    at(0)));
  must(store.notice({.night_id = setting.night("2026-01-07"),
                     .runner = "box",
                     .kind = EventKind::moved,
                     .series = dlrm,
                     .reason = "moved"},
                    at(1)));
  must(store.notice({.night_id = setting.night("2026-01-08"),
                     .runner = "box",
                     .kind = EventKind::moved,
                     .series = bert,
                     .reason = "moved"},
                    at(2)));
  must(store.notice({.night_id = setting.night("2026-01-06"),
                     .runner = "other",
                     .kind = EventKind::environment,
                     .series = {},
                     .reason = "kernel"},
                    at(3)));
  must(store.notice({.night_id = setting.night("2026-01-05", "else"),
                     .runner = "box",
                     .kind = EventKind::environment,
                     .series = {},
                     .reason = "kernel"},
                    at(4)));
  CHECK(nights_of(must(store.since("demo", "box", "2026-01-01"))) ==
        std::vector<std::string>{"2026-01-07", "2026-01-08", "2026-01-09"});
  CHECK(nights_of(must(store.since("demo", "box", "2026-01-08"))) ==
        std::vector<std::string>{"2026-01-08", "2026-01-09"});
  CHECK(must(store.since("demo", "box", "2026-01-10")).empty());
  CHECK(nights_of(must(store.latest("demo", 2))) == std::vector<std::string>{"2026-01-09", "2026-01-08"});
}

TEST_CASE("EventStore: an unknown night is an error, and nothing is stored", "[storage]") {
  Setting setting;
  EventStore store(setting.database());
  CHECK_FALSE(store.notice(
      {.night_id = 77, .runner = "box", .kind = EventKind::moved, .series = dlrm, .reason = "moved"}, at(0)));
  CHECK(must(store.latest("demo", 10)).empty());
}

TEST_CASE("EventStore: a row that another program has spoiled is an error that names its table", "[storage]") {
  Setting setting;
  EventStore store(setting.database());
  const std::int64_t night = setting.night("2026-01-07");
  must(store.notice({.night_id = night, .runner = "box", .kind = EventKind::moved, .series = dlrm, .reason = "moved"},
                    at(0)));
  setting.tamper("UPDATE event SET series = 'nonsense'");
  CHECK(contains(error_of(store.of_night(night)).message, "event"));
}

}  // namespace tbci::event_store_test
