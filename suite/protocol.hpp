// The lines of the worker protocol (docs/worker-protocol.md), written and flushed one by one.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "suite/backends/backend.hpp"
#include "suite/gpu/load.hpp"
#include "suite/gpu/split.hpp"
#include "suite/growth.hpp"
#include "suite/json.hpp"
#include "suite/options.hpp"

namespace tbci::suite {

struct Benchmark;
struct Environment;
struct Evidence;
struct NamedVariant;
struct OperatorCalls;
struct Peaks;
struct Profile;
struct Timeline;

namespace learning {
struct Trained;
}

namespace exported {
struct ModelFile;
}

struct Sample {
  int iteration;
  std::int64_t nanoseconds;
  std::optional<std::int64_t> instructions;  // if the machine counts them
};

// Of a whole run, in nanoseconds.
struct RunTimes {
  int samples;
  std::int64_t setup;                                    // to make the model and its data, and the warm-up
  std::int64_t warmup;                                   // the iterations that are not measured
  std::int64_t growth = 0;                               // the iterations that look for memory that is not freed
  std::map<std::string, std::int64_t> computed_in = {};  // operators by floating-point type, if examined
  std::optional<GpuSplit> gpu = std::nullopt;            // of one iteration, if traced
  std::optional<bool> finite = std::nullopt;             // whether the results of the last one were, if looked at
  std::optional<Compiling> compiling = std::nullopt;     // of a backend other than eager
  int unsteady = 0;                                      // first iterations that were slower than later ones
  int alternated = 0;                                    // iterations that took turns with another worker's
};

struct GpuPeaks {
  std::int64_t allocated_bytes;
  std::int64_t reserved_bytes;
};

struct MemoryUse {
  std::int64_t cpu_peak_bytes = 0;
  std::optional<GpuPeaks> gpu;
  std::optional<Growth> growth;  // if examined
  std::optional<GpuLoad> load;   // of the GPU meanwhile, if it tells
};

class Protocol {
 public:
  explicit Protocol(std::FILE* out) : out_(out) {}  // not owned

  void hello();
  void hello(const RunOptions& options, std::int64_t batch);
  void benchmark(const Benchmark& benchmark);
  void variant(const NamedVariant& variant);
  void exported_model(const exported::ModelFile& model);
  void sample(const Sample& sample);
  void memory(const MemoryUse& use);
  void evidence(const Evidence& evidence);
  void operators(const OperatorCalls& calls);
  void environment(const Environment& environment);
  void peaks(DeviceKind device, const Peaks& peaks);
  void profile(const Profile& profile);     // a line for each operator, then one for the total
  void timeline(const Timeline& timeline);  // many lines
  void learned(const std::string& over, const learning::Trained& trained);
  void graph(const Timeline& timeline);  // of one iteration; many lines
  void done();
  void done(const RunTimes& times, std::int64_t parameters);    // of the model as it was measured
  void error(std::string_view kind, std::string_view message);  // unsupported, out_of_memory, exception

 private:
  void write(const JsonObject& line);
  void write(std::string text);

  std::FILE* out_;
};

// Reserves the standard output for the protocol and returns a file on it. All other output of this process (LibTorch,
// preloaded libraries) goes to the standard error. Call it once, before anything else.
std::FILE* claim_standard_output();

}  // namespace tbci::suite
