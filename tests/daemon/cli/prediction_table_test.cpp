#include "daemon/cli/prediction_table.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::prediction_table_test {

using detect::KernelFamily;
using model::OverheadKind;
using pipeline::PredictedCase;

namespace {

PredictedCase predicted_case() {
  PredictedCase predicted{.measured = {"dlrm", model::Configuration::cpu_train}, .own_batch = 512};
  predicted.prediction.batch = 384;
  predicted.prediction.calibrated = {128, 256, 512};
  predicted.prediction.time = 10e6;
  predicted.prediction.kernels[KernelFamily::products] = {6e6, 12};
  predicted.prediction.kernels[KernelFamily::elementwise] = {1e6, 30};
  predicted.prediction.overheads[OverheadKind::launch] = 1e6;
  predicted.prediction.overheads[OverheadKind::between_operators] = 2.5e6;
  predicted.prediction.rest = -0.5e6;
  return predicted;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Prediction table: active and idle stand apart, by family and by type", "[daemon]") {
  const std::string text = daemon::prediction_text(predicted_case());
  INFO(text);
  CHECK(says(text, "dlrm/cpu-train, batch 384: 10 ms an iteration, from batches 128, 256, 512\n"));
  CHECK(says(text, "products (12 calls)"));
  CHECK(says(text, "70.0%"));
  CHECK(says(text, "60.0%"));
  CHECK(says(text, "30.0%"));
  CHECK(says(text, "between operators"));
  CHECK(says(text, "-5.0%"));
  CHECK_FALSE(says(text, "page faults"));  // there are none
  CHECK_FALSE(says(text, "unknown"));
  CHECK_FALSE(says(text, "beyond"));
  CHECK(text.back() == '\n');
}

TEST_CASE("Prediction table: what is beyond the calibrated batches, or is recorded itself, is said", "[daemon]") {
  PredictedCase predicted = predicted_case();
  predicted.prediction.beyond = 1.5;
  CHECK(says(daemon::prediction_text(predicted), "Batch 384 is 1.5 times beyond what was calibrated.\n"));
  CHECK_FALSE(says(daemon::prediction_text(predicted), "rely"));
  predicted.prediction.beyond = 3;
  CHECK(says(daemon::prediction_text(predicted),
             "Batch 384 is 3.0 times beyond what was calibrated. Do not rely on it beyond 2 times.\n"));
  predicted.prediction.batch = 256;
  predicted.prediction.beyond = 1;
  CHECK(says(daemon::prediction_text(predicted), "Batch 256 was recorded itself.\n"));
}

TEST_CASE("Prediction table: what is unknown has its share and its operators", "[daemon]") {
  PredictedCase predicted = predicted_case();
  predicted.prediction.unknown = 0.4e6;
  predicted.prediction.unknown_operators = {{"aten.sort.default", 0.4e6}};
  predicted.prediction.may_add = 2e6;
  const std::string text = daemon::prediction_text(predicted);
  INFO(text);
  CHECK(says(text, "aten.sort.default"));
  CHECK(says(text, "4.0%"));
  CHECK(says(text, "Unknown: one batch alone makes these calls"));
  CHECK(says(text, "they may add 2 ms.\n"));
  const auto json = daemon::json_of(predicted);
  CHECK(json["unknown_nanoseconds"] == 0.4e6);
  CHECK(json["unknown"][0]["operator"] == "aten.sort.default");
  CHECK(json["idle_nanoseconds"] == 10e6 - 7e6 - 0.4e6);
}

TEST_CASE("Prediction table: the JSON has the parts, and batches that are missing with the reason", "[daemon]") {
  PredictedCase predicted = predicted_case();
  predicted.missing[1024] = "out of memory";
  const auto json = daemon::json_of(predicted);
  CHECK(json["benchmark"] == "dlrm");
  CHECK(json["configuration"] == "cpu-train");
  CHECK(json["batch"] == 384);
  CHECK(json["calibrated"] == nlohmann::json{128, 256, 512});
  CHECK(json["missing"] == nlohmann::json::array({{{"batch", 1024}, {"why", "out of memory"}}}));
  CHECK(json["nanoseconds"] == 10e6);
  CHECK(json["active_nanoseconds"] == 7e6);
  CHECK(json["idle_nanoseconds"] == 3e6);
  CHECK(json["rest_nanoseconds"] == -0.5e6);
  CHECK(json["kernels"].size() == 2);
  CHECK(json["overheads"].size() == 2);
}

}  // namespace tbci::prediction_table_test
