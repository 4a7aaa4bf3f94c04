#include "github/github_channel.hpp"

#include <filesystem>

#include "base/log.hpp"
#include "github/issue_mark.hpp"
#include "github/outbox.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::github_channel_test {

using namespace tbci::github;
using std::chrono::seconds;
using Outcome = Attempt::Outcome;

namespace {

const std::string secret = test::secret_token;
using Bench = test::ChannelBench;
using test::CapturedLog;

}  // namespace

TEST_CASE("GitHub channel: files an issue with title, body and labels", "[github]") {
  Bench bench;
  const Attempt attempt = bench.deliver(bench.report);
  CAPTURE(attempt.error.message);
  REQUIRE(attempt.outcome == Outcome::delivered);
  CHECK(attempt.reference == "https://github.com/octo/demo/issues/1");
  const auto issues = bench.server.issues();
  REQUIRE(issues.size() == 1);
  CHECK(issues[0].at("title") == bench.report.title);
  const std::string body = issues[0].at("body");
  IssueMark mark = mark_of(bench.report, true);
  for (const std::string& label : bench.report.labels) mark.given.push_back(given_digest("label", label));
  CHECK(body == marked_text(bench.report, mark));
  CHECK(body.starts_with(bench.report.body.substr(0, 400)));
  CHECK(has_marker(body, bench.report.marker));
  CHECK(issues[0].at("labels").size() == 2);
  for (const auto& seen : bench.server.seen()) {
    CHECK(seen.headers.at("authorization") == "Bearer " + secret);
    CHECK(seen.headers.at("x-github-api-version") == "2022-11-28");
  }
}

TEST_CASE("GitHub channel: finds an existing report by its marker and does not file it again", "[github]") {
  Bench bench;
  const std::string first = bench.deliver(bench.report).reference;
  model::Report again = bench.report;
  again.title = "another title";
  const Attempt attempt = bench.deliver(again);
  CHECK(attempt.outcome == Outcome::delivered);
  CHECK(attempt.reference == first);
  CHECK(bench.server.issues().size() == 1);
  CHECK(bench.server.count("POST") == 1);
}

TEST_CASE("GitHub channel: a closed issue counts as existing, a pull request or a quoted marker does not", "[github]") {
  Bench bench;
  bench.server.add_issue("pull", bench.report.body, "open", true);
  bench.server.add_issue("quote", "> " + marker_comment(bench.report.marker));
  bench.server.add_issue("other", marker_comment(std::string(32, '0')));
  CHECK(bench.deliver(bench.report).reference == "https://github.com/octo/demo/issues/4");

  Bench closed;
  closed.server.add_issue("mine", "text\r\n\r\n" + marker_comment(closed.report.marker), "closed");
  CHECK(closed.deliver(closed.report).reference == "https://github.com/octo/demo/issues/1");
  CHECK(closed.server.count("POST") == 0);
}

TEST_CASE("GitHub channel: finds an earlier issue on a later page", "[github]") {
  Bench bench;
  bench.server.add_issue("mine", bench.report.body);
  for (int i = 0; i < 6; ++i) bench.server.add_issue("newer", "text");
  bench.server.set_page_size(2);
  CHECK(bench.deliver(bench.report).reference == "https://github.com/octo/demo/issues/1");
  CHECK(bench.server.count("GET") == 4);
  CHECK(bench.server.count("POST") == 0);
}

TEST_CASE("GitHub channel: reads a limited number of pages", "[github]") {
  Bench bench;
  for (int i = 0; i < 6; ++i) bench.server.add_issue("newer", "text");
  bench.report.culprits.clear();
  bench.server.set_page_size(1);
  bench.settings.most_pages = 3;
  const CapturedLog log(bench.directory / "log");
  CHECK(bench.deliver(bench.report).outcome == Outcome::delivered);
  CHECK(bench.server.count("GET") == 3);
  CHECK(log.text().find("newest 3 pages") != std::string::npos);
}

