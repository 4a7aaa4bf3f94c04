#include "github/outbox.hpp"

#include <deque>
#include <set>
#include <vector>

#include "tests/catch.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/github/facts.hpp"

namespace tbci::outbox_test {

using namespace tbci::github;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

// Returns the prepared answers in order.
class ScriptedChannel final : public Channel {
 public:
  ScriptedChannel(std::string name, std::vector<std::int64_t>& asked, std::deque<Attempt> answers)
      : name_(std::move(name)), asked_(asked), answers_(std::move(answers)) {}
  std::string name() const override { return name_; }
  Attempt deliver(const Dispatch& dispatch, std::stop_token) override {
    asked_.push_back(dispatch.report.id);
    if (Status kept = dispatch.before_write(); !kept) return Attempt::retry(std::move(kept).error());
    REQUIRE_FALSE(answers_.empty());
    Attempt answer = answers_.front();
    answers_.pop_front();
    return answer;
  }

 private:
  std::string name_;
  std::vector<std::int64_t>& asked_;
  std::deque<Attempt> answers_;
};

struct Line {
  std::string what;
  std::int64_t id = 0;
  std::string text;
  TimePoint next{};
};

class MemoryJournal final : public OutboxJournal {
 public:
  Status attempting(std::int64_t id) override {
    if (full) return fail(ErrorKind::machine, "no space");
    attempts.push_back(id);
    return {};
  }
  Status delivered(std::int64_t id, const std::string& reference, int) override {
    if (broken) return fail(ErrorKind::machine, "no space");
    lines.push_back({"delivered", id, reference, {}});
    return {};
  }
  Status failed_attempt(std::int64_t id, const std::string& error, TimePoint next) override {
    lines.push_back({"failed", id, error, next});
    return {};
  }
  Status postponed(std::int64_t id, TimePoint next) override {
    lines.push_back({"postponed", id, {}, next});
    return {};
  }
  Status refused(std::int64_t id, const std::string& error) override {
    lines.push_back({"refused", id, error, {}});
    return {};
  }
  std::vector<Line> lines;
  std::vector<std::int64_t> attempts;
  bool broken = false;
  bool full = false;
};

struct Bench {
  TimePoint now = test::at(seconds(1'800'000'000));
  test::ManualClock clock{now};
  MemoryJournal journal;
  std::vector<std::int64_t> asked;
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<PendingDelivery> pending;

  void add_channel(const std::string& name, std::deque<Attempt> answers) {
    channels.push_back(std::make_unique<ScriptedChannel>(name, asked, std::move(answers)));
  }
  void add(std::int64_t id, const std::string& channel, int attempts = 0, seconds due = seconds(0)) {
    PendingDelivery one;
    one.delivery.id = id;
    one.delivery.channel = channel;
    one.delivery.attempts = attempts;
    one.delivery.next_attempt = now + due;
    one.report.id = id * 10;
    pending.push_back(one);
  }
  Result<OutboxSummary> deliver(std::stop_token stop = {}) {
    return deliver_due(pending, channels, journal, clock, stop);
  }
};

const Error broken_line{ErrorKind::transient, "the line is broken"};

}  // namespace

TEST_CASE("Outbox: the wait doubles from one minute to six hours", "[github]") {
  CHECK(backoff(1, 0) == minutes(1));
  CHECK(backoff(2, 0) == minutes(2));
  CHECK(backoff(5, 0) == minutes(16));
  CHECK(backoff(9, 0) == minutes(256));
  CHECK(backoff(10, 0) == minutes(360));
  CHECK(backoff(1'000'000, 0) == minutes(360));
}

TEST_CASE("Outbox: deliveries that fail together wait up to a quarter longer, each by its own part", "[github]") {
  std::set<seconds> waits;
  for (std::int64_t id = 1; id <= 100; ++id) {
    const seconds wait = backoff(10, id);
    CHECK(wait >= minutes(360));
    CHECK(wait <= minutes(450));
    waits.insert(wait);
  }
  CHECK(waits.size() == 100);
  CHECK(backoff(1, 1) == seconds(69));  // 60 + 60 / 4 * 0.618
}

TEST_CASE("Outbox: records each outcome in order", "[github]") {
  Bench bench;
  bench.add_channel("folder", {Attempt::delivered("/out/a.md"), Attempt::refused({ErrorKind::failed, "no\nway"})});
  bench.add_channel("github", {Attempt::retry(broken_line)});
  bench.add(1, "folder");
  bench.add(2, "github", 3);
  bench.add(3, "folder");
  const auto summary = bench.deliver();
  REQUIRE(summary);
  CHECK(bench.asked == std::vector<std::int64_t>{10, 20, 30});
  REQUIRE(bench.journal.lines.size() == 3);
  CHECK(bench.journal.lines[0].what == "delivered");
  CHECK(bench.journal.lines[0].text == "/out/a.md");
  CHECK(bench.journal.lines[1].what == "failed");
  CHECK(bench.journal.lines[1].text == "the line is broken");
  CHECK(bench.journal.lines[1].next == bench.now + backoff(4, 2));
  CHECK(bench.journal.lines[2].what == "refused");
  CHECK(bench.journal.lines[2].text == "no way");
  CHECK(summary->delivered == 1);
  CHECK(summary->postponed == 1);
  CHECK(summary->refused == 1);
  CHECK(summary->next == bench.now + backoff(4, 2));
}

TEST_CASE("Outbox: ignores deliveries that are not due or not pending", "[github]") {
  Bench bench;
  bench.add_channel("folder", {Attempt::delivered("x")});
  bench.add(1, "folder", 0, seconds(61));
  bench.add(2, "folder", 0, seconds(0));
  bench.add(3, "folder");
  bench.pending[2].delivery.state = model::DeliveryState::delivered;
  const auto summary = bench.deliver();
  REQUIRE(summary);
  CHECK(bench.asked == std::vector<std::int64_t>{20});
  CHECK(summary->next == bench.now + seconds(61));
}

TEST_CASE("Outbox: does not try a channel again in the same pass after it asks to wait", "[github]") {
  Bench bench;
  bench.add_channel("github", {Attempt::retry(broken_line, bench.now + minutes(30))});
  bench.add_channel("folder", {Attempt::delivered("x")});
  bench.add(1, "github");
  bench.add(2, "github");
  bench.add(3, "folder");
  REQUIRE(bench.deliver());
  CHECK(bench.asked == std::vector<std::int64_t>{10, 30});
  CHECK(bench.journal.lines.at(0).next == bench.now + minutes(30));
  CHECK(bench.journal.lines.at(1).what == "postponed");  // it was not tried, so no attempt counts
  CHECK(bench.journal.lines.at(1).id == 2);
  CHECK(bench.journal.lines.at(1).next == bench.now + minutes(30));
}

TEST_CASE("Outbox: a wait of one report alone does not hold up the others of its channel", "[github]") {
  Bench bench;
  Attempt alone = Attempt::retry(broken_line, bench.now + minutes(360));
  alone.only_this = true;
  bench.add_channel("github", {alone, Attempt::delivered("x")});
  bench.add(1, "github");
  bench.add(2, "github");
  REQUIRE(bench.deliver());
  CHECK(bench.asked == std::vector<std::int64_t>{10, 20});
  CHECK(bench.journal.lines.at(0).next == bench.now + minutes(360));
  CHECK(bench.journal.lines.at(1).what == "delivered");
}

TEST_CASE("Outbox: the beginning of a request that writes is kept first, and without that nothing is sent",
          "[github]") {
  Bench bench;
  bench.add_channel("github", {Attempt::delivered("x")});
  bench.add(7, "github");
  REQUIRE(bench.deliver());
  CHECK(bench.journal.attempts == std::vector<std::int64_t>{7});
  bench.journal.full = true;
  const auto summary = bench.deliver();
  REQUIRE(summary);
  CHECK(summary->delivered == 0);
  CHECK(bench.journal.lines.back().text == "no space");
}

TEST_CASE("Outbox: a requested wait never shortens the backoff", "[github]") {
  Bench bench;
  bench.add_channel("github", {Attempt::retry(broken_line, bench.now + seconds(5))});
  bench.add(1, "github", 6);
  REQUIRE(bench.deliver());
  CHECK(bench.journal.lines.at(0).next == bench.now + backoff(7, 1));
}

TEST_CASE("Outbox: postpones a delivery whose channel is not configured and says so", "[github]") {
  Bench bench;
  bench.add(1, "github");
  const auto summary = bench.deliver();
  REQUIRE(summary);
  CHECK(summary->postponed == 1);
  CHECK(bench.journal.lines.at(0).text.find("no channel 'github' is configured") != std::string::npos);
}

TEST_CASE("Outbox: a stop counts no attempt and leaves the rest pending", "[github]") {
  Bench bench;
  bench.add_channel("github", {Attempt::retry({ErrorKind::interrupted, "stopped"})});
  bench.add(1, "github");
  bench.add(2, "github");
  const auto summary = bench.deliver();
  REQUIRE_FALSE(summary);
  CHECK(summary.error().kind == ErrorKind::interrupted);
  CHECK(bench.journal.lines.empty());
  CHECK(bench.asked.size() == 1);

  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(bench.deliver(stop.get_token()));
  CHECK(bench.asked.size() == 1);
}

TEST_CASE("Outbox: sends nothing more once an outcome cannot be recorded", "[github]") {
  Bench bench;
  bench.add_channel("folder", {Attempt::delivered("x"), Attempt::delivered("y")});
  bench.add(1, "folder");
  bench.add(2, "folder");
  bench.journal.broken = true;
  const auto summary = bench.deliver();
  REQUIRE_FALSE(summary);
  CHECK(summary.error().message == "no space");
  CHECK(bench.asked.size() == 1);
}

}  // namespace tbci::outbox_test
