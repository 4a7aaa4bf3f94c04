#include "tests/bench/thousand_nights/years.hpp"

#include <algorithm>

#include "tests/bench/thousand_nights/issue_tracker.hpp"
#include "tests/bench/thousand_nights/stories.hpp"

namespace tbci::thousand {

namespace {

// The service looks at its outbox each minute; here a look costs as much as there, and ten minutes do.
constexpr std::chrono::milliseconds longest_pause = std::chrono::minutes(10);

}  // namespace

History Years::make_history(const Size& size) {
  History history(size);
  tell_stories(size, history);
  return history;
}

Years::Years(const Size& size, const std::filesystem::path& folder)
    : size_(size),
      history_(make_history(size)),
      weather_(draw_weather(size, history_)),
      clock_(weather_.jumps),
      machine_({.size = size_,
                .history = history_,
                .weather = weather_,
                .clock = clock_,
                .mortality = mortality_,
                .folder = folder / "products"}),
      config_(service_config(history_.cases().size())),
      database_(folder / "tbci.sqlite"),
      kills_(size.seed, 5) {
  config_.service.state = folder;
  channels_.push_back(std::make_unique<IssueTracker>(weather_, clock_, mortality_, diary_));
}

Status Years::start() {
  program_.reset();
  mortality_.revive();
  TBCI_ASSIGN(program_, Program::start({.config = config_,
                                        .database = database_,
                                        .machine = machine_,
                                        .clock = clock_,
                                        .mortality = mortality_,
                                        .channels = channels_,
                                        .diary = diary_}));
  return {};
}

Status Years::live() {
  TBCI_TRY(start());
  int today = -1;
  const TimePoint end = midnight_of(days());
  while (clock_.true_now() < end) {
    for (const int day = day_of(clock_.true_now()); today < day;) {
      if (size_.kinds.contains(Kind::creep)) TBCI_TRY(see_to_the_anchor(today));
      begin_day(++today);
    }
    const TimePoint next = program_->turn();
    if (mortality_.dead()) {
      ++diary_.kills;
      clock_.advance(std::chrono::seconds(30));
      TBCI_TRY(start());
      if (kills_.happens(0.3)) mortality_.arm(kills_.whole(1, 200));
      continue;
    }
    const auto pause =
        std::clamp<std::chrono::milliseconds>(next - clock_.now(), std::chrono::milliseconds(10), longest_pause);
    clock_.advance(pause);
  }
  mortality_.revive();
  return {};
}

void Years::begin_day(int day) {
  if (weather_.evictions.contains(day)) {
    machine_.evict();
    ++diary_.evictions;
  }
  // A night of the whole suite has about as many moments as this.
  const double moments = 12 * static_cast<double>(history_.cases().size()) + 300;
  if (kills_.happens(weather_.kills_a_night)) mortality_.arm(static_cast<std::int64_t>(kills_.scaled(1, moments)));
}

Result<bool> Years::creep_was_reported(const model::Anchor& anchor) {
  TBCI_ASSIGN(const model::Build build, program_->stores().builds.get(*anchor.build_id));
  TBCI_ASSIGN(const auto regressions,
              program_->stores().nights.open_regressions(config_.subjects.front().subject.name));
  bool reported = false;
  for (const model::Regression& regression : regressions) {
    if (regression.id <= creep_seen_ || regression.old_build != build.name || !regression.report_id) continue;
    creep_seen_ = regression.id;
    reported = true;
  }
  return reported;
}

Status Years::see_to_the_anchor(int day) {
  constexpr int first_day = 4;
  if (day < first_day) return {};
  storage::Stores& stores = program_->stores();
  const std::string& subject = config_.subjects.front().subject.name;
  TBCI_ASSIGN(const auto anchor, stores.anchors.current(subject));
  if (anchor) {
    TBCI_ASSIGN(const bool reported, creep_was_reported(*anchor));
    if (!reported) return {};
  }
  TBCI_ASSIGN(const auto nights, stores.nights.list(subject, 20));
  for (const model::Night& night : nights) {
    if (night.stage != model::Stage::done) continue;
    TBCI_ASSIGN(const auto build, stores.builds.find(subject, model::BuildKind::nightly, night.name));
    if (!build || build->state != model::BuildState::ready) continue;
    return stores.anchors
        .set({.id = 0,
              .subject = subject,
              .build_id = build->id,
              .person = "Ada",
              .reason = "known to be good",
              .set = clock_.now()})
        .map([](const model::Anchor&) {});
  }
  return {};
}

}  // namespace tbci::thousand