TEST_CASE("GitHub channel: never sends the token to another host", "[github]") {
  Bench bench;
  test::StubServer other(secret);
  for (int i = 0; i < 3; ++i) bench.server.add_issue("newer", "text");
  bench.server.set_page_size(2);
  bench.server.set_link_origin(other.url());
  const Attempt attempt = bench.deliver(bench.report);
  CHECK(attempt.outcome == Outcome::retry);
  CHECK(attempt.not_before == bench.clock.now() + std::chrono::hours(6));
  CHECK(attempt.error.message.find("another host") != std::string::npos);
  CHECK(other.seen().empty());
  CHECK(bench.server.count("POST") == 0);
}

TEST_CASE("GitHub channel: a retry finds an issue whose answer was lost", "[github]") {
  for (const int status : {0, 502}) {
    Bench bench;
    bench.server.answer_next("POST", {status, {}, "{}", true});
    const Attempt lost = bench.deliver(bench.report);
    CHECK(lost.outcome == Outcome::retry);
    CHECK(lost.error.kind == ErrorKind::transient);
    REQUIRE(bench.server.issues().size() == 1);
    const Attempt retried = bench.deliver(bench.report);
    CHECK(retried.outcome == Outcome::delivered);
    CHECK(retried.reference == "https://github.com/octo/demo/issues/1");
    CHECK(bench.server.issues().size() == 1);
    CHECK(bench.server.count("POST") == 1);
  }
}

