#include "pipeline/measure/suite_case.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tbci::pipeline {

model::Case case_of_suite(const std::string& prefix) {
  return {prefix + "*", model::Configuration::cpu_infer};  // no process of it depends on a configuration
}

bool is_suite(const model::Case& measured) {
  return measured.benchmark.ends_with('*');
}

Result<model::Measurement> try_to_list(SubjectContext& context, const model::Build& build, const model::Case& suite) {
  model::Measurement measurement;
  measurement.measured = suite;
  measurement.torch_version = build.product.version;
  measurement.started = context.clock.now();
  const auto failed = [&](const std::string& why) {
    measurement.outcome = model::Outcome::exception;
    measurement.message = one_line(why, 500);
    return measurement;
  };
  const auto listing = context.machine.benchmarks(build.product, context.stop);
  measurement.wall = context.clock.now() - measurement.started;
  if (!listing && listing.error().kind != ErrorKind::failed) return pass_on(listing.error());
  if (!listing) return failed(listing.error().message);
  for (const runner::UnlistedSuite& one : listing->left_out) {
    if (case_of_suite(one.prefix) == suite) return failed(one.reason);
  }
  return measurement;
}

}  // namespace tbci::pipeline
