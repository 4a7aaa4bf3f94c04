// Packages of AOTInductor: the Python of the build under test makes them of a model's trace, once for a model, a build
// and a CPU, and they are kept beside the worker.
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/private_home.hpp"
#include "runner/subject.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

/// What makes the packages of a build.
struct PackageMaker {
  std::filesystem::path python;    ///< with what torch needs
  std::filesystem::path program;   ///< make_package.py
  std::filesystem::path libtorch;  ///< the folder of the build's torch, which that Python imports
  std::filesystem::path folder;    ///< of the packages; need not exist
  std::chrono::milliseconds time_limit = std::chrono::minutes(15);
  std::string unavailable_reason = {};  ///< why none can be made on this build; empty: they can
};

/// For the worker that was built for the product. Looks for the Python, for its torch and for a compiler.
PackageMaker package_maker(const AotiSettings& settings, const model::Product& product,
                           const std::filesystem::path& worker);

struct Package {
  std::filesystem::path file = {};  ///< empty: there is none
  std::chrono::nanoseconds time{};  ///< that making it took, now or earlier
  model::Outcome outcome = model::Outcome::done;
  std::string why = {};      ///< there is none
  std::string details = {};  ///< the end of what was said on standard error
};

struct PackageWork {
  ProcessRunner& processes;
  const Clock& clock;
  const Confinement& confinement;
  const PackageMaker& maker;
};

/// The package of a model, made if there is none, on the CPUs of the trace. `trace`: the worker's command `trace`, but
/// for `--out`. A model without a package has an outcome: `unsupported` where the tracer, torch.export or the compiler
/// refuses it; that is kept as well, so it is asked once, or twice where a step took too long. Where the machine or the
/// Python is at fault it is `crashed`, with the trouble in `why` (machine_trouble.hpp). Two processes do not make the
/// same one. Errors: a program cannot be started (machine), a stop was requested (interrupted).
Result<Package> ensure_package(const PackageWork& work, Command trace, std::stop_token stop);

}  // namespace tbci::runner
