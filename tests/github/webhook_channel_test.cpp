#include "github/webhook_channel.hpp"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "github/answers.hpp"
#include "github/signature.hpp"
#include "github/webhook_message.hpp"
#include "tests/catch.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::webhook_channel_test {

using namespace tbci::github;

namespace {

const std::string shared_secret = "0123456789abcdefSharedSecret";

// A receiver, the file with the secret, and a channel between them.
struct WebhookBench {
  WebhookBench() {
    REQUIRE(write_file_atomically(directory / "secret", shared_secret + "\n"));
    std::filesystem::permissions(directory / "secret",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    settings.url = server.url() + "/hook?key=PathKey0123456789";
    settings.secret_file = directory / "secret";
  }
  Attempt deliver(const test::Trouble& answer, std::stop_token stop = {}) {
    server.answer_next("POST", answer);
    auto made = make_webhook_channel(settings, http, clock);
    REQUIRE(made);
    return (*made)->deliver({.report = report, .before_write = [this] { return kept(); }}, std::move(stop));
  }
  Status kept() {
    ++attempts_kept;
    seen_when_kept = server.count("POST");
    return may_write;
  }

  test::TemporaryDirectory directory;
  test::StubServer server{"unused"};
  test::ManualClock clock{test::at(std::chrono::seconds(1'800'000'000))};
  CurlHttpClient http;
  WebhookSettings settings;
  model::Report report = make_report(test::culprit_facts());
  Status may_write = {};
  int attempts_kept = 0;
  std::size_t seen_when_kept = 99;
};

bool shows_secret(const std::string& text) {
  return contains(text, "SharedSecret") || contains(text, "PathKey0123") || contains(text, "01234567");
}

}  // namespace

TEST_CASE("Webhook: posts one signed document, kept before it is sent", "[github]") {
  WebhookBench bench;
  bench.report.id = 7;
  const Attempt attempt = bench.deliver({.status = 204, .body = ""});
  CHECK(attempt.outcome == Attempt::Outcome::delivered);
  CHECK(attempt.reference == bench.server.url());
  CHECK(bench.attempts_kept == 1);
  CHECK(bench.seen_when_kept == 0);

  REQUIRE(bench.server.seen().size() == 1);
  const test::Seen seen = bench.server.seen().front();
  CHECK(seen.method == "POST");
  CHECK(seen.target == "/hook?key=PathKey0123456789");
  CHECK(seen.headers.at("content-type") == "application/json");
  CHECK(seen.headers.at("x-tbci-event") == "report.filed");
  CHECK(seen.headers.at("x-tbci-signature-256") == "sha256=" + hmac_sha256_hex(shared_secret, seen.body));
  const auto json = nlohmann::json::parse(seen.body);
  CHECK(json.at("event") == "report.filed");
  CHECK(json.at("delivery") == seen.headers.at("x-tbci-delivery"));
  CHECK(json.at("to") == bench.settings.url);
  CHECK(json.at("sent") == to_iso8601(bench.clock.now()));
  const auto& report = json.at("report");
  CHECK(report.at("id") == 7);
  CHECK(report.at("subject") == bench.report.subject);
  CHECK(report.at("marker") == bench.report.marker);
  CHECK(report.at("revision") == 1);
  CHECK(report.at("title") == bench.report.title);
  CHECK(report.at("body") == bench.report.body);
  CHECK(report.at("labels") == bench.report.labels);
  CHECK(report.at("open") == true);
  CHECK(report.at("notes").empty());
  CHECK(report.at("created") == to_iso8601(bench.report.created));
  CHECK_FALSE(shows_secret(attempt.reference));
}

TEST_CASE("Webhook: each try of a revision has the same id, and each revision one of its own", "[github]") {
  WebhookBench bench;
  std::set<std::string> ids, signatures;
  bench.deliver({.status = 503});
  bench.clock.advance(std::chrono::minutes(5));
  bench.deliver({.status = 200});
  for (const test::Seen& seen : bench.server.seen()) {
    ids.insert(seen.headers.at("x-tbci-delivery"));
    signatures.insert(seen.headers.at("x-tbci-signature-256"));
  }
  CHECK(ids.size() == 1);
  CHECK(signatures.size() == 2);  // the time is a part of what is signed

  bench.report.revision = 2;
  bench.deliver({.status = 200});
  const test::Seen last = bench.server.seen().back();
  CHECK(last.headers.at("x-tbci-event") == "report.revised");
  CHECK_FALSE(ids.contains(last.headers.at("x-tbci-delivery")));
}

TEST_CASE("Webhook: waits for a person where one must act, and for the outbox where time may help", "[github]") {
  WebhookBench bench;
  const TimePoint person = bench.clock.now() + wait_for_a_person;
  const std::map<int, std::pair<std::optional<TimePoint>, bool>> expected = {
      {302, {person, false}}, {400, {person, true}},  {401, {person, false}}, {403, {person, false}},
      {404, {person, false}}, {408, {{}, false}},     {410, {person, false}}, {413, {person, true}},
      {422, {person, true}},  {425, {{}, false}},     {500, {{}, false}},     {502, {{}, false}},
      {503, {{}, false}},     {405, {person, false}},
  };
  for (const auto& [status, wait] : expected) {
    INFO(status);
    const Attempt attempt = bench.deliver({.status = status, .headers = {{"Location", bench.server.url() + "/other"}}});
    CHECK(attempt.outcome == Attempt::Outcome::retry);
    CHECK(attempt.not_before == wait.first);
    CHECK(attempt.only_this == wait.second);
    CHECK(contains(attempt.error.message, std::to_string(status)));
    CHECK_FALSE(shows_secret(attempt.error.message));
  }
  CHECK(bench.server.count("POST", "/other") == 0);
  CHECK(bench.server.count("GET") == 0);
  const Attempt busy = bench.deliver({.status = 429, .headers = {{"Retry-After", "90"}}});
  CHECK(busy.not_before == bench.clock.now() + std::chrono::seconds(90));
}

TEST_CASE("Webhook: what the receiver says is hidden where it is a secret, and short", "[github]") {
  WebhookBench bench;
  const std::string echo = "bad: " + shared_secret + " PathKey0123456789\r\n\x1b[31m" + std::string(100'000, 'x');
  const Attempt attempt = bench.deliver({.status = 400, .body = echo});
  CHECK(contains(attempt.error.message, "bad: ***"));
  CHECK_FALSE(shows_secret(attempt.error.message));
  CHECK(attempt.error.message.size() < 400);
  CHECK_FALSE(contains(attempt.error.message, "\x1b"));
}

TEST_CASE("Webhook: a lost answer is tried again, and a stop counts as no attempt", "[github]") {
  WebhookBench bench;
  const Attempt lost = bench.deliver({.status = 0});
  CHECK(lost.outcome == Attempt::Outcome::retry);
  CHECK(lost.error.kind == ErrorKind::transient);
  CHECK_FALSE(shows_secret(lost.error.message));
  CHECK(bench.attempts_kept == 1);
  std::stop_source stop;
  stop.request_stop();
  CHECK(bench.deliver({}, stop.get_token()).error.kind == ErrorKind::interrupted);
  CHECK(bench.attempts_kept == 1);
}

TEST_CASE("Webhook: sends nothing that it could not keep, and nothing without a secret of its own", "[github]") {
  WebhookBench bench;
  bench.may_write = fail(ErrorKind::machine, "full disk");
  CHECK(bench.deliver({.status = 200}).error.message == "full disk");
  bench.may_write = {};
  std::filesystem::permissions(bench.settings.secret_file, std::filesystem::perms::all);
  CHECK(contains(bench.deliver({.status = 200}).error.message, "chmod 600"));
  bench.settings.secret_file.clear();
  CHECK(contains(bench.deliver({.status = 200}).error.message, "[report.webhook]"));
  CHECK(bench.server.seen().empty());
}

TEST_CASE("Webhook: takes only addresses that keep what is sent", "[github]") {
  WebhookBench bench;
  for (const std::string url : {"", "http://example.org/x", "https://user:word@example.org/", "ftp://x/", "x"}) {
    bench.settings.url = url;
    const auto made = make_webhook_channel(bench.settings, bench.http, bench.clock);
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == ErrorKind::usage);
    CHECK_FALSE(contains(made.error().message, "word@"));
  }
}

}  // namespace tbci::webhook_channel_test
