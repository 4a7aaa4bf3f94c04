#include "github/mail_channel.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "github/answers.hpp"
#include "tests/catch.hpp"
#include "tests/environment_variable.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/github/facts.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::mail_channel_test {

using namespace tbci::github;

namespace {

namespace fs = std::filesystem;

// A sendmail of our own: it keeps its arguments, its environment and the message, and ends as the test says.
struct MailBench {
  explicit MailBench(const std::string& ending = "exit 0") {
    settings.addresses = {.from = "tbci@example.org", .to = {"a@example.org", "b@example.org"}};
    settings.sendmail = folder / "sendmail";
    const std::string script = fmt::format(
        "#!/bin/sh\nfor one; do echo \"$one\"; done > {}/arguments\nenv > {}/environment\n"
        "cat > {}/message\n{}\n",
        folder.path().string(), folder.path().string(), folder.path().string(), ending);
    REQUIRE(write_file_atomically(settings.sendmail, script));
    fs::permissions(settings.sendmail, fs::perms::owner_all);
  }
  Attempt deliver(std::stop_token stop = {}) {
    const auto channel = make_mail_channel(settings, processes, clock);
    CHECK(channel->name() == "mail");
    const auto keep = [this]() -> Status {
      nothing_sent_when_kept = !fs::exists(folder / "message");
      ++attempts_kept;
      return may_send;
    };
    return channel->deliver({.report = report, .before_write = keep}, std::move(stop));
  }
  std::string text(const std::string& name) const { return read_file(folder / name).value_or(""); }

  test::TemporaryDirectory folder;
  test::ManualClock clock;
  SystemProcessRunner processes;
  MailSettings settings;
  model::Report report = make_report(test::culprit_facts());
  Status may_send = {};
  int attempts_kept = 0;
  bool nothing_sent_when_kept = false;
};

}  // namespace

TEST_CASE("Mail channel: gives sendmail the message and the addresses, and no secret", "[github]") {
  const test::EnvironmentVariable token("GITHUB_TOKEN", "ghp_secret");
  const test::EnvironmentVariable credentials("CREDENTIALS_DIRECTORY", "/run/credentials/x");
  MailBench bench;
  const Attempt attempt = bench.deliver();
  CHECK(attempt.outcome == Attempt::Outcome::delivered);
  CHECK(attempt.reference == message_id(bench.report, "tbci@example.org"));
  CHECK(bench.text("arguments") == "-i\n-f\ntbci@example.org\n--\na@example.org\nb@example.org\n");
  CHECK(bench.text("message") == mail_message(bench.report, bench.settings.addresses, bench.clock.now()));
  CHECK_FALSE(contains(bench.text("environment"), "ghp_secret"));
  CHECK_FALSE(contains(bench.text("environment"), "CREDENTIALS_DIRECTORY"));
  CHECK(bench.attempts_kept == 1);
  CHECK(bench.nothing_sent_when_kept);
}

TEST_CASE("Mail channel: a revision is sent where people should read of it, with that above its text", "[github]") {
  MailBench bench;
  const std::string first = bench.deliver().reference;
  fs::remove(bench.folder / "message");
  bench.report.revision = 2;
  Dispatch dispatch{.report = bench.report, .reference = first, .delivered_revision = 1, .notes = {}};
  const auto channel = make_mail_channel(bench.settings, bench.processes, bench.clock);
  CHECK(channel->deliver(dispatch, {}).reference == first);
  CHECK_FALSE(fs::exists(bench.folder / "message"));  // last night's figures alone
  dispatch.notes = {{.id = 1, .report_id = 1, .revision = 1, .text = "an old note", .made = {}},
                    {.id = 2, .report_id = 1, .revision = 2, .text = "It became worse.", .made = {}}};
  CHECK(channel->deliver(dispatch, {}).outcome == Attempt::Outcome::delivered);
  model::Report with_news = bench.report;
  with_news.body = "It became worse.\n\n" + bench.report.body;
  CHECK(bench.text("message") == mail_message(with_news, bench.settings.addresses, bench.clock.now()));
}

TEST_CASE("Mail channel: the exit code says whether to wait, for whom, or for nothing", "[github]") {
  using Outcome = Attempt::Outcome;
  const auto ended = [](const std::string& ending) { return MailBench("echo full mailbox >&2; " + ending).deliver(); };
  for (const std::string soon : {"exit 75", "exit 68", "exit 71", "exit 74", "exit 76", "kill -9 $$"}) {
    INFO(soon);
    const Attempt attempt = ended(soon);
    CHECK(attempt.outcome == Outcome::retry);
    CHECK_FALSE(attempt.not_before);
    CHECK(contains(attempt.error.message, "full mailbox"));
  }
  for (const std::string person : {"exit 64", "exit 67", "exit 69", "exit 77", "exit 78", "exit 1", "exit 127"}) {
    INFO(person);
    const Attempt attempt = ended(person);
    CHECK(attempt.outcome == Outcome::retry);
    CHECK(attempt.not_before == test::ManualClock().now() + wait_for_a_person);
  }
  CHECK(ended("exit 65").outcome == Outcome::refused);
}

TEST_CASE("Mail channel: a sendmail that hangs is ended, and one that is missing waits for a person", "[github]") {
  MailBench bench("sleep 60");
  bench.settings.time_limit = std::chrono::milliseconds(500);
  const Attempt attempt = bench.deliver();
  CHECK(attempt.outcome == Attempt::Outcome::retry);
  CHECK_FALSE(attempt.not_before);
  fs::remove(bench.settings.sendmail);
  const Attempt missing = bench.deliver();
  CHECK(missing.not_before == bench.clock.now() + wait_for_a_person);
  CHECK(contains(missing.error.message, bench.settings.sendmail.string()));
}

TEST_CASE("Mail channel: sends nothing that it could not keep, and nothing after a stop", "[github]") {
  MailBench bench;
  bench.may_send = fail(ErrorKind::machine, "full disk");
  CHECK(bench.deliver().error.message == "full disk");
  std::stop_source stop;
  stop.request_stop();
  CHECK(bench.deliver(stop.get_token()).error.kind == ErrorKind::interrupted);
  CHECK_FALSE(fs::exists(bench.folder / "message"));
}

TEST_CASE("Mail channel: what sendmail says is one harmless line", "[github]") {
  MailBench bench("printf 'a\\033[31m\\nb' >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; exit 75");
  const std::string message = bench.deliver().error.message;
  CHECK(contains(message, "[31m bxxx"));
  CHECK_FALSE(contains(message, "\x1b"));
  CHECK(message.size() < 500);
}

}  // namespace tbci::mail_channel_test
