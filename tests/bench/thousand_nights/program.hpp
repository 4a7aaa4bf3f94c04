// tbci from one start to the next kill: the real stores, scheduler and pipeline, as `tbci serve` puts them together.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/scheduler.hpp"
#include "github/delivery.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/stores.hpp"
#include "tests/bench/thousand_nights/diary.hpp"
#include "tests/bench/thousand_nights/simulated_machine.hpp"

namespace tbci::thousand {

/// The configuration of the simulated service. `cases`: so that the anchor's rotation takes about eight nights.
settings::Config service_config(std::size_t cases);

struct ProgramParts {
  const settings::Config& config;
  const std::filesystem::path& database;
  SimulatedMachine& machine;
  const SimulatedClock& clock;
  Mortality& mortality;
  const std::vector<std::unique_ptr<github::Channel>>& channels;
  Diary& diary;
};

class Program {
 public:
  /// Opens the database. What `parts` refers to must outlive it.
  static Result<std::unique_ptr<Program>> start(const ProgramParts& parts);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// One turn of the service's loop: checks what is due, delivers; the time of the next check, as the clock shows it.
  TimePoint turn();
  storage::Stores& stores() { return stores_; }
  pipeline::SubjectContext& context() { return context_; }

 private:
  Program(const ProgramParts& parts, storage::Database database);
  std::vector<daemon::Job> jobs();
  Result<daemon::EarlierCall> check_subject();
  Result<std::optional<TimePoint>> search_improvements();
  /// Checks one night, and writes down what it took.
  Status check(const std::string& nightly);
  void deliver();

  ProgramParts parts_;
  storage::Database database_;
  storage::Stores stores_;
  SilentProgress progress_;
  pipeline::SubjectContext context_;
  daemon::Scheduler scheduler_;
};

}  // namespace tbci::thousand
