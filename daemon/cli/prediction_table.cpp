#include "daemon/cli/prediction_table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

using detect::Prediction;

std::string predicted_length(double nanoseconds) {
  const std::string text = human_duration(std::chrono::nanoseconds(std::llround(std::abs(nanoseconds))));
  return (nanoseconds < 0 ? "-" : "") + text;
}

std::string calibrated_batches_text(const std::vector<int>& batches) {
  std::string text;
  for (const int batch : batches) text += (text.empty() ? "" : ", ") + std::to_string(batch);
  return text;
}

class PartsTable {
 public:
  explicit PartsTable(double whole) : whole_(whole) {}
  void add(const std::string& what, const std::string& kind, double nanoseconds) {
    table_.add({what, kind, predicted_length(nanoseconds),
                fmt::format("{:.1f}%", whole_ > 0 ? 100 * nanoseconds / whole_ : 0)});
  }
  // Left out where there is none.
  void add_some(const std::string& what, const std::string& kind, double nanoseconds) {
    if (std::abs(nanoseconds) >= 0.5) add(what, kind, nanoseconds);
  }
  std::string text() const { return table_.text(); }

 private:
  double whole_;
  Table table_{{{"part", Align::left}, {"of", Align::left}, {"time", Align::right}, {"share", Align::right}}};
};

std::string parts_text(const Prediction& prediction) {
  PartsTable table(prediction.time);
  table.add("active", "", prediction.active());
  for (const auto& [family, spent] : prediction.kernels)
    table.add_some("", fmt::format("{} ({:.0f} calls)", to_string(family), spent.calls), spent.nanoseconds);
  table.add("idle", "", prediction.idle());
  for (const auto& [kind, nanoseconds] : prediction.overheads)
    table.add_some("", std::string(to_string(kind)), nanoseconds);
  table.add_some("", "page faults", prediction.page_faults);
  table.add_some("", "waiting", prediction.waiting);
  table.add_some("", "not in recordings", prediction.rest);
  table.add_some("unknown", "", prediction.unknown);
  for (const detect::UnknownCalls& each : prediction.unknown_operators)
    table.add_some("", one_line(each.name, 60), each.nanoseconds);
  return table.text();
}

// What a reader must know before the numbers are used.
std::string warnings_text(const pipeline::PredictedCase& predicted) {
  const Prediction& prediction = predicted.prediction;
  std::string text;
  if (std::ranges::binary_search(prediction.calibrated, prediction.batch))
    text += fmt::format("Batch {} was recorded itself.\n", prediction.batch);
  if (prediction.beyond > detect::far_beyond) {
    text += fmt::format("Batch {} is {:.1f} times beyond what was calibrated. Do not rely on it beyond {:.0f} times.\n",
                        prediction.batch, prediction.beyond, detect::far_beyond);
  } else if (prediction.beyond > 1) {
    text += fmt::format("Batch {} is {:.1f} times beyond what was calibrated.\n", prediction.batch, prediction.beyond);
  }
  if (prediction.unknown > 0)
    text +=
        "Unknown: one batch alone makes these calls, so how they grow is not known. They take what they took there.\n";
  if (prediction.may_add > 0)
    text += fmt::format("A calibrated batch on the other side makes further calls: they may add {}.\n",
                        predicted_length(prediction.may_add));
  if (prediction.looped)
    text += "The same calls are made for each sample: an operator's calls are predicted together.\n";
  if (prediction.sizes_follow_data) text += "Some sizes depend on the data and not on the batch alone.\n";
  if (prediction.lanes > 1)
    text += fmt::format("{} threads call operators: {} of calls are beside the critical path.\n", prediction.lanes,
                        predicted_length(prediction.beside));
  return text;
}

}  // namespace

std::string prediction_text(const pipeline::PredictedCase& predicted) {
  const Prediction& prediction = predicted.prediction;
  return fmt::format("{}, batch {}: {} an iteration, from batches {}\n{}{}", to_string(predicted.measured),
                     prediction.batch, predicted_length(prediction.time),
                     calibrated_batches_text(prediction.calibrated), parts_text(prediction), warnings_text(predicted));
}

nlohmann::json json_of(const pipeline::PredictedCase& predicted) {
  const Prediction& prediction = predicted.prediction;
  nlohmann::json kernels = nlohmann::json::array(), overheads = nlohmann::json::array();
  nlohmann::json unknown = nlohmann::json::array(), missing = nlohmann::json::array();
  for (const auto& [family, spent] : prediction.kernels)
    kernels.push_back({{"family", to_string(family)}, {"nanoseconds", spent.nanoseconds}, {"calls", spent.calls}});
  for (const auto& [kind, nanoseconds] : prediction.overheads)
    overheads.push_back({{"kind", to_string(kind)}, {"nanoseconds", nanoseconds}});
  for (const detect::UnknownCalls& each : prediction.unknown_operators)
    unknown.push_back({{"operator", each.name}, {"nanoseconds", each.nanoseconds}});
  for (const auto& [batch, why] : predicted.missing) missing.push_back({{"batch", batch}, {"why", why}});
  return {{"benchmark", predicted.measured.benchmark},
          {"configuration", to_string(predicted.measured.configuration)},
          {"batch", prediction.batch},
          {"calibrated", prediction.calibrated},
          {"missing", std::move(missing)},
          {"beyond", prediction.beyond},
          {"nanoseconds", prediction.time},
          {"active_nanoseconds", prediction.active()},
          {"idle_nanoseconds", prediction.idle()},
          {"unknown_nanoseconds", prediction.unknown},
          {"kernels", std::move(kernels)},
          {"overheads", std::move(overheads)},
          {"page_fault_nanoseconds", prediction.page_faults},
          {"waiting_nanoseconds", prediction.waiting},
          {"rest_nanoseconds", prediction.rest},
          {"unknown", std::move(unknown)},
          {"may_add_nanoseconds", prediction.may_add},
          {"looped", prediction.looped},
          {"sizes_follow_data", prediction.sizes_follow_data},
          {"lanes", prediction.lanes},
          {"beside_nanoseconds", prediction.beside}};
}

}  // namespace tbci::daemon
