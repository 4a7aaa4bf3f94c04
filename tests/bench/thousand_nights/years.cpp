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
      kills_(size.seed, 5),
      person_(size.kinds, size.seed, diary_) {
  config_.service.state = folder;
  config_.detect.improvements = size.improvements;
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
      mortality_.spare(true);  // a person's commands are processes of their own
      TBCI_TRY(person_.look_in(*program_, today));
      mortality_.spare(false);
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

}  // namespace tbci::thousand
