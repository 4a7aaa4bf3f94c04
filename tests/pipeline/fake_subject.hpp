// A subject's context over a real database and a fake machine.
#pragma once

#include "pipeline/pipeline.hpp"
#include "tests/fakes/fake_machine.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/noting_progress.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

inline settings::Config fake_config(const std::filesystem::path& state) {
  settings::Config config;
  config.service.state = state;
  config.runner.name = "test-runner";
  config.subjects.emplace_back();
  config.subjects.back().name = "fake";
  config.subjects.back().source.repository = "somewhere";
  config.subjects.back().source.needed_free_bytes = 1;  // the disk of whoever runs the tests
  return config;
}

/// The database is opened again for each Bench over one folder, as by a program that was killed and started again.
class Bench {
 public:
  Bench(const std::filesystem::path& state, FakeMachine& machine)
      : config_(fake_config(state)),
        database_(storage::Database::open(state / "tbci.sqlite").value()),
        stores_(database_),
        context_{config_, config_.subjects.front(), stores_, machine, clock_, progress_, {}} {}

  pipeline::SubjectContext& context() { return context_; }
  storage::Stores& stores() { return stores_; }
  settings::Config& config() { return config_; }
  ManualClock& clock() { return clock_; }
  const std::vector<std::string>& notes() const { return progress_.notes; }

 private:
  settings::Config config_;
  storage::Database database_;
  storage::Stores stores_;
  ManualClock clock_;
  NotingProgress progress_;
  pipeline::SubjectContext context_;
};

/// Commits on a fake machine with little noise, and what searches them by hand.
struct FakeRange {
  explicit FakeRange(int commits) : machine(commits) { machine.noise = 0.005; }
  std::string commit(std::size_t index) const { return machine.history[index].id; }

  TemporaryDirectory folder;
  FakeMachine machine;
  Bench bench{folder.path(), machine};
};

}  // namespace tbci::test
