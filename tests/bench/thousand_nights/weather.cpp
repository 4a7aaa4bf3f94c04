#include "tests/bench/thousand_nights/weather.hpp"

#include <algorithm>
#include <cmath>

#include "tests/bench/thousand_nights/chance.hpp"

namespace tbci::thousand {

namespace {

using std::chrono::minutes;

// Work begins at six and takes minutes to hours: half of what happens is to hit it.
minutes time_of_day(Chance& chance, double most_minutes) {
  if (chance.happens(0.5)) return minutes(chance.whole(0, 24 * 60 - 1));
  return minutes(6 * 60) + minutes(std::lround(chance.between(-30, most_minutes)));
}

// About one in `every` days, each of some hours.
Periods outages(const Size& size, Kind kind, int days, double every, double most_hours) {
  Periods periods;
  if (!size.kinds.contains(kind)) return periods;
  Chance chance(size.seed, 200 + static_cast<std::uint64_t>(kind));
  for (int day = 1; day < days; ++day) {
    if (!chance.happens(1 / every)) continue;
    const TimePoint from = midnight_of(day) + time_of_day(chance, 120);
    const TimePoint to = from + minutes(std::lround(60 * chance.scaled(0.2, most_hours)));
    if (periods.empty() || periods.back().to < from) periods.push_back({from, to});
  }
  return periods;
}

void draw_machine(const Size& size, int days, Weather& weather) {
  if (size.kinds.contains(Kind::environment)) {
    Chance chance(size.seed, 300);
    for (int day = 3; day < days; ++day) {
      if (!chance.happens(1.0 / 50)) continue;
      // A case takes about twenty seconds, after some minutes for the installation.
      const auto time =
          minutes(6 * 60 + 7) + std::chrono::seconds(std::lround(chance.uniform() * 40 * size.benchmarks));
      const bool at_work = chance.happens(0.5);
      weather.machine.push_back({midnight_of(day) + (at_work ? time : std::chrono::seconds(std::chrono::hours(14))),
                                 std::log1p(chance.between(-0.08, 0.08)), true});
    }
  }
  if (size.kinds.contains(Kind::drift)) {
    Chance chance(size.seed, 301);
    weather.slow_share = 0.01;
    for (int day = 3; day < days; ++day) {
      if (chance.happens(0.02)) weather.slow_nights[day] = std::log1p(chance.between(0.05, 0.15));
      if (chance.happens(1.0 / 150))
        weather.machine.push_back({midnight_of(day), std::log1p(chance.between(-0.08, 0.08)), false});
    }
  }
  std::sort(weather.machine.begin(), weather.machine.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
}

// It jumps by hours, or by weeks to a year as one without a battery, and is set right some hours later.
void draw_clock(const Size& size, int days, Weather& weather) {
  if (!size.kinds.contains(Kind::clock)) return;
  Chance chance(size.seed, 302);
  for (int day = 5; day < days; ++day) {
    if (!chance.happens(1.0 / 60)) continue;
    const TimePoint at = midnight_of(day) + time_of_day(chance, 30);
    const double hours = chance.happens(0.5) ? chance.scaled(1, 48) : chance.scaled(10 * 24, 400 * 24);
    const auto by = minutes(std::lround(60 * hours)) * (chance.happens(0.5) ? 1 : -1);
    const auto lasts = minutes(std::lround(60 * chance.scaled(0.5, 48)));
    if (!weather.jumps.empty() && weather.jumps.back().at >= at) continue;
    weather.jumps.push_back({at, by});
    weather.jumps.push_back({at + lasts, std::chrono::milliseconds(0)});
  }
}

}  // namespace

int day_of(TimePoint time) {
  return static_cast<int>(std::chrono::floor<std::chrono::days>(time - first_midnight()).count());
}

bool within(const Periods& periods, TimePoint time) {
  const auto after = std::upper_bound(periods.begin(), periods.end(), time,
                                      [](TimePoint wanted, const Period& period) { return wanted < period.from; });
  return after != periods.begin() && time < std::prev(after)->to;
}

double Weather::slower_at(TimePoint time) const {
  double slower = 0;
  for (const MachineChange& change : machine) slower += change.at <= time ? change.slower : 0;
  const auto tonight = slow_nights.find(day_of(time));
  return slower + (tonight == slow_nights.end() ? 0 : tonight->second);
}

int Weather::facts_at(TimePoint time) const {
  return static_cast<int>(
      std::ranges::count_if(machine, [&](const MachineChange& change) { return change.shows && change.at <= time; }));
}

Weather draw_weather(const Size& size, const History& history) {
  const int days = history.nightlies().back().day + 6;
  Weather weather;
  weather.index = outages(size, Kind::index, days, 15, 30);
  weather.git = outages(size, Kind::git, days, 15, 30);
  weather.github = outages(size, Kind::github, days, 15, 90);
  weather.disk = outages(size, Kind::disk, days, 40, 30);
  weather.ram_disk = outages(size, Kind::ram_disk, days, 40, 10);
  draw_machine(size, days, weather);
  draw_clock(size, days, weather);
  Chance chance(size.seed, 303);
  const double crashes = chance.between(0, 0.03);
  if (size.kinds.contains(Kind::crash)) weather.crash_share = size.crashes.value_or(crashes);
  if (size.kinds.contains(Kind::kill)) weather.kills_a_night = 0.35;
  if (size.kinds.contains(Kind::evict)) {
    for (int day = 4; day < days; ++day) {
      if (chance.happens(1.0 / 40)) weather.evictions.insert(day);
    }
    // What was removed hurts most where it cannot be installed again.
    for (const PublishedNightly& nightly : history.nightlies()) {
      if (nightly.gone && chance.happens(0.3)) weather.evictions.insert(*nightly.gone + 1);
    }
  }
  return weather;
}

}  // namespace tbci::thousand
