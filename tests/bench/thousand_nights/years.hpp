// The simulated years: days pass, nightlies are published, the program works, is killed and started again, and a
// person looks in.
#pragma once

#include <filesystem>
#include <memory>

#include "tests/bench/thousand_nights/person.hpp"
#include "tests/bench/thousand_nights/program.hpp"

namespace tbci::thousand {

class Years {
 public:
  /// Works in an empty folder, which the caller removes.
  Years(const Size& size, const std::filesystem::path& folder);
  Years(const Years&) = delete;
  Years& operator=(const Years&) = delete;

  /// Lives through all of it. An error: the program cannot start.
  Status live();

  const Size& size() const { return size_; }
  const History& history() const { return history_; }
  const Weather& weather() const { return weather_; }
  const Diary& diary() const { return diary_; }
  const SimulatedMachine& machine() const { return machine_; }
  const settings::Config& config() const { return config_; }
  /// What the program knows at the end. After `live` alone.
  storage::Stores& stores() { return program_->stores(); }

 private:
  static History make_history(const Size& size);
  int days() const { return history_.nightlies().back().day + 6; }
  Status start();
  void begin_day(int day);

  Size size_;
  History history_;
  Weather weather_;
  SimulatedClock clock_;
  Mortality mortality_;
  SimulatedMachine machine_;
  settings::Config config_;
  std::filesystem::path database_;
  Diary diary_;
  std::vector<std::unique_ptr<github::Channel>> channels_;
  Chance kills_;
  Person person_;
  std::unique_ptr<Program> program_;
};

}  // namespace tbci::thousand
