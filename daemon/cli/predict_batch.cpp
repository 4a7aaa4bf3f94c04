#include "daemon/cli/predict_batch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/prediction_table.hpp"
#include "daemon/cli/subject_session.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::daemon {

namespace {

// Where the plan names all batches the own one need not be known.
Result<int> own_batch_for(pipeline::SubjectContext& context, const runner::Listing& listing,
                          const model::Case& measured, const pipeline::PredictionPlan& plan) {
  auto own = pipeline::own_batch_of(context.config, listing, measured);
  if (!own && plan.batch && !plan.calibrate.empty()) return 0;
  return own;
}

}  // namespace

Result<ExitCode> predict_batch(const Invocation& invocation, const Selection& selection, const std::string& build_name,
                               const pipeline::PredictionPlan& plan, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  TBCI_ASSIGN(const model::Build build, pipeline::build_named(context, build_name));
  TBCI_ASSIGN(const auto cases, pipeline::wanted_cases(context, build.product));
  TBCI_ASSIGN(const auto listing, pipeline::listed_benchmarks(context, build.product));
  nlohmann::json list = nlohmann::json::array();
  bool any = false;
  std::vector<Error> refused;  // cases whose own batch is not known
  for (const model::Case& measured : cases) {
    if (is_on_gpu(measured.configuration)) {
      fmt::print(stderr, "tbci: {} has no prediction: the time of a GPU is not taken apart\n", to_string(measured));
      continue;
    }
    const auto own = own_batch_for(context, listing, measured, plan);
    if (!own) {
      refused.push_back(own.error());
      continue;
    }
    const auto predicted = pipeline::predict(context, build, measured, *own, plan);
    if (!predicted && predicted.error().kind != ErrorKind::failed) return pass_on(predicted.error());
    if (!predicted) {
      fmt::print(stderr, "tbci: no prediction: {}\n", one_line(predicted.error().message));
      continue;
    }
    for (const auto& [batch, why] : predicted->missing)
      fmt::print(stderr, "tbci: {} is not calibrated with batch {}: {}\n", to_string(measured), batch, why);
    if (invocation.json) {
      list.push_back(json_of(*predicted));
    } else {
      fmt::print("{}{}", any ? "\n" : "", prediction_text(*predicted));
    }
    any = true;
  }
  if (!any && !refused.empty()) return pass_on(refused.front());
  for (const Error& error : refused) fmt::print(stderr, "tbci: no prediction: {}\n", one_line(error.message));
  if (invocation.json) print_json({{"build", build_name}, {"predictions", std::move(list)}});
  return any ? ExitCode::success : ExitCode::negative;
}

}  // namespace tbci::daemon
