// Everything that a stage of the pipeline works with.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "pipeline/machine.hpp"
#include "settings/config.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// One subject's work: where facts are kept, who does what, and who hears of it. Used by one thread.
struct SubjectContext {
  const settings::Config& config;
  const settings::SubjectConfig& subject;
  storage::Stores& stores;
  Machine& machine;
  const Clock& clock;
  Progress& progress;
  std::stop_token stop;
  /// Asked between the builds and measurements of a search, once it has made something new: whether something else goes
  /// first. The search then ends (kind interrupted), and goes on with the next call.
  std::function<bool()> must_pause = {};

  const std::string& name() const { return subject.name; }
};

}  // namespace tbci::pipeline
