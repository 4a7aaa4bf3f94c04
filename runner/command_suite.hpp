// A suite of the subject's own: a command of its configuration that speaks the worker protocol
// (docs/worker-protocol.md).
#pragma once

#include <string>

#include "base/result.hpp"
#include "runner/suites.hpp"

namespace tbci::runner {

/// What is wrong with the placeholders of a suite; empty: nothing. Known are `{folder}` and `{torch}` of the build,
/// `{python}`, an interpreter that imports the build's torch, and `{worker}`, tbci's own worker for Python functions.
std::string wrong_placeholders(const CommandSuiteSettings& settings);

/// The suite for a product. It is unavailable if the product lacks what its command names. Asserts that its
/// placeholders are not wrong.
Suite command_suite(const CommandSuiteSettings& settings, const Subject& subject, const model::Product& product);

/// A digest of the command and of the files that its arguments name, but for those of the build: another one measures
/// something else.
std::string fingerprint_of(const CommandSuiteSettings& settings);

}  // namespace tbci::runner