TEST_CASE("GitHub channel: distinguishes failures of the two requests", "[github]") {
  for (const std::string method : {"GET", "POST"}) {
    Bench bench;
    const auto after = [&](test::Trouble trouble) {
      bench.server.answer_next(method, std::move(trouble));
      return bench.deliver(bench.report);
    };
    CHECK(after({500}).outcome == Outcome::retry);
    CHECK(after({0}).outcome == Outcome::retry);
    CHECK(after({200, {}, "<html>a proxy</html>"}).outcome != Outcome::delivered);
    CHECK(after({403, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1800000120"}}}).not_before ==
          bench.clock.now() + seconds(120));
    CHECK(after({429, {{"Retry-After", "33"}}}).not_before == bench.clock.now() + seconds(33));
    const Attempt invalid = after({422, {}, R"({"message": "Validation Failed", "errors": [{"field": "title"}]})"});
    CHECK((invalid.outcome == Outcome::refused) == (method == "POST"));  // a question is never refused for ever
    CHECK(invalid.error.message.find("Validation Failed") != std::string::npos);
    CHECK(after({301, {{"Location", "/moved"}}}).outcome == Outcome::retry);
    CHECK(bench.server.issues().empty());
    CHECK(bench.deliver(bench.report).outcome == Outcome::delivered);
  }
}

TEST_CASE("GitHub channel: retries an unreachable server later", "[github]") {
  Bench bench;
  {
    const test::StubServer gone(secret);
    bench.settings.base_url = gone.url();
  }
  const Attempt attempt = bench.deliver(bench.report);
  CHECK(attempt.outcome == Outcome::retry);
  CHECK(attempt.error.kind == ErrorKind::transient);
}

TEST_CASE("GitHub channel: a report that GitHub rejects is refused with GitHub's reason", "[github]") {
  Bench bench;
  bench.report.title.clear();
  const Attempt attempt = bench.deliver(bench.report);
  CHECK(attempt.outcome == Outcome::refused);
  CHECK(attempt.error.message.find("title missing_field") != std::string::npos);
}

TEST_CASE("GitHub channel: does not use a missing, exposed or malformed token", "[github]") {
  using std::filesystem::perms;
  Bench bench;
  const auto complaint = [&] {
    const Attempt attempt = bench.deliver(bench.report);
    CHECK(attempt.outcome == Outcome::retry);
    CHECK(attempt.error.kind == ErrorKind::machine);
    return attempt.error.message;
  };
  bench.write_token(secret, perms::owner_read | perms::others_read);
  CHECK(complaint().find("chmod 600") != std::string::npos);
  bench.write_token("");
  CHECK(complaint().find("no token") != std::string::npos);
  bench.write_token(secret + "\r\nX-Evil: 1");
  CHECK(complaint().find("no token") != std::string::npos);
  std::filesystem::remove(bench.directory / "token");
  CHECK(complaint().find("missing") != std::string::npos);
  std::filesystem::create_directory(bench.directory / "token");
  CHECK(complaint().find("regular file") != std::string::npos);
  bench.settings.token_file.clear();
  CHECK(complaint().find("no token file is known: name one in [report.github]") != std::string::npos);
  CHECK(bench.server.seen().empty());
}

TEST_CASE("GitHub channel: uses a new token immediately", "[github]") {
  Bench bench;
  auto channel = make_github_channel(bench.settings, bench.http, bench.clock);
  REQUIRE(channel);
  bench.write_token("ghp_expired");
  const Attempt waits = (*channel)->deliver({.report = bench.report}, {});
  CHECK(waits.outcome == Outcome::retry);
  CHECK(waits.not_before == bench.clock.now() + std::chrono::hours(6));
  CHECK(waits.error.message.find("Bad credentials") != std::string::npos);
  CHECK(waits.error.message.find("token file") != std::string::npos);
  bench.write_token(secret);
  CHECK((*channel)->deliver({.report = bench.report}, {}).outcome == Outcome::delivered);
}

TEST_CASE("GitHub channel: errors, references and log lines never contain the token", "[github]") {
  Bench bench;
  const CapturedLog log(bench.directory / "log");
  log::set_level(log::Level::debug);
  const std::string echo = R"({"message": "you sent )" + secret + R"(", "errors": [{"message": ")" + secret + R"("}]})";
  std::string texts;
  for (const std::string method : {"GET", "POST"}) {
    for (const int status : {0, 301, 400, 401, 403, 404, 410, 418, 422, 429, 500}) {
      bench.server.answer_next(method, {status, {{"Retry-After", secret}}, echo});
      const Attempt attempt = bench.deliver(bench.report);
      CHECK(attempt.outcome != Outcome::delivered);
      CHECK_FALSE(attempt.error.message.empty());
      texts += attempt.error.message + "\n" + attempt.reference + "\n";
    }
  }
  bench.server.answer_next("POST", {201, {}, R"({"html_url": "https://github.com/)" + secret + R"("})"});
  const Attempt odd = bench.deliver(bench.report);
  CHECK(odd.outcome == Outcome::delivered);
  texts += odd.reference;
  bench.write_token(secret, std::filesystem::perms::all);
  texts += bench.deliver(bench.report).error.message;
  bench.write_token(secret + " " + secret);
  texts += bench.deliver(bench.report).error.message;
  log::set_level(log::Level::info);

  CHECK(texts.find("you sent ***") != std::string::npos);
  CHECK(texts.find(secret) == std::string::npos);
  CHECK(log.text().find("label") != std::string::npos);  // the odd answer had none: that was logged, so the log works
  CHECK(log.text().find(secret) == std::string::npos);
}

TEST_CASE("GitHub channel: a requested stop sends nothing", "[github]") {
  Bench bench;
  std::stop_source stop;
  stop.request_stop();
  CHECK(bench.deliver(bench.report, stop.get_token()).error.kind == ErrorKind::interrupted);
  CHECK(bench.server.seen().empty());
}

TEST_CASE("GitHub channel: rejects invalid settings at construction", "[github]") {
  Bench bench;
  const auto made = [&] { return make_github_channel(bench.settings, bench.http, bench.clock); };
  for (const std::string repository : {"", "demo", "a/b/c", "../x", "a/..", "a/b?x", "a b/c", "/x", "x/"}) {
    bench.settings.repository = repository;
    CAPTURE(repository);
    REQUIRE_FALSE(made());
    CHECK(made().error().kind == ErrorKind::usage);
  }
  bench.settings.repository = "octo/demo";
  bench.settings.base_url = "http://api.github.com";
  REQUIRE_FALSE(made());
  CHECK(made().error().message.find("https") != std::string::npos);
  bench.settings.base_url = bench.server.url() + "//";
  CHECK(bench.deliver(bench.report).outcome == Outcome::delivered);
}

}  // namespace tbci::github_channel_test
