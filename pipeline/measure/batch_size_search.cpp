#include "pipeline/measure/batch_size_search.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::pipeline {

namespace {

bool infers(model::Configuration configuration) {
  return configuration.infer;
}

std::string device_of(const model::Environment& environment, model::Configuration configuration) {
  const auto fact = environment.facts.find(is_on_gpu(configuration) ? "gpu0.name" : "cpu");
  return fact == environment.facts.end() ? "" : fact->second;
}

settings::SearchedBatch question(const SubjectContext& context, const model::Case& measured,
                                 const model::Environment& environment) {
  const runner::MeasureSettings& worker = context.config.measure.worker;
  settings::SearchedBatch asked;
  asked.measured = measured;
  asked.size = runner::size_of(worker, asked.measured);
  asked.precision = worker.precision;
  asked.threads = worker.threads;
  asked.runner = context.config.runner.name;
  asked.device = device_of(environment, measured.configuration);
  return asked;
}

// The median of several fresh processes; one that fails speaks for all.
Result<runner::BatchPoint> measure_point(SubjectContext& context, const model::Product& product,
                                         settings::SearchedBatch& asked, int batch) {
  runner::BatchPoint point;
  point.batch = batch;
  std::vector<double> nanoseconds;
  for (int process = 0; process < context.config.measure.sampling.least; ++process) {
    TBCI_ASSIGN(const model::Measurement measurement,
                context.machine.measure(product, asked.measured, {.batch = batch}, context.stop));
    asked.torch = measurement.torch_version;
    const auto time = model::value_of(measurement, model::Metric::time);
    if (!time) {
      point.outcome = measurement.outcome;
      point.message = measurement.message;
      return point;
    }
    nanoseconds.push_back(*time);
  }
  constexpr double nanoseconds_of_a_second = 1e9;
  point.samples_per_second = batch * nanoseconds_of_a_second / model::median(std::move(nanoseconds));
  return point;
}

Result<std::vector<settings::SearchedBatch>> known_in(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::vector<settings::SearchedBatch>();
  return settings::read_batch_sizes(file);
}

Status keep(std::vector<settings::SearchedBatch>& known, const settings::SearchedBatch& fresh,
            const std::filesystem::path& file) {
  std::erase_if(known, [&](const settings::SearchedBatch& old) { return old.same_question(fresh); });
  known.push_back(fresh);
  std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.measured < b.measured; });
  return write_file_atomically(file, settings::batch_sizes_text(known));
}

}  // namespace

Result<std::vector<model::Case>> inference_of(const std::vector<model::Case>& cases) {
  std::vector<model::Case> inference;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(inference),
               [](const model::Case& measured) { return infers(measured.configuration); });
  if (!inference.empty()) return inference;
  return fail(ErrorKind::usage,
              "tbci searches batch sizes for inference only: training keeps that of the original model, because its "
              "convergence depends on it");
}

Result<std::vector<CaseSearch>> search_batches(SubjectContext& context, const model::Product& product,
                                               const BatchSearchPlan& plan) {
  TBCI_ASSIGN(std::vector<settings::SearchedBatch> known, known_in(plan.file));
  TBCI_ASSIGN(const model::Environment environment, context.machine.environment(context.stop));
  context.progress.begin_stage("batches", fmt::format("{} cases", plan.cases.size()), 0);
  std::vector<CaseSearch> all;
  for (const model::Case& measured : plan.cases) {
    settings::SearchedBatch asked = question(context, measured, environment);
    const auto before = std::find_if(known.begin(), known.end(), [&](const settings::SearchedBatch& old) {
      return old.same_question(asked) && old.runner == asked.runner;
    });
    if (before != known.end() && !plan.again) {
      all.push_back({*before, false});
      continue;
    }
    const auto measure = [&](int batch) {
      context.progress.step(
          fmt::format("{} ({} of {}), batch {}", to_string(measured), all.size() + 1, plan.cases.size(), batch));
      return measure_point(context, product, asked, batch);
    };
    TBCI_ASSIGN(asked.answer, runner::search_batch(measure, plan.settings));
    asked.searched = to_iso8601(context.clock.now());
    if (asked.answer.batch > 0) TBCI_TRY(keep(known, asked, plan.file));
    all.push_back({std::move(asked), true});
  }
  context.progress.end_stage(
      fmt::format("{} searched now", std::count_if(all.begin(), all.end(), [](const auto& one) { return one.now; })));
  return all;
}

}  // namespace tbci::pipeline
