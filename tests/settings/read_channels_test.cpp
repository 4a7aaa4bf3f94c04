#include "settings/read_channels.hpp"

#include "base/text.hpp"
#include "settings/config.hpp"
#include "tests/catch.hpp"

namespace tbci::read_channels_test {

using namespace tbci::settings;

namespace {

ReportConfig read(const std::string& text) {
  const auto config = parse_config("[report]\n" + text, "x.toml");
  INFO((config ? std::string() : config.error().message));
  REQUIRE(config);
  return config->report;
}

std::string error_of(const std::string& text) {
  const auto config = parse_config("[report]\n" + text, "x.toml");
  REQUIRE_FALSE(config);
  CHECK(config.error().kind == ErrorKind::usage);
  return config.error().message;
}

}  // namespace

TEST_CASE("Configuration: a webhook has an address, a secret and a connection like GitHub's", "[config]") {
  const std::string webhook = "channels = [\"webhook\"]\n[report.webhook]\n";
  const ReportConfig report = read(webhook +
                                   "url = \"https://hooks.example.org/tbci\"\nsecret_file = \"/s\"\n"
                                   "certificates = \"/c.pem\"\nproxy = \"http://p:1\"\n");
  CHECK(report.channels == std::vector<std::string>{"webhook"});
  CHECK(report.webhook.url == "https://hooks.example.org/tbci");
  CHECK(report.webhook.secret_file == "/s");
  CHECK(report.webhook.certificates == "/c.pem");
  CHECK(report.webhook.proxy == "http://p:1");
  CHECK_FALSE(report.messenger);
  CHECK(read(webhook + "url = \"https://h/\"\n").messenger);  // systemd's credential is the messenger's alone
  CHECK(contains(error_of(webhook), "report.webhook.url"));
  CHECK(contains(error_of(webhook + "url = \"http://h/\"\n"), "https"));
  CHECK(contains(error_of(webhook + "url = \"https://a:b@h/\"\n"), "https"));
  CHECK(contains(error_of(webhook + "url = \"https://h/\"\nproxy = \"p:1\"\n"), "http://HOST:PORT"));
  CHECK(contains(error_of(webhook + "url = \"https://h/\"\nsecret = \"x\"\n"), "unknown key 'report.webhook.secret'"));
}

TEST_CASE("Configuration: mail has plain addresses and a program", "[config]") {
  const std::string mail = "channels = [\"mail\"]\n[report.mail]\n";
  const ReportConfig report = read(mail + "to = [\"a@x.org\", \"b@y.org\"]\nfrom = \"tbci@x.org\"\n");
  CHECK(report.mail.to == std::vector<std::string>{"a@x.org", "b@y.org"});
  CHECK(report.mail.from == "tbci@x.org");
  CHECK(report.mail.sendmail == "/usr/sbin/sendmail");
  CHECK_FALSE(report.messenger);
  CHECK(contains(error_of(mail + "to = [\"a@x.org\"]\n"), "report.mail.from"));
  CHECK(contains(error_of(mail + "from = \"a@x.org\"\n"), "report.mail.to"));
  CHECK(contains(error_of(mail + "sendmail = \"sendmail\"\n"), "absolute"));
  for (const std::string to : {"-oQ/tmp@x", "a", "@x", "a@", "a b@x", "a@x\\nBcc: c@y", "A <a@x>", "a@x,b@y", "a@b@c"})
    CHECK(contains(error_of(mail + "from = \"a@x\"\nto = [\"" + to + "\"]\n"), "plain address"));
  CHECK(contains(error_of(mail + "from = \"a@x\\nBcc: c@y\"\nto = [\"a@x\"]\n"), "plain address"));
}

TEST_CASE("Configuration: a digest has a day, a time, and channels of its own", "[config]") {
  const std::string digest = "[report.digest]\n";
  CHECK_FALSE(read("").digest.weekday);
  const ReportConfig report = read(digest + "weekday = \"monday\"\nschedule = \"07:30\"\nchannels = [\"folder\"]\n");
  CHECK(report.digest.weekday == std::chrono::Monday);
  CHECK(report.digest.time_of_day == std::chrono::minutes(450));
  CHECK(report.digest.channels == std::vector<std::string>{"folder"});
  CHECK(read(digest + "weekday = \"sunday\"\nchannels = [\"folder\"]\n").digest.weekday == std::chrono::Sunday);
  CHECK(contains(error_of(digest + "weekday = \"mon\"\nchannels = [\"folder\"]\n"), "monday"));
  CHECK(contains(error_of(digest + "weekday = \"monday\"\n"), "report.digest.channels"));
  CHECK(contains(error_of(digest + "channels = [\"github\"]\n"), "an issue is about one fault"));
  CHECK(contains(error_of(digest + "channels = [\"fax\"]\n"), "unknown channel 'fax'"));
  CHECK(contains(error_of(digest + "schedule = \"25:00\"\n"), "time of day"));
}

TEST_CASE("Configuration: what only the digest goes to must be complete as well", "[config]") {
  const std::string digest = "[report.digest]\nchannels = [\"webhook\", \"mail\"]\n";
  CHECK(contains(error_of(digest), "report.webhook.url"));
  const ReportConfig report = read(digest +
                                   "[report.webhook]\nurl = \"https://h/\"\n"
                                   "[report.mail]\nto = [\"a@x\"]\nfrom = \"b@x\"\n");
  CHECK(report.used_channels() == std::vector<std::string>{"folder", "webhook", "mail"});
  CHECK(report.messenger);
}

}  // namespace tbci::read_channels_test
