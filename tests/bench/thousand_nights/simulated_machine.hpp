// The machine of the simulated years: what it installs and builds has the truth's speed, and it fails as machines do.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipeline/machine.hpp"
#include "tests/bench/thousand_nights/chance.hpp"
#include "tests/bench/thousand_nights/history.hpp"
#include "tests/bench/thousand_nights/mortality.hpp"
#include "tests/bench/thousand_nights/simulated_clock.hpp"
#include "tests/bench/thousand_nights/weather.hpp"

namespace tbci::thousand {

/// What the machine was asked for.
struct Effort {
  std::int64_t processes = 0, builds = 0, installs = 0;
};

struct MachineSurroundings {
  const Size& size;
  const History& history;
  const Weather& weather;
  const SimulatedClock& clock;
  Mortality& mortality;
  std::filesystem::path folder;  ///< for what is installed and built: an empty folder each
};

class SimulatedMachine final : public pipeline::Machine {
 public:
  explicit SimulatedMachine(const MachineSurroundings& surroundings);

  const Effort& effort() const { return effort_; }
  /// Removes everything that was installed or built.
  void evict();
  /// Those that the index lists now: the newest sixty that were published and not taken away.
  std::vector<model::Nightly> listed() const;

  Result<std::vector<model::Nightly>> nightlies(std::stop_token stop) override;
  Result<model::Product> install(const model::Nightly& nightly, std::stop_token stop) override;
  Result<runner::BuildOutcome> build(const std::string& commit, std::stop_token stop) override;
  Result<std::string> resolve(const std::string& revision, std::stop_token stop) override;
  Result<std::string> common_ancestor(const std::string& one, const std::string& other, std::stop_token stop) override;
  Result<std::vector<model::Commit>> commits_between(const std::string& from, const std::string& to,
                                                     std::stop_token stop) override;
  Result<runner::Listing> benchmarks(const model::Product& product, std::stop_token stop) override;
  Result<model::Measurement> measure(const model::Product& product, const model::Case& measured,
                                     const pipeline::MeasureOptions& options, std::stop_token stop) override;
  Result<runner::Reverted> revert(const std::string& culprit, const std::string& onto, std::stop_token stop) override;
  Result<std::vector<bisect::CommitDetails>> details(const std::vector<model::Commit>& commits,
                                                     std::stop_token stop) override;
  Result<bisect::OperatorSources> operator_sources(const std::string& commit, const std::vector<std::string>& operators,
                                                   std::stop_token stop) override;
  Result<runner::OperatorCalls> operators(const model::Product& product, const model::Case& measured,
                                          std::stop_token stop) override;
  Result<model::OperatorProfile> profile(const model::Product& product, const model::Case& measured,
                                         std::stop_token stop) override;
  Result<model::Environment> environment(std::stop_token stop) override;
  Result<runner::LibraryFacts> libraries(const model::Product& product, std::stop_token stop) override;

 private:
  /// What a case is on the first commit.
  struct Base {
    double nanoseconds = 0, bytes = 0, noise = 0;
  };
  struct TakenBack {
    std::size_t culprit = 0, onto = 0;
  };

  Status take(std::chrono::milliseconds time);  ///< time passes, unless the program is dead
  Status reach_git();
  Status find_space() const;
  Result<model::Product> product_at(const std::string& name, const std::string& commit) const;
  Result<std::size_t> known(const std::string& commit) const;
  double level(const model::Product& product, std::size_t measured, Aspect aspect) const;
  model::Outcome outcome(const model::Product& product, std::size_t measured);
  void fill(const model::Product& product, std::size_t measured, bool leaks, model::Measurement& measurement);

  const Size& size_;
  const History& history_;
  const Weather& weather_;
  const SimulatedClock& clock_;
  Mortality& mortality_;
  std::filesystem::path folder_;
  Chance chance_;
  std::vector<Base> bases_;
  std::map<std::string, TakenBack> taken_back_;
  Effort effort_;
};

}  // namespace tbci::thousand
