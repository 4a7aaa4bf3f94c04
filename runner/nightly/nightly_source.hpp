// Where the nightlies of a subject come from.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/clock.hpp"
#include "base/http.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/private_home.hpp"
#include "runner/subject.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

class SourceBuilder;

/// One object a thread.
class NightlySource {
 public:
  virtual ~NightlySource() = default;
  /// The published nightlies, oldest first, also those that cannot be measured. Errors: transient if the network
  /// failed, usage if the settings name no source.
  virtual Result<std::vector<model::Nightly>> list(std::stop_token stop) = 0;
  /// Installs a nightly unless it is installed already. Continues after a kill. Error `failed` if the nightly itself is
  /// at fault (it does not build, it does not exist); other kinds if the machine is.
  virtual Result<model::Product> install(const model::Nightly& nightly, std::stop_token stop) = 0;
};

/// What a source works with. The references must outlive it.
struct NightlyParts {
  const Subject& subject;
  std::filesystem::path state;  ///< a folder for this subject only
  SourceBuilder& builder;
  ProcessRunner& processes;
  const Clock& clock;
  HttpClient& http;
  LineSink progress = {};
  Confinement confinement = {};  ///< of pip
};
/// The source in the subject's settings.
std::unique_ptr<NightlySource> make_nightly_source(const NightlyParts& parts);

}  // namespace tbci::runner
