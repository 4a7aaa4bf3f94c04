#include "daemon/service_work.hpp"

#include <algorithm>
#include <optional>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/scheduler.hpp"
#include "pipeline/night/digest.hpp"
#include "pipeline/night/improvements.hpp"
#include "pipeline/night/night_tries.hpp"
#include "pipeline/night/waiting_nights.hpp"

namespace tbci::daemon {

namespace {

constexpr std::chrono::hours default_poll{1};
constexpr std::chrono::minutes digest_retry{10};
constexpr std::chrono::minutes longest_sleep{1};  // the wall clock may be set meanwhile

// The page shows the subject as busy while this lives.
class BusyWith {
 public:
  BusyWith(web::Activity& activity, const std::string& subject) : activity_(activity) { activity_.begin(subject); }
  ~BusyWith() { activity_.end(); }
  BusyWith(const BusyWith&) = delete;
  BusyWith& operator=(const BusyWith&) = delete;

 private:
  web::Activity& activity_;
};

void take_earlier(std::optional<TimePoint>& next, const std::optional<TimePoint>& other) {
  if (other && (!next || *other < *next)) next = other;
}

class ServiceWork {
 public:
  ServiceWork(const ServiceParts& parts, std::stop_token stop)
      : parts_(parts),
        stop_(std::move(stop)),
        processes_(parts.state.processes(), parts.pulse),
        clock_(parts.state.clock(), parts.pulse),
        http_(curl_, parts.pulse),
        progress_(parts.activity, parts.pulse),
        scheduler_(jobs(), parts.state.clock()) {}

  Status run() {
    const Clock& clock = parts_.state.clock();
    while (!stop_.stop_requested()) {
      parts_.pulse.beat();
      TimePoint next = scheduler_.step(stop_);
      if (damage_) return pass_on(*damage_);
      TBCI_TRY(file_digest());
      TBCI_ASSIGN(const auto search, search_each_subject());
      if (search) next = std::min(next, *search);
      TBCI_ASSIGN(const auto good_news, search_improvements());
      if (good_news) next = std::min(next, *good_news);
      parts_.activity.plan(next);
      const auto pause =
          std::clamp<std::chrono::milliseconds>(next - clock.now(), std::chrono::milliseconds(10), longest_sleep);
      if (!clock.sleep_for(pause, stop_)) break;
    }
    return {};
  }

 private:
  std::vector<Job> jobs() {
    std::vector<Job> jobs;
    for (const settings::SubjectConfig& subject : parts_.state.config().subjects) {
      const auto poll = subject.poll.count() > 0 ? subject.poll : std::chrono::milliseconds(default_poll);
      jobs.push_back({.name = subject.name,
                      .timetable = {.time_of_day = subject.schedule, .poll = poll},
                      .work = [this, &subject](const std::stop_token&) { return judge(subject); }});
    }
    return jobs;
  }

  Result<EarlierCall> judge(const settings::SubjectConfig& subject) {
    const BusyWith busy(parts_.activity, subject.name);
    OpenContext at(parts_.state, subject, progress_, stop_,
                   {.processes = &processes_, .http = &http_, .clock = &clock_, .must_pause = {}});
    auto next = pipeline::judge_waiting_nights(at.context());
    if (!next && next.error().kind == ErrorKind::damaged) damage_ = next.error();
    // Its nightlies cannot be listed, for instance: no night says so.
    if (!next && next.error().kind != ErrorKind::interrupted)
      progress_.note(fmt::format("{}: {}", subject.name, one_line(next.error().message, 300)));
    return next;
  }

  // Between nights: what began before the digest's time has its verdicts then.
  Status file_digest() {
    const SteadyTime now = parts_.state.clock().steady_now();
    if (now < next_digest_) return {};
    const auto filed =
        pipeline::file_due_digest(parts_.state.stores(), parts_.state.config(), parts_.state.clock().now());
    if (filed && *filed) log::info("the weekly digest is filed: report {}", (*filed)->id);
    if (filed) return {};
    if (filed.error().kind == ErrorKind::damaged) return pass_on(filed.error());
    log::error("weekly digest: {}", filed.error().message);
    next_digest_ = now + digest_retry;
    return {};
  }

