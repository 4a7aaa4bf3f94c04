#include "tests/bench/thousand_nights/program.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/text.hpp"
#include "github/outbox.hpp"
#include "pipeline/night/improvements.hpp"
#include "pipeline/night/night_selection.hpp"
#include "pipeline/night/night_tries.hpp"
#include "pipeline/pipeline.hpp"
#include "storage/connection.hpp"

namespace tbci::thousand {

namespace {

// Other work on this machine does not lengthen it.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class StoreJournal final : public github::OutboxJournal {
 public:
  StoreJournal(storage::ReportStore& store, const Clock& clock) : store_(store), clock_(clock) {}
  Status attempting(std::int64_t id) override { return store_.attempting(id, clock_.now()); }
  Status delivered(std::int64_t id, const std::string& reference, int revision) override {
    return store_.delivered(id, reference, revision);
  }
  Status failed_attempt(std::int64_t id, const std::string& error, TimePoint next) override {
    return store_.failed_attempt(id, error, next);
  }
  Status postponed(std::int64_t id, TimePoint next) override { return store_.postponed(id, next); }
  Status refused(std::int64_t id, const std::string& error) override { return store_.refused(id, error); }

 private:
  storage::ReportStore& store_;
  const Clock& clock_;
};

}  // namespace

settings::Config service_config(std::size_t cases) {
  settings::Config config;
  config.runner.name = "simulated";
  config.measure.anchor_cases = std::max(2, static_cast<int>(cases / 8));
  config.report.channels = {"github"};
  config.subjects.emplace_back();
  config.subjects.back().name = "simulated";
  config.subjects.back().source.repository = "simulated";
  config.subjects.back().schedule = std::chrono::hours(6);
  return config;
}

Result<std::unique_ptr<Program>> Program::start(const ProgramParts& parts) {
  TBCI_ASSIGN(storage::Database database, storage::Database::open(parts.database));
  // The bench ends with its process: nothing has to survive a power cut.
  database.connection().sqlite.exec("PRAGMA synchronous = OFF");
  return std::unique_ptr<Program>(new Program(parts, std::move(database)));
}

Program::Program(const ProgramParts& parts, storage::Database database)
    : parts_(parts),
      database_(std::move(database)),
      stores_(database_),
      context_{parts.config, parts.config.subjects.front(), stores_, parts.machine, parts.clock, progress_, {}},
      scheduler_(jobs(), parts.clock) {
  parts_.mortality.watch(database_);
}

std::vector<daemon::Job> Program::jobs() {
  const settings::SubjectConfig& subject = parts_.config.subjects.front();
  std::vector<daemon::Job> all;
  all.push_back({.name = subject.name,
                 .timetable = {.time_of_day = subject.schedule, .poll = std::chrono::hours(1)},
                 .work = [this](const std::stop_token&) { return check_subject(); }});
  return all;
}

TimePoint Program::turn() {
  const TimePoint next = scheduler_.step({});
  deliver();
  return next;
}

// As the service: a night that fails is tried again later, and the others go on meanwhile.
Result<daemon::EarlierCall> Program::check_subject() {
  TBCI_ASSIGN(const auto waiting, pipeline::unchecked_nightlies(context_));
  for (const std::string& name : waiting) {
    TBCI_ASSIGN(const auto night, stores_.nights.find(context_.name(), name));
    if (night) {
      TBCI_ASSIGN(const auto tried, stores_.tries.of_night(night->id));
      if (!pipeline::is_due(tried, parts_.clock.now())) continue;
    }
    const Status checked = check(name);
    if (!checked && checked.error().kind == ErrorKind::interrupted) return pass_on(checked.error());
    deliver();
  }
  TBCI_ASSIGN(const auto good_news, search_improvements());
  TBCI_ASSIGN(const auto judged, pipeline::waiting_nights(stores_, context_.name(), parts_.clock.now(), false));
  TBCI_ASSIGN(const auto searched, pipeline::waiting_nights(stores_, context_.name(), parts_.clock.now(), true));
  std::optional<TimePoint> next;
  for (const auto& one : {judged.next, searched.next, good_news}) {
    if (one) next = next ? std::min(*next, *one) : one;
  }
  return next;
}

// When nothing else waits; returns when the next search is due.
Result<std::optional<TimePoint>> Program::search_improvements() {
  while (true) {
    TBCI_ASSIGN(const pipeline::SearchedNight searched, pipeline::search_waiting_improvements(context_));
    if (parts_.mortality.dead()) return fail(ErrorKind::interrupted, "killed");
    deliver();
    const bool more = searched.worked && searched.next && *searched.next <= parts_.clock.now();
    if (!more) return searched.next;
  }
}

Status Program::check(const std::string& nightly) {
  NightRecord& record = parts_.diary.nights[nightly];
  if (record.tries++ == 0) record.begun = parts_.clock.true_now();
  const Effort before = parts_.machine.effort();
  const double began = cpu_seconds();
  const auto result = pipeline::try_night(context_, {.nightly = nightly, .baseline = {}});
  record.seconds += cpu_seconds() - began;
  const Effort& after = parts_.machine.effort();
  record.processes += after.processes - before.processes;
  record.builds += after.builds - before.builds;
  record.installs += after.installs - before.installs;
  record.ended = parts_.clock.true_now();
  if (parts_.mortality.dead()) return fail(ErrorKind::interrupted, "killed");
  if (!result) record.last_error = one_line(result.error().message, 300);
  if (!result && result.error().kind != ErrorKind::failed) return pass_on(result.error());
  record.over = true;
  return {};
}

void Program::deliver() {
  const auto due = stores_.reports.due(parts_.clock.now());
  if (!due || due->empty()) return;
  std::vector<github::PendingDelivery> pending;
  for (const model::Delivery& delivery : *due) {
    auto report = stores_.reports.get(delivery.report_id);
    if (report) pending.push_back({delivery, std::move(*report)});
  }
  StoreJournal journal(stores_.reports, parts_.clock);
  const auto done = github::deliver_due(pending, parts_.channels, journal, parts_.clock);
  if (!done && !parts_.mortality.dead()) parts_.diary.errors.push_back("outbox: " + done.error().message);
}

}  // namespace tbci::thousand
