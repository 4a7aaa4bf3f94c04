#include "github/mail_channel.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sysexits.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "github/answers.hpp"
#include "github/markdown.hpp"

namespace tbci::github {

namespace {

constexpr std::size_t longest_shown_error = 200;

// A file without a name, at its beginning: nobody else can read the message, and a full disk does not hinder it.
Result<Descriptor> as_input(std::string_view text) {
  Descriptor file(::memfd_create("message", MFD_CLOEXEC));
  while (file.open() && !text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) file.reset();
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!file.open() || ::lseek(file.get(), 0, SEEK_SET) != 0)
    return fail(ErrorKind::machine, "cannot hand the message to sendmail: {}", std::strerror(errno));
  return file;
}

// Of sysexits.h: a machine or a server that may be well again in some minutes.
bool may_end(int exit_code) {
  return exit_code == EX_TEMPFAIL || exit_code == EX_NOHOST || exit_code == EX_OSERR || exit_code == EX_IOERR ||
         exit_code == EX_PROTOCOL;
}

std::string_view advice_for_mail(int exit_code) {
  switch (exit_code) {
    case EX_USAGE:
      return "it does not know the arguments -i, -f and --: name another program as [report.mail] sendmail";
    case EX_NOUSER:
    case EX_UNAVAILABLE:
      return "it cannot send to these addresses: correct [report.mail] to and from, or its own configuration";
    case EX_NOPERM:
      return "it may not send: correct the account in its own configuration";
    case EX_CONFIG:
      return "its own configuration is wrong";
    default:
      return "run it by hand as tbci's user to see why";
  }
}

// Each night revises an open report: people get mail of what they should read, and find that above the report's text.
std::optional<model::Report> worth_a_mail(const Dispatch& dispatch) {
  model::Report report = dispatch.report;
  if (dispatch.delivered_revision == 0) return report;
  std::string news;
  for (const model::ReportNote& note : dispatch.notes) {
    if (is_due(note, dispatch)) news += note.text + "\n\n";
  }
  if (news.empty()) return std::nullopt;
  report.body = news + report.body;
  return report;
}

class MailChannel final : public Channel {
 public:
  MailChannel(MailSettings settings, ProcessRunner& processes, const Clock& clock)
      : settings_(std::move(settings)), processes_(processes), clock_(clock) {}

  std::string name() const override { return "mail"; }

  Attempt deliver(const Dispatch& dispatch, std::stop_token stop) override {
    if (stop.stop_requested()) return Attempt::retry({ErrorKind::interrupted, "stopped before sending mail"});
    const auto report = worth_a_mail(dispatch);
    if (!report) return Attempt::delivered(dispatch.reference);
    const Result<Descriptor> input = as_input(mail_message(*report, settings_.addresses, clock_.now()));
    if (!input) return Attempt::retry(input.error());
    if (Status kept = dispatch.before_write(); !kept) return Attempt::retry(std::move(kept).error());
    const Result<ProcessOutcome> outcome = processes_.run(command(input->get()), std::move(stop));
    if (!outcome) return wait(fmt::format("sending mail: {}", outcome.error().message));
    return meaning_of(*outcome, message_id(dispatch.report, settings_.addresses.from));
  }

 private:
  Command command(int input) const {
    Command command;
    command.arguments = {settings_.sendmail.string(), "-i", "-f", settings_.addresses.from, "--"};
    const auto& to = settings_.addresses.to;
    command.arguments.insert(command.arguments.end(), to.begin(), to.end());
    command.directory = "/";
    command.time_limit = settings_.time_limit;
    command.input = input;
    return command;
  }

  Attempt wait(const std::string& message) const {
    return Attempt::retry({ErrorKind::machine, message}, clock_.now() + wait_for_a_person);
  }

  Attempt meaning_of(const ProcessOutcome& outcome, std::string id) const {
    if (outcome.interrupted) return Attempt::retry({ErrorKind::interrupted, "stopped while sending mail"});
    if (outcome.succeeded()) return Attempt::delivered(std::move(id));
    const std::string words = plain_line(outcome.error, longest_shown_error);
    const std::string said = fmt::format("sending mail by {}: {}{}", settings_.sendmail.string(),
                                         describe(outcome, settings_.time_limit), words.empty() ? "" : ": " + words);
    if (outcome.signal != 0 || outcome.timed_out || may_end(outcome.exit_code))
      return Attempt::retry({ErrorKind::transient, said + ": tbci tries again later"});
    if (outcome.exit_code == EX_DATAERR)
      return Attempt::refused({ErrorKind::failed, said + ": it takes no such message"});
    return wait(fmt::format("{}: {}", said, advice_for_mail(outcome.exit_code)));
  }

  MailSettings settings_;
  ProcessRunner& processes_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<Channel> make_mail_channel(const MailSettings& settings, ProcessRunner& processes, const Clock& clock) {
  return std::make_unique<MailChannel>(settings, processes, clock);
}

}  // namespace tbci::github
