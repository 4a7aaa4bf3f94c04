#include "daemon/service.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <mutex>
#include <optional>
#include <thread>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/deliveries.hpp"
#include "daemon/heartbeat.hpp"
#include "daemon/service_work.hpp"
#include "daemon/work_pulse.hpp"
#include "web/activity.hpp"
#include "web/http/server.hpp"
#include "web/pages/pages.hpp"

namespace tbci::daemon {

namespace {

// Ends the service with an error: the first one counts. Thread-safe.
class FatalError {
 public:
  explicit FatalError(boost::asio::io_context& context) : context_(context) {}
  void report(const Error& error) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = error;
    }
    context_.stop();
  }
  Status status() const {
    const std::lock_guard lock(mutex_);
    if (error_) return pass_on(*error_);
    return {};
  }

 private:
  boost::asio::io_context& context_;
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

std::string status_line(const web::ActivitySnapshot& snapshot) {
  if (!snapshot.busy) return "waiting for the next night";
  return fmt::format("{}: {}: {}", snapshot.subject, snapshot.stage, one_line(snapshot.step, 100));
}

}  // namespace

Status serve(StateDir& state, Notifier& notifier, const std::function<void(const std::string& url)>& on_ready,
             std::stop_token stop) {
  if (state.config().subjects.empty())
    return fail(ErrorKind::usage, "the configuration names no subject: add a [[subject]]");
  boost::asio::io_context context;
  web::Activity activity(state.clock());
  WorkPulse pulse(state.clock());
  web::PagesSettings pages{.database = database_path(state.config()),
                           .subjects = {},
                           .trouble = [&pulse] { return pulse.trouble(); },
                           .creep = creep_of(state.config())};
  for (const settings::SubjectConfig& subject : state.config().subjects) pages.subjects.push_back(subject.name);
  const settings::ServiceConfig& service = state.config().service;
  const web::http::ServerSettings settings{.address = service.address,
                                           .port = service.port,
                                           .allow_other_machines = service.page_for_others,
                                           .names = service.page_names};
  TBCI_ASSIGN(const auto server,
              web::http::Server::start(context, settings, web::pages(std::move(pages), activity, state.clock())));
  TBCI_ASSIGN(storage::Database outbox,
              storage::Database::open(database_path(state.config()), storage::Access::decisions));
  FatalError fatal(context);
  const std::stop_callback end_loop(stop, [&context] { context.stop(); });
  {
    // Joined before what they use is destroyed, in the reverse order.
    const Heartbeat heartbeat(notifier, state.clock(),
                              {.trouble = [&pulse] { return pulse.trouble(); },
                               .status = [&activity] { return status_line(activity.snapshot()); }});
    const Deliveries deliveries(std::move(outbox), state.config(), state.clock(),
                                [&fatal](const Error& error) { fatal.report(error); });
    const std::jthread worker([&](std::stop_token end) {
      const Status status = work_for_ever({state, activity, pulse}, std::move(end));
      if (!status) fatal.report(status.error());
    });
    notifier.ready();
    if (on_ready) on_ready(server->url());
    context.run();
    notifier.stopping();
  }
  return fatal.status();
}

}  // namespace tbci::daemon
