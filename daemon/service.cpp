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

// What is in the outbox, with what went wrong in the log: it is tried again.
void deliver(Site& site, std::stop_token stop) {
  const auto delivered = pipeline::deliver_reports(site.stores(), site.config(), site.clock(), std::move(stop));
  if (!delivered && delivered.error().kind != ErrorKind::interrupted)
    log::error("outbox: {}", delivered.error().message);
}

// Checks every nightly of a subject that was not checked yet.
Status check_subject(Site& site, const settings::SubjectConfig& subject, web::Activity& activity,
                     std::stop_token stop) {
  activity.begin(subject.subject.name);
  const auto work = [&]() -> Status {
    OpenContext at(site, subject, activity, stop);
    TBCI_ASSIGN(const auto names, pipeline::unchecked_nightlies(at.context()));
    for (const std::string& name : names) {
      const auto result = pipeline::check_night(at.context(), {.nightly = name, .baseline = {}, .retry = false});
      if (!result && result.error().kind != ErrorKind::failed) return pass_on(result.error());
      if (!result) log::error("{}", result.error().message);  // the nightly is at fault: recorded, and on to the next
      if (result) log::info("{} {}: {} regressions", subject.subject.name, name, result->regressions.size());
      deliver(site, stop);
    }
    return {};
  };
  const Status status = work();
  activity.end();
  return status;
}

std::vector<Job> jobs_of(Site& site, web::Activity& activity) {
  std::vector<Job> jobs;
  for (const settings::SubjectConfig& subject : site.config().subjects) {
    const auto poll = subject.poll.count() > 0 ? subject.poll : std::chrono::milliseconds(default_poll);
    jobs.push_back({subject.subject.name, {subject.schedule, poll}, [&site, &subject, &activity](std::stop_token stop) {
                      return check_subject(site, subject, activity, std::move(stop));
                    }});
  }
  return jobs;
}

// The thread that works: the only one that touches the site's stores.
void work(Site& site, web::Activity& activity, std::stop_token stop) {
  Scheduler scheduler(jobs_of(site, activity), site.clock());
  SystemClock clock;
  while (!stop.stop_requested()) {
    const TimePoint next = scheduler.step(stop);
    activity.plan(next);
    deliver(site, stop);
    const auto pause =
        std::clamp<std::chrono::milliseconds>(next - clock.now(), std::chrono::milliseconds(10), outbox_every);
    if (!clock.sleep_for(pause, stop)) return;
  }
}

// Tells the service manager that the event loop turns, and what is being done.
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

Status serve(Site& site, Notifier& notifier, const std::function<void(const std::string& url)>& on_ready,
             std::stop_token stop) {
  if (site.config().subjects.empty())
    return fail(ErrorKind::usage, "the configuration names no subject: add a [[subject]]");
  boost::asio::io_context context;
  web::Activity activity(site.clock());
  web::PagesSettings pages{.database = database_path(site.config()), .subjects = {}};
  for (const settings::SubjectConfig& subject : site.config().subjects) pages.subjects.push_back(subject.subject.name);
  const settings::ServiceConfig& service = site.config().service;
  const web::http::ServerSettings settings{
      .address = service.address, .port = service.port, .allow_other_machines = service.page_for_others};
  TBCI_ASSIGN(const auto server,
              web::http::Server::start(context, settings, web::pages(std::move(pages), activity, site.clock())));
  const Heartbeat heartbeat(context, notifier, activity);
  const std::stop_callback end_loop(stop, [&context] { context.stop(); });
  {
    const std::jthread worker([&, stop] { work(site, activity, stop); });  // joined before anything that it uses goes
    notifier.ready();
    if (on_ready) on_ready(server->url());
    context.run();
    notifier.stopping();
  }
  return {};
}

}  // namespace tbci::daemon