  // One search of each subject; returns when the next one is due.
  Result<std::optional<TimePoint>> search_each_subject() {
    std::optional<TimePoint> next;
    for (const settings::SubjectConfig& subject : parts_.state.config().subjects) {
      if (stop_.stop_requested() || scheduler_.is_due()) return std::optional(parts_.state.clock().now());
      TBCI_ASSIGN(const bool waits, search_waits(subject, next));
      if (!waits) continue;
      const BusyWith busy(parts_.activity, subject.name);
      OpenContext at(parts_.state, subject, progress_, stop_,
                     {.processes = &processes_, .http = &http_, .clock = &clock_, .must_pause = [this] {
                        return scheduler_.is_due();
                      }});
      const auto searched = pipeline::search_waiting_night(at.context());
      if (!searched && searched.error().kind == ErrorKind::damaged) return pass_on(searched.error());
      if (!searched && searched.error().kind != ErrorKind::interrupted)
        log::error("{}: {}", subject.name, searched.error().message);
      if (searched) take_earlier(next, searched->next);
    }
    return next;
  }

  // What became better is searched when nothing of any subject waits for its verdict or its culprit.
  Result<std::optional<TimePoint>> search_improvements() {
    std::optional<TimePoint> next;
    for (const settings::SubjectConfig& subject : parts_.state.config().subjects) {
      TBCI_ASSIGN(const bool first, regressions_go_first());
      if (stop_.stop_requested() || first) return std::optional(parts_.state.clock().now());
      TBCI_ASSIGN(const bool waits, improvements_wait(subject));
      if (!waits) continue;
      const BusyWith busy(parts_.activity, subject.name);
      OpenContext at(parts_.state, subject, progress_, stop_,
                     {.processes = &processes_, .http = &http_, .clock = &clock_, .must_pause = [this] {
                        const auto others = regressions_go_first();
                        return others && *others;
                      }});
      const auto searched = pipeline::search_waiting_improvements(at.context());
      if (!searched && searched.error().kind == ErrorKind::damaged) return pass_on(searched.error());
      if (!searched && searched.error().kind != ErrorKind::interrupted)
        log::error("{}: {}", subject.name, searched.error().message);
      if (searched) take_earlier(next, searched->next);
    }
    return next;
  }

  Result<bool> improvements_wait(const settings::SubjectConfig& subject) {
    if (!parts_.state.config().detect.improvements) return false;
    const auto waiting = parts_.state.stores().improvements.waiting(subject.name);
    if (waiting) return !waiting->empty();
    if (waiting.error().kind == ErrorKind::damaged) return pass_on(waiting.error());
    log::error("{}: {}", subject.name, waiting.error().message);
    return false;
  }

  Result<bool> regressions_go_first() {
    if (scheduler_.is_due()) return true;
    for (const settings::SubjectConfig& subject : parts_.state.config().subjects) {
      std::optional<TimePoint> unused;
      TBCI_ASSIGN(const bool waits, search_waits(subject, unused));
      if (waits) return true;
    }
    return false;
  }

  // Whether a search of the subject is due; else `next` hears when the earliest will be.
  Result<bool> search_waits(const settings::SubjectConfig& subject, std::optional<TimePoint>& next) {
    const TimePoint now = parts_.state.clock().now();
    const auto waiting = pipeline::waiting_nights(parts_.state.stores(), subject.name, now, true);
    if (!waiting && waiting.error().kind == ErrorKind::damaged) return pass_on(waiting.error());
    if (!waiting) log::error("{}: {}", subject.name, waiting.error().message);
    if (!waiting) return false;
    take_earlier(next, waiting->next);
    return !waiting->due.empty();
  }

  ServiceParts parts_;
  std::stop_token stop_;
  PulsingProcesses processes_;
  PulsingClock clock_;
  CurlHttpClient curl_;
  PulsingHttp http_;
  PulsingProgress progress_;
  std::optional<Error> damage_;
  SteadyTime next_digest_{};  // not tried before
  Scheduler scheduler_;
};

}  // namespace

Status work_for_ever(const ServiceParts& parts, std::stop_token stop) {
  return ServiceWork(parts, std::move(stop)).run();
}

}  // namespace tbci::daemon
