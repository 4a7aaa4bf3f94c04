#include "pipeline/measure/predicting.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "detect/predict/quiet_time.hpp"

namespace tbci::pipeline {

namespace {

// One batch, and why it is left out, if it is.
struct Calibrating {
  detect::CalibratedBatch known;
  std::string why;
};
using AllCalibrating = std::map<int, Calibrating>;

// A failure of the case costs the batch; any other error ends the work.
Status leave_out(Calibrating& one, const Error& error) {
  if (error.kind != ErrorKind::failed) return pass_on(error);
  one.why = one_line(error.message);
  return {};
}

Status record_once(SubjectContext& context, const model::Build& build, const model::Case& measured, Calibrating& one) {
  const auto timeline = context.machine.timeline(build.product, measured, {.batch = one.known.batch}, context.stop);
  if (!timeline) return leave_out(one, timeline.error());
  const auto look = detect::look_into(*timeline);
  if (!look) return leave_out(one, look.error());
  auto recorded = detect::recorded_iteration(*look);
  if (!recorded) return leave_out(one, recorded.error());
  one.known.recordings.push_back(std::move(*recorded));
  return {};
}

Status measure_once(SubjectContext& context, const model::Build& build, const model::Case& measured, Calibrating& one) {
  const auto process = context.machine.measure(build.product, measured, {.batch = one.known.batch}, context.stop);
  if (!process) return leave_out(one, process.error());
  if (process->outcome != model::Outcome::done || process->nanoseconds.empty()) {
    one.why = fmt::format("{}: {}", to_string(process->outcome), one_line(process->message));
    return {};
  }
  one.known.times.push_back(detect::quiet_time({process->nanoseconds.begin(), process->nanoseconds.end()}));
  return {};
}

Result<AllCalibrating> calibrate(SubjectContext& context, const model::Build& build, const model::Case& measured,
                                 const std::vector<int>& batches, int processes) {
  AllCalibrating all;
  for (const int batch : batches) all[batch].known.batch = batch;
  context.progress.begin_stage("calibrate", fmt::format("{} with {} batches", to_string(measured), all.size()),
                               processes * static_cast<int>(all.size()));
  for (int round = 0; round < processes; ++round) {
    for (auto& [batch, one] : all) {
      context.progress.step(fmt::format("batch {}, process {} of {}", batch, round + 1, processes));
      if (one.why.empty()) TBCI_TRY(record_once(context, build, measured, one));
      if (one.why.empty()) TBCI_TRY(measure_once(context, build, measured, one));
    }
  }
  context.progress.end_stage("calibrated");
  return all;
}

}  // namespace

std::vector<int> calibration_batches(int own) {
  constexpr std::size_t enough = 3;
  std::vector<int> batches;
  for (const int batch : {own / 4, own / 2, own, 2 * own, 4 * own}) {
    const bool is_new = batch > 0 && (batches.empty() || batch > batches.back());
    if (is_new && (batch <= 2 * own || batches.size() < enough)) batches.push_back(batch);
  }
  return batches;
}

Result<int> own_batch_of(const settings::Config& config, const runner::Listing& listing, const model::Case& measured) {
  const runner::MeasureSettings& worker = config.measure.worker;
  if (const auto configured = runner::batch_of(worker, measured)) return *configured;
  const auto info = std::ranges::find(listing.benchmarks, measured.benchmark, &runner::BenchmarkInfo::name);
  if (runner::size_of(worker, measured) == "ci" && info != listing.benchmarks.end()) {
    const auto own = info->batch.find(measured.configuration.infer ? "infer" : "train");
    if (own != info->batch.end() && own->second > 0 && own->second <= 1000000) return static_cast<int>(own->second);
  }
  return fail(ErrorKind::usage, "the own batch of {} is not known here: name batches with --batch and --calibrate",
              to_string(measured));
}

Result<PredictedCase> predict(SubjectContext& context, const model::Build& build, const model::Case& measured,
                              int own_batch, const PredictionPlan& plan) {
  if (is_on_gpu(measured.configuration))
    return fail(ErrorKind::usage,
                "{}: the time of a GPU is not predicted, as the rules for its overheads were tried on "
                "none",
                to_string(measured));
  const std::vector<int> batches = plan.calibrate.empty() ? calibration_batches(own_batch) : plan.calibrate;
  TBCI_ASSIGN(AllCalibrating all, calibrate(context, build, measured, batches, plan.processes));
  PredictedCase predicted{.measured = measured, .own_batch = own_batch, .prediction = {}, .missing = {}};
  std::vector<detect::CalibratedBatch> known;
  for (auto& [batch, one] : all) {
    if (one.why.empty()) {
      known.push_back(std::move(one.known));
    } else {
      predicted.missing[batch] = one.why;
    }
  }
  if (known.size() < 2 && !predicted.missing.empty())
    return fail(ErrorKind::failed, "{}: fewer than two batches could be calibrated; batch {}: {}", to_string(measured),
                predicted.missing.begin()->first, predicted.missing.begin()->second);
  auto prediction = detect::predict_batch(std::move(known), plan.batch.value_or(own_batch));
  if (!prediction) return fail(prediction.error(), to_string(measured));
  predicted.prediction = std::move(*prediction);
  return predicted;
}

}  // namespace tbci::pipeline
