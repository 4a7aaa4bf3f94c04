#include "daemon/service.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/scheduler.hpp"
#include "pipeline/night/delivering.hpp"
#include "pipeline/pipeline.hpp"
#include "web/activity.hpp"
#include "web/http/server.hpp"
#include "web/pages/pages.hpp"

namespace tbci::daemon {

namespace {

constexpr std::chrono::hours default_poll{1};
constexpr std::chrono::minutes outbox_every{1};

// Delivers what is in the outbox. Failures are logged, and retried with the next delivery.
void deliver(StateDir& state, std::stop_token stop) {
  const auto delivered = pipeline::deliver_reports(state.stores(), state.config(), state.clock(), std::move(stop));
  if (!delivered && delivered.error().kind != ErrorKind::interrupted)
    log::error("outbox: {}", delivered.error().message);
}

// Checks all nightlies of a subject that were not checked yet.
Status check_subject(StateDir& state, const settings::SubjectConfig& subject, web::Activity& activity,
                     std::stop_token stop) {
  activity.begin(subject.subject.name);
  const auto work = [&]() -> Status {
    OpenContext at(state, subject, activity, stop);
    TBCI_ASSIGN(const auto names, pipeline::unchecked_nightlies(at.context()));
    for (const std::string& name : names) {
      const auto result = pipeline::check_night(at.context(), {.nightly = name, .baseline = {}, .retry = false});
      if (!result && result.error().kind != ErrorKind::failed) return pass_on(result.error());
      if (!result)
        log::error("{}", result.error().message);  // the failure is recorded with the night; the next nightly may work
      if (result) log::info("{} {}: {} regressions", subject.subject.name, name, result->regressions.size());
      deliver(state, stop);
    }
    return {};
  };
  const Status status = work();
  activity.end();
  return status;
}

std::vector<Job> jobs_of(StateDir& state, web::Activity& activity) {
  std::vector<Job> jobs;
  for (const settings::SubjectConfig& subject : state.config().subjects) {
    const auto poll = subject.poll.count() > 0 ? subject.poll : std::chrono::milliseconds(default_poll);
    jobs.push_back({.name = subject.subject.name,
                    .timetable = {.time_of_day = subject.schedule, .poll = poll},
                    .work = [&state, &subject, &activity](std::stop_token stop) {
                      return check_subject(state, subject, activity, std::move(stop));
                    }});
  }
  return jobs;
}

// The worker thread: the only one that uses the stores.
void work(StateDir& state, web::Activity& activity, std::stop_token stop) {
  Scheduler scheduler(jobs_of(state, activity), state.clock());
  const Clock& clock = state.clock();
  while (!stop.stop_requested()) {
    const TimePoint next = scheduler.step(stop);
    activity.plan(next);
    deliver(state, stop);
    const auto pause =
        std::clamp<std::chrono::milliseconds>(next - clock.now(), std::chrono::milliseconds(10), outbox_every);
    if (!clock.sleep_for(pause, stop)) return;
  }
}

// Reports to the service manager that the event loop runs, and what the service is doing.
class Heartbeat {
 public:
  Heartbeat(boost::asio::io_context& context, Notifier& notifier, const web::Activity& activity)
      : timer_(context), notifier_(notifier), activity_(activity) {
    beat();
  }

 private:
  void beat() {
    notifier_.watchdog();
    const web::ActivitySnapshot snapshot = activity_.snapshot();
    notifier_.status(snapshot.busy
                         ? fmt::format("{}: {}: {}", snapshot.subject, snapshot.stage, one_line(snapshot.step, 100))
                         : "waiting for the next night");
    timer_.expires_after(std::min<std::chrono::milliseconds>(
        notifier_.watchdog_interval().value_or(std::chrono::seconds(10)), std::chrono::seconds(10)));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) beat();
    });
  }

  boost::asio::steady_timer timer_;
  Notifier& notifier_;
  const web::Activity& activity_;
};

}  // namespace

Status serve(StateDir& state, Notifier& notifier, const std::function<void(const std::string& url)>& on_ready,
             std::stop_token stop) {
  if (state.config().subjects.empty())
    return fail(ErrorKind::usage, "the configuration names no subject: add a [[subject]]");
  boost::asio::io_context context;
  web::Activity activity(state.clock());
  web::PagesSettings pages{.database = database_path(state.config()), .subjects = {}};
  for (const settings::SubjectConfig& subject : state.config().subjects) pages.subjects.push_back(subject.subject.name);
  const settings::ServiceConfig& service = state.config().service;
  const web::http::ServerSettings settings{
      .address = service.address, .port = service.port, .allow_other_machines = service.page_for_others};
  TBCI_ASSIGN(const auto server,
              web::http::Server::start(context, settings, web::pages(std::move(pages), activity, state.clock())));
  const Heartbeat heartbeat(context, notifier, activity);
  const std::stop_callback end_loop(stop, [&context] { context.stop(); });
  {
    const std::jthread worker([&, stop] { work(state, activity, stop); });  // joined before what it uses is destroyed
    notifier.ready();
    if (on_ready) on_ready(server->url());
    context.run();
    notifier.stopping();
  }
  return {};
}

}  // namespace tbci::daemon
