// Where the nightlies of a subject come from.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/subject.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

class SourceBuilder;

/// One object a thread.
class NightlySource {
 public:
  virtual ~NightlySource() = default;
  /// What is published, oldest first. The last is the newest. Errors: transient where the network failed, usage where
  /// the settings name nothing.
  virtual Result<std::vector<model::Nightly>> list(std::stop_token stop) = 0;
  /// Makes a nightly usable, or finds that it already is. Done again after a kill, it goes on. Error `failed` where the
  /// nightly itself is at fault (it does not build, it does not exist); other kinds where the machine is.
  virtual Result<model::Product> install(const model::Nightly& nightly, std::stop_token stop) = 0;
};

/// The source that the subject's settings ask for. `state` is a folder of this subject alone. The references must
/// outlive it.
std::unique_ptr<NightlySource> make_nightly_source(const Subject& subject, const std::filesystem::path& state,
                                                   SourceBuilder& builder, ProcessRunner& processes, const Clock& clock,
                                                   LineSink progress = {});

}  // namespace tbci::runner
