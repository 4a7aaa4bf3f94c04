// The real machine: what `runner/` installs, builds and measures here.
#pragma once

#include <memory>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "base/process.hpp"
#include "pipeline/machine.hpp"
#include "runner/line_sink.hpp"
#include "settings/config.hpp"

namespace tbci::pipeline {

struct MachineParts {
  const settings::Config& config;
  const settings::SubjectConfig& subject;
  ProcessRunner& processes;
  const Clock& clock;
  runner::LineSink lines;      ///< takes lines about long work
  HttpClient* http = nullptr;  ///< fetches indexes and files; nullptr: one of the machine's own
};

/// What `parts` refers to must outlive it.
std::unique_ptr<Machine> make_local_machine(const MachineParts& parts);

}  // namespace tbci::pipeline
