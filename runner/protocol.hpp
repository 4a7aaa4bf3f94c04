// Parses the worker protocol, version 1. Pure; accepts hostile input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "runner/precision.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

inline constexpr int protocol_version = 1;
inline constexpr std::size_t longest_protocol_line = 65536;  ///< bytes
inline constexpr std::size_t most_evidence = 2000;           ///< lines that count; more are read over

/// What a valid output must match.
struct Expected {
  model::Case measured;
  std::size_t iterations = 10;
  std::string precision{default_precision};
};

/// Reads the lines of `tbci-worker run` one by one into a measurement.
class ProtocolReader {
 public:
  explicit ProtocolReader(Expected expected);

  /// False from the first line on that violates the protocol. Ignores all lines after it.
  bool take(std::string_view line);

  bool broken() const { return !violation_.empty(); }
  /// What violated the protocol, with the line number; empty: nothing.
  const std::string& violation() const { return violation_; }
  bool done() const { return state_ == State::done; }
  /// Whether the last line was an `error`; the measurement contains its outcome and message.
  bool failed() const { return state_ == State::failed; }
  /// What was read so far. The outcome is `done` until an `error` line changes it.
  const model::Measurement& measurement() const { return measurement_; }

 private:
  enum class State { start, greeted, done, failed };
  struct Line;
  std::string read(std::string_view text);
  std::string hello(const Line& line);
  std::string sample(const Line& line);
  std::string memory(const Line& line);
  std::string evidence(const Line& line);
  std::string finish(const Line& line);
  std::string error(const Line& line);

  Expected expected_;
  State state_ = State::start;
  bool memory_seen_ = false;
  int lines_ = 0;
  std::string violation_;
  model::Measurement measurement_;
};

/// A model of a suite, as `tbci-worker list` describes it.
struct BenchmarkInfo {
  std::string name, domain, task;
  std::vector<model::Configuration> configurations;
  std::vector<model::Backend> backends = {model::Backend::eager};  ///< that its suite can run it by
  std::int64_t parameters = 0;
  int ranks = 1;  ///< processes that it runs in, with a CPU each
  std::string source;
  std::map<std::string, std::int64_t> batch;  ///< `train` and `infer`: samples per iteration
  std::map<std::string, std::vector<std::string>> choices =
      {};                                ///< what may be set (`--set`): the first value is its own
  std::vector<std::string> learns = {};  ///< what `learn` may let grow; empty: it cannot learn
};

/// The output of `tbci-worker list`. Error (failed) with the invalid line, or as the worker's error line says. Skips
/// unknown configurations, which a later version may have.
Result<std::vector<BenchmarkInfo>> parse_benchmarks(std::string_view output);

}  // namespace tbci::runner
