#include "github/secrets.hpp"

#include <set>

#include "github/answers.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::secrets_test {

using namespace tbci::github;

namespace {

const std::string secret = test::secret_token;

// Whether a text has 8 characters of the token, one after the other.
bool shows_a_part(const std::string& text) {
  for (std::size_t at = 0; at + 8 <= secret.size(); ++at) {
    if (text.find(secret.substr(at, 8)) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("Secrets: no part of a token stays, wherever the text is cut", "[github]") {
  Secrets secrets;
  secrets.add(secret);
  for (std::size_t bytes = 0; bytes < 120; ++bytes) {
    const std::string line = secrets.line("you sent " + secret + " and again " + secret, bytes);
    CAPTURE(bytes, line);
    CHECK_FALSE(shows_a_part(line));
    CHECK(line.find("ghp_") == std::string::npos);
  }
  for (std::size_t length = 4; length <= secret.size(); ++length) {  // the server has cut it
    CHECK(secrets.line("you sent " + secret.substr(0, length), 300) == "you sent ***");
  }
  for (std::size_t from = 0; from + 8 <= secret.size(); ++from) {
    CHECK(secrets.line("..." + secret.substr(from) + ".", 300) == "...***.");
  }
  for (std::size_t padding = 7'900; padding < 8'200; ++padding) {  // where tbci stops to look
    CHECK_FALSE(shows_a_part(secrets.line(std::string(padding, '.') + secret, 20'000)));
  }
}

TEST_CASE("Secrets: a token in pieces that become whole when the text is cleaned is hidden", "[github]") {
  Secrets secrets;
  secrets.add(secret);
  const std::string split = secret.substr(0, 6) + "\xE2\x80\xAE" + secret.substr(6);
  CHECK(secrets.line("you sent " + split, 300) == "you sent ***");
}

TEST_CASE("Secrets: other text is left as it is", "[github]") {
  Secrets secrets;
  CHECK(secrets.hidden("any text") == "any text");
  secrets.add("");
  secrets.add("short");
  CHECK(secrets.hidden("a short shor sho") == "a *** shor sho");
  secrets.add(secret);
  CHECK(secrets.hidden("ghp_ SecretS ghp") == "ghp_ SecretS ghp");
  for (int i = 0; i < 20; ++i) secrets.add("another secret " + std::to_string(i));
  CHECK(secrets.hidden(secret) == secret);  // only the newest are known
}

TEST_CASE("GitHub channel: whatever a server echoes, no message has a part of the token", "[github]") {
  test::ChannelBench bench;
  const auto channel = bench.channel();
  const auto escaped_token = [] {
    std::string text;
    for (const char c : secret) text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    return text;
  }();
  for (std::size_t padding = 0; padding < 330; ++padding) {
    for (const std::string& echoed : {secret, escaped_token}) {
      const int status = padding % 2 == 0 ? 422 : 500;
      bench.server.answer_next("GET", {status, {}, R"({"message": ")" + std::string(padding, '.') + echoed + R"("})"});
      const Attempt attempt = channel->deliver({.report = bench.report}, {});
      CAPTURE(padding, attempt.error.message);
      REQUIRE_FALSE(shows_a_part(attempt.error.message));
      REQUIRE(attempt.error.message.find(secret.substr(0, 5)) == std::string::npos);
      REQUIRE(attempt.error.message.size() < 600);
    }
  }
}

TEST_CASE("GitHub channel: a redirect or a page that names the token does not show it", "[github]") {
  test::ChannelBench bench;
  const test::CapturedLog log(bench.directory / "log");
  std::string texts;
  for (std::size_t padding = 0; padding < 130; ++padding) {
    const std::string place = bench.server.url() + "/" + std::string(padding, 'x') + secret;
    bench.server.answer_next("GET", {301, {{"Location", place}}});
    bench.server.answer_next("GET", {200, {}, "[]"});
    bench.server.answer_next("POST", {422});
    texts += bench.deliver(bench.report).error.message;
    bench.server.answer_next("GET", {301, {{"Location", "https://other.example/" + place.substr(21)}}});
    texts += bench.deliver(bench.report).error.message;
  }
  CHECK(log.text().find("has moved to") != std::string::npos);
  CHECK_FALSE(shows_a_part(log.text()));
  CHECK_FALSE(shows_a_part(texts));
}

}  // namespace tbci::secrets_test
