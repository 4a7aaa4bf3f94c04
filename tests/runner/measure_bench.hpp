// What both tests of Measurer need.
#pragma once

#include <chrono>
#include <string>

#include "runner/measure.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::test {

struct MeasureBench {
  TemporaryDirectory folder;
  SystemProcessRunner processes;
  SystemClock clock;
  runner::MeasureSettings settings;

  MeasureBench() {
    settings.iterations = 2;
    settings.time_limit = std::chrono::seconds(60);
  }
};

/// What a worker prints that measured dlrm/cpu-infer twice, as lines of a shell script.
namespace worker_lines {
inline const std::string hello =
    R"(echo '{"type":"hello","protocol":1,"torch_version":"2.13.0","torch_git":"","benchmark":"dlrm","configuration":"cpu-infer"}')"
    "\n";
inline const std::string two_samples =
    R"(echo '{"type":"sample","iteration":0,"nanoseconds":1000}'
echo '{"type":"sample","iteration":1,"nanoseconds":3000}'
)";
inline const std::string done = R"(echo '{"type":"memory","cpu_peak_bytes":4096,"cpu_growth_bytes":0.5}'
echo '{"type":"done","samples":2}'
)";
}  // namespace worker_lines

}  // namespace tbci::test
