#include "github/credentials.hpp"

#include "github/api.hpp"
#include "github/app_jwt.hpp"
#include "tests/github/app_key.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::credentials_test {

using namespace tbci::github;
using std::chrono::minutes;
using std::chrono::seconds;
using Outcome = Attempt::Outcome;

namespace {

// A server that knows an App, and a channel with its key.
struct AppBench : test::ChannelBench {
  AppBench() {
    settings.token_file.clear();
    settings.app = AppSettings{.id = "Iv1.client", .key_file = directory / "key", .installation = 7};
    write_key(key.pem());
    server.with([&](test::StubGithub& github) {
      github.tokens.clear();
      github.login = "tbci-app[bot]";
      github.is_app = [this](const std::string& jwt) {
        const auto claims = key.claims(jwt);
        if (claims) last_claims = *claims;
        return claims.has_value();
      };
    });
  }
  void write_key(const std::string& pem) {
    REQUIRE(write_file_atomically(directory / "key", pem));
    std::filesystem::permissions(directory / "key",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  void advance(std::chrono::milliseconds time) {
    clock.advance(time);
    server.with([&](test::StubGithub& github) { github.now = clock.now(); });
  }
  int bought() {
    return server.with([](test::StubGithub& github) { return github.bought; });
  }

  test::AppKey key;
  nlohmann::json last_claims;
};

}  // namespace

TEST_CASE("App: its token says who it is for ten minutes, signed with its key", "[github]") {
  const test::AppKey key, other;
  const TimePoint now = test::at(seconds(1'800'000'000));
  const auto jwt = app_jwt("Iv1.client", key.pem(), now);
  REQUIRE(jwt);
  const auto claims = key.claims(*jwt);
  REQUIRE(claims);
  CHECK(*claims == nlohmann::json{{"iat", 1'799'999'940}, {"exp", 1'800'000'540}, {"iss", "Iv1.client"}});
  CHECK_FALSE(other.claims(*jwt));
  std::string forged = *jwt;
  forged[forged.find('.') + 5] ^= 1;
  CHECK_FALSE(key.claims(forged));
}

TEST_CASE("App: anything but a private RSA key is an error without a part of it", "[github]") {
  const test::AppKey elliptic(EVP_EC_gen("P-256"));
  const test::AppKey key;
  std::string damaged = key.pem();
  damaged[200] = damaged[200] == 'A' ? 'B' : 'A';
  for (const std::string& pem : {std::string(), std::string("a word"), elliptic.pem(), key.pem("a password"),
                                 damaged.substr(0, damaged.size() / 2)}) {
    const auto jwt = app_jwt("1", pem, {});
    REQUIRE_FALSE(jwt);
    CHECK(jwt.error().kind == ErrorKind::machine);
    CHECK(jwt.error().message.find("RSA key in PEM") != std::string::npos);
    if (pem.size() > 100) CHECK(jwt.error().message.find(pem.substr(40, 20)) == std::string::npos);
  }
}

TEST_CASE("App: buys a token of its installation and renews it minutes before its end", "[github]") {
  AppBench bench;
  const auto channel = bench.channel();
  const auto deliver = [&] {
    const Attempt attempt = channel->deliver({.report = bench.report}, {});
    CAPTURE(attempt.error.message);
    CHECK(attempt.outcome == Outcome::delivered);
  };
  deliver();
  CHECK(bench.bought() == 1);
  CHECK(bench.last_claims.at("iss") == "Iv1.client");
  bench.advance(minutes(54));
  deliver();
  CHECK(bench.bought() == 1);
  bench.advance(minutes(1));
  deliver();
  CHECK(bench.bought() == 2);
  for (const auto& seen : bench.server.seen()) {
    const bool of_app = seen.target.starts_with("/app/");
    CHECK(seen.header("authorization").starts_with(of_app ? "Bearer ey" : "Bearer ghs_installation"));
  }
  CHECK(bench.server.issues().size() == 1);
}

TEST_CASE("App: a token that GitHub no longer takes is bought again, once", "[github]") {
  AppBench bench;
  const auto channel = bench.channel();
  CHECK(channel->deliver({.report = bench.report}, {}).outcome == Outcome::delivered);
  bench.server.with([](test::StubGithub& github) { github.tokens.clear(); });
  CHECK(channel->deliver({.report = bench.report}, {}).outcome == Outcome::delivered);
  CHECK(bench.bought() == 2);
  for (int i = 0; i < 2; ++i) bench.server.answer_next("GET", {401});
  const Attempt attempt = channel->deliver({.report = bench.report}, {});
  CHECK(attempt.not_before == bench.clock.now() + std::chrono::hours(6));
  CHECK(bench.bought() == 3);
}

TEST_CASE("App: a token's life is no longer than an hour, whatever the server says", "[github]") {
  AppBench bench;
  bench.server.with([](test::StubGithub& github) { github.token_life = std::chrono::hours(10'000); });
  const auto channel = bench.channel();
  channel->deliver({.report = bench.report}, {});
  bench.advance(minutes(56));
  channel->deliver({.report = bench.report}, {});
  CHECK(bench.bought() == 2);
  for (const std::string body : {R"({"token": "ghs_x", "expires_at": "soon"})", R"({"token": "ghs_x"})"}) {
    bench.advance(minutes(56));
    bench.server.answer_next("POST", {201, {}, body});
    bench.server.with([](test::StubGithub& github) { github.tokens = {"ghs_x"}; });
    CHECK(channel->deliver({.report = bench.report}, {}).outcome == Outcome::delivered);
  }
}

TEST_CASE("App: an installation that is gone, a wrong key or an odd answer is a wait", "[github]") {
  AppBench bench;
  const auto complaint = [&] {
    const Attempt attempt = bench.deliver(bench.report);
    CHECK(attempt.outcome == Outcome::retry);
    CHECK(bench.server.issues().empty());
    return attempt.error.message;
  };
  for (const int status : {404, 401, 403, 422, 500}) {
    bench.server.answer_next("POST", {status});
    CHECK(complaint().find("buying a token of the GitHub App") != std::string::npos);
  }
  for (const std::string body : {"<html>", "[]", R"({"token": 5})", R"({"token": "a\r\nb"})", R"({"token": ""})"}) {
    bench.server.answer_next("POST", {201, {}, body});
    CHECK(complaint().find("not from GitHub's API") != std::string::npos);
  }
  bench.write_key(test::AppKey().pem());
  CHECK(complaint().find("could not be decoded") != std::string::npos);
  bench.write_key("no key");
  CHECK(complaint().find("RSA key") != std::string::npos);
  std::filesystem::permissions(bench.directory / "key", std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  CHECK(complaint().find("chmod 600") != std::string::npos);
  std::filesystem::remove(bench.directory / "key");
  CHECK(complaint().find("private key file") != std::string::npos);
  bench.write_key(bench.key.pem());
  CHECK(bench.deliver(bench.report).outcome == Outcome::delivered);
}

TEST_CASE("App: its lost issue is found by the App's name, whatever GitHub's filter knows", "[github]") {
  for (const bool named : {true, false}) {
    AppBench bench;
    bench.server.with([](test::StubGithub& github) { github.drops_labels = true; });
    const auto channel = bench.channel();
    bench.server.answer_next("GET", {200, {}, "[]"});
    CHECK(channel->deliver({.report = bench.report}, {}).outcome == Outcome::delivered);
    bench.server.with([&](test::StubGithub& github) {
      if (named) return;
      github.issues[0]["user"]["login"] = "odd-name[bot]";
      github.issues[0]["performed_via_github_app"] = {{"slug", "tbci-app"}};
    });
    const Attempt again = channel->deliver({.report = bench.report, .attempted = bench.clock.now()}, {});
    CAPTURE(again.error.message);
    CHECK(again.reference == "https://github.com/octo/demo/issues/1");
    CHECK(bench.server.issues().size() == 1);
    CHECK(bench.server.count("GET", "creator=") == 0);
  }
}

TEST_CASE("App: a marker that somebody else wrote is not taken for its lost issue", "[github]") {
  AppBench bench;
  bench.server.with([](test::StubGithub& github) { github.drops_labels = true; });
  CHECK(bench.deliver(bench.report).outcome == Outcome::delivered);
  bench.server.with([](test::StubGithub& github) { github.issues[0]["user"]["login"] = "mallory"; });
  const Attempt again = bench.channel()->deliver({.report = bench.report, .attempted = bench.clock.now()}, {});
  CHECK(again.reference == "https://github.com/octo/demo/issues/2");
}

TEST_CASE("App: neither JWT nor token nor key is read anywhere", "[github]") {
  AppBench bench;
  const test::CapturedLog log(bench.directory / "log");
  const auto channel = bench.channel();
  CHECK(channel->deliver({.report = bench.report}, {}).outcome == Outcome::delivered);
  std::string texts;
  const auto echo_all = [&](const std::string& method) {
    std::string all;
    for (const auto& seen : bench.server.seen()) all += seen.header("authorization") + " ";
    bench.server.answer_next(method, {403, {}, nlohmann::json{{"message", all}}.dump()});
    texts += channel->deliver({.report = bench.report}, {}).error.message + "\n";
  };
  echo_all("GET");
  bench.advance(minutes(56));
  echo_all("POST");
  CHECK(texts.find("***") != std::string::npos);
  for (const auto& seen : bench.server.seen()) {
    const std::string token = seen.header("authorization").substr(7);
    for (std::size_t at = 0; at + 8 <= token.size(); ++at) {
      REQUIRE(texts.find(token.substr(at, 8)) == std::string::npos);
      REQUIRE(log.text().find(token.substr(at, 8)) == std::string::npos);
    }
  }
  CHECK(texts.find("PRIVATE") == std::string::npos);
}

TEST_CASE("GitHub channel: an App without id or installation is rejected at construction", "[github]") {
  AppBench bench;
  for (const AppSettings& app : {AppSettings{.id = "", .key_file = {}, .installation = 7},
                                 AppSettings{.id = "a b", .key_file = {}, .installation = 7},
                                 AppSettings{.id = "1", .key_file = {}, .installation = 0}}) {
    bench.settings.app = app;
    const auto made = make_github_channel(bench.settings, bench.http, bench.clock);
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == ErrorKind::usage);
  }
}

}  // namespace tbci::credentials_test
