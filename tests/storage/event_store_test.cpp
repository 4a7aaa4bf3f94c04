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

TEST_CASE("EventStore: an event comes back after a restart as it was first noticed", "[storage]") {
  Setting setting;
  const std::int64_t night = setting.night("2026-01-07");
  must(EventStore(setting.database()).notice({night, "box", EventKind::moved, dlrm, "moved by 9%"}, at(5)));
  must(EventStore(setting.database()).notice({night, "box", EventKind::moved, dlrm, "again"}, at(6)));
  must(EventStore(setting.database()).notice({night, "box", EventKind::environment, {}, "other kernel"}, at(7)));
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

TEST_CASE("EventStore: a series is concerned by its own events and by those of its whole machine", "[storage]") {
  Setting setting;
  EventStore store(setting.database());
  must(store.notice({setting.night("2026-01-09"), "box", EventKind::environment, {}, "kernel"}, at(0)));
  must(store.notice({setting.night("2026-01-07"), "box", EventKind::moved, dlrm, "moved"}, at(1)));
  must(store.notice({setting.night("2026-01-08"), "box", EventKind::moved, bert, "moved"}, at(2)));
  must(store.notice({setting.night("2026-01-06"), "other", EventKind::environment, {}, "kernel"}, at(3)));
  must(store.notice({setting.night("2026-01-05", "else"), "box", EventKind::environment, {}, "kernel"}, at(4)));
  CHECK(nights_of(must(store.of_series("demo", "box", dlrm))) == std::vector<std::string>{"2026-01-07", "2026-01-09"});
  CHECK(nights_of(must(store.of_series("demo", "box", bert))) == std::vector<std::string>{"2026-01-08", "2026-01-09"});
  CHECK(nights_of(must(store.latest("demo", 2))) == std::vector<std::string>{"2026-01-09", "2026-01-08"});
}

TEST_CASE("EventStore: what a night leaves over is replaced as a whole", "[storage]") {
  Setting setting;
  EventStore store(setting.database());
  const std::int64_t night = setting.night("2026-01-07"), other = setting.night("2026-01-08");
  const model::QueuedRetest noisy{dlrm, "2026-01-06", "2026-01-07", 0.085, 1, 0, {{1e6, 1.1e6}, {1e6, 1.25e6}}};
  const model::QueuedRetest waiting{bert, "2026-01-05", "2026-01-06", 0.5, 0, 2, {}};
  must(store.queue_retests(night, {noisy, waiting}));
  must(store.queue_retests(other, {waiting}));
  must(store.queue_retests(night, {noisy}));
  setting.reopen();
  EventStore again(setting.database());
  const auto left = must(again.queued_retests(night));
  REQUIRE(left.size() == 1);
  CHECK(left[0].series == dlrm);
  CHECK(left[0].old_build == "2026-01-06");
  CHECK(left[0].first_suspect == "2026-01-07");
  CHECK(left[0].suspected == 0.085);
  CHECK(left[0].nights_looked == 1);
  CHECK(left[0].nights_waited == 0);
  CHECK(left[0].pairs == noisy.pairs);
  REQUIRE(must(again.queued_retests(other)).size() == 1);
  CHECK(must(again.queued_retests(other))[0].nights_waited == 2);
  must(again.queue_retests(night, {}));
  CHECK(must(again.queued_retests(night)).empty());
}

TEST_CASE("EventStore: a night that is not there is an error, and nothing is kept", "[storage]") {
  Setting setting;
  EventStore store(setting.database());
  CHECK_FALSE(store.notice({77, "box", EventKind::moved, dlrm, "moved"}, at(0)));
  CHECK_FALSE(store.queue_retests(77, {{dlrm, "2026-01-06", "2026-01-07", 0.1, 1, 0, {}}}));
  CHECK(must(store.latest("demo", 10)).empty());
}

TEST_CASE("EventStore: a row that was changed by hand is an error with its table", "[storage]") {
  Setting setting;
  EventStore store(setting.database());
  const std::int64_t night = setting.night("2026-01-07");
  must(store.notice({night, "box", EventKind::moved, dlrm, "moved"}, at(0)));
  setting.tamper("UPDATE event SET series = 'nonsense'");
  CHECK(contains(error_of(store.of_night(night)).message, "event"));
}

}  // namespace tbci::event_store_test
