// A database as many nights leave it, written through the stores: a step, a change of the machine, a regression.
#pragma once

#include <cmath>
#include <random>

#include "tests/web/filled_database.hpp"

namespace tbci::test {

struct HistoryShape {
  int nights = 60;
  int step_at = 40;  ///< the first night of the new level; its regression is filed
  double step = 1.10;
  int machine_at = 20;  ///< the first night on a changed machine
  double noise = 0.01;  ///< of a process, relative
  int processes = 5;
  std::string benchmark = "dlrm";
};

/// `night-000`, `night-001`, ...
inline std::string history_night(int number) {
  return fmt::format("night-{:03}", number);
}

/// Each night measures its own build and the one before, as the pipeline does: the build before comes out slower there,
/// so that a value which is taken from the wrong run shows. Seed 5.
class HistoryFiller {
 public:
  HistoryFiller(storage::Database& database, HistoryShape shape) : database_(database), shape_(std::move(shape)) {}

  void fill() {
    ok(database_.transaction([&]() -> Status {
      for (int night = 0; night < shape_.nights; ++night) add(night);
      return {};
    }));
  }

 private:
  model::Series series() const { return {shape_.benchmark, model::Configuration::cpu_train, model::Metric::time}; }
  double level(int night) const { return 10e6 * (night >= shape_.step_at ? shape_.step : 1); }

  std::int64_t build(int night) {
    storage::BuildStore builds(database_);
    return value(builds.begin("demo", model::BuildKind::nightly, history_night(night), moment(night * 1000))).id;
  }

  void measure(const model::Run& run, std::int64_t build_id, double nanoseconds) {
    std::normal_distribution<double> noise(0, shape_.noise);
    for (int process = 0; process < shape_.processes; ++process) {
      model::Measurement done;
      done.measured = series().measured_case();
      const auto time = static_cast<std::int64_t>(nanoseconds * std::exp(noise(random_)));
      done.nanoseconds = {time, time, time};
      done.cpu_peak_bytes = 1 << 28;
      done.started = run.started;
      ok(storage::RunStore(database_).add({run.id, build_id, process}, done));
    }
  }

  void add(int night) {
    const std::string name = history_night(night), before = night > 0 ? history_night(night - 1) : "";
    const model::Environment machine{
        {{"cpu", "Example CPU"}, {"governor", night >= shape_.machine_at ? "powersave" : "performance"}}};
    const auto run = value(storage::RunStore(database_).begin(
        {"demo", name + "/screen", model::Purpose::screen, "bench-1"}, machine, moment(night * 1000)));
    measure(run, build(night), level(night));
    if (night == 0) return;
    measure(run, build(night - 1), 2 * level(night - 1));

    storage::NightStore nights(database_);
    const auto row = value(nights.begin({"demo", name, before}, moment(night * 1000)));
    const bool stepped = night == shape_.step_at;
    const model::Finding finding{series(),
                                 stepped ? model::Verdict::suspect : model::Verdict::clear,
                                 level(night - 1),
                                 level(night),
                                 level(night) / level(night - 1) - 1,
                                 -.01,
                                 .01,
                                 0,
                                 ""};
    ok(nights.put_finding(row.id, storage::Phase::screen, finding));
    if (stepped) {
      model::Finding confirmed = finding;
      confirmed.verdict = model::Verdict::regression;
      confirmed.pairs = 8;
      ok(nights.put_finding(row.id, storage::Phase::confirm, confirmed));
      auto regression = value(nights.add_regression(row.id, confirmed));
      regression.suspects = {culprit};
      regression.state = model::RegressionState::attributed;
      ok(nights.update(regression));
    }
    ok(nights.finish(row.id, model::Stage::done, "", moment(night * 1000 + 500)));
  }

  storage::Database& database_;
  HistoryShape shape_;
  std::mt19937 random_{5};
};

inline void fill_history(const std::filesystem::path& path, const HistoryShape& shape = {}) {
  auto database = value(storage::Database::open(path));
  HistoryFiller(database, shape).fill();
}

}  // namespace tbci::test
