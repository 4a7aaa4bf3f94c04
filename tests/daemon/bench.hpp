// A subject's desk over a real database and a fake machine.
#pragma once

#include "daemon/pipeline/pipeline.hpp"
#include "tests/fakes/fake_workshop.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

inline daemon::Config fake_config(const std::filesystem::path& state) {
  daemon::Config config;
  config.service.state = state;
  config.runner.name = "test-runner";
  config.subjects.emplace_back();
  config.subjects.back().subject.name = "fake";
  config.subjects.back().subject.source.repository = "somewhere";
  return config;
}

/// The database is opened anew for each Bench over one folder, as by a program that was killed and started again.
class Bench {
 public:
  Bench(const std::filesystem::path& state, FakeWorkshop& workshop)
      : config_(fake_config(state)),
        database_(storage::Database::open(state / "tbci.sqlite").value()),
        stores_(database_),
        desk_{config_, config_.subjects.front(), stores_, workshop, clock_, progress_, {}} {}

  daemon::Desk& desk() { return desk_; }
  daemon::Stores& stores() { return stores_; }
  daemon::Config& config() { return config_; }

 private:
  daemon::Config config_;
  storage::Database database_;
  daemon::Stores stores_;
  ManualClock clock_;
  daemon::SilentProgress progress_;
  daemon::Desk desk_;
};

}  // namespace tbci::test
