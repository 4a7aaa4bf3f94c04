// The hints of the paper's patches on a real build: there on the side before a patch, gone on the side after it.
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::why_test {

using namespace tbci::test;

namespace {

// The gain that is promised by hints of the kind; of one operator, or of any.
double promised(const Installation& installation, std::vector<std::string> what, const std::string& kind,
                const std::string& name = "") {
  what.insert(what.begin(), "why");
  what.insert(what.end(), {"--build", installation.truth().nightly(0), "--least", "0.01", "--json"});
  const Answer answer = installation.tbci(what);
  INFO(answer.error << answer.output);
  REQUIRE(answer.exit_code == 0);
  double gain = 0;
  const nlohmann::json json = answer.json();
  for (const auto& hint : json["hints"]) {
    if (hint["kind"] == kind && (name.empty() || hint["operator"] == name)) gain += hint["gain"].get<double>();
  }
  return gain;
}

// `tbci predict` of the first nightly.
Answer predict(const Installation& installation, std::vector<std::string> what) {
  what.insert(what.begin(), "predict");
  what.insert(what.end(), {"--build", installation.truth().nightly(0)});
  return installation.tbci(what);
}

void check_another_batch(const Installation& installation) {
  const Answer answer = predict(installation, {"dlrm", "--batch", "96", "--calibrate", "64,128,256", "--rounds", "1",
                                               "--configurations", "cpu-train", "gpu-train", "--json"});
  INFO(answer.error << answer.output);
  REQUIRE(answer.exit_code == 0);
  CHECK(answer.error.find("dlrm/gpu-train has no prediction: the time of a GPU is not taken apart") !=
        std::string::npos);
  REQUIRE(answer.json()["predictions"].size() == 1);
  const nlohmann::json seen = answer.json()["predictions"][0];
  CHECK(seen["batch"] == 96);
  CHECK(seen["calibrated"] == nlohmann::json{64, 128, 256});
  double kernels = 0, others = seen["page_fault_nanoseconds"].get<double>() +
                               seen["waiting_nanoseconds"].get<double>() + seen["rest_nanoseconds"].get<double>() +
                               seen["unknown_nanoseconds"].get<double>();
  for (const auto& family : seen["kernels"]) kernels += family["nanoseconds"].get<double>();
  for (const auto& overhead : seen["overheads"]) others += overhead["nanoseconds"].get<double>();
  CHECK(kernels > 0);
  CHECK(seen["kernels"].size() >= 4);  // embeddings, copies, elementwise, products
  CHECK(seen["overheads"].size() == 5);
  CHECK(seen["active_nanoseconds"].get<double>() == Approx(kernels));
  CHECK(seen["nanoseconds"].get<double>() == Approx(kernels + others));
  // zero_ calls fill_ from some size on, and an operator that one batch alone calls is none of dlrm's.
  CHECK(seen["unknown_nanoseconds"] == 0);

  CHECK(predict(installation, {}).error.find("what should be predicted?") != std::string::npos);
  const Answer both = predict(installation, {"dlrm", "--what-if", "aten.addmm=2"});
  CHECK(both.exit_code == 2);
  CHECK(both.error.find("write --benchmarks dlrm instead of dlrm") != std::string::npos);
  CHECK(predict(installation, {"--what-if", "aten.addmm=2", "--batch", "3"}).exit_code == 2);
  CHECK(predict(installation, {"dlrm", "--batch", "0"}).exit_code == 2);
  CHECK(predict(installation, {"dlrm", "--batch", "3", "--calibrate", "5"}).exit_code == 2);
  CHECK(predict(installation, {"dlrm", "--batch", "3", "--calibrate", "5,5"}).error.find("--calibrate has 5 twice") !=
        std::string::npos);
  CHECK(predict(installation, {"dlrn", "--batch", "3"}).error.find("did you mean 'dlrm'?") != std::string::npos);
}

// `tbci scale` of the second nightly against the first one, which computes the same.
Answer scale(const Installation& installation, std::vector<std::string> what) {
  what.insert(what.begin(), {"scale", "dlrm"});
  what.insert(what.end(), {"--build", installation.truth().nightly(1), "--against", installation.truth().nightly(0)});
  return installation.tbci(what);
}

void check_scales(const Installation& installation) {
  const Answer losses = scale(installation, {"--over", "samples", "--sizes", "2048,4096,8192,16384", "--rounds", "2",
                                             "--configurations", "cpu-train", "--json"});
  INFO(losses.error << losses.output);
  const nlohmann::json learned = losses.json()["cases"].at(0);
  CHECK(learned["builds"].size() == 2);
  CHECK(learned["builds"][0]["points"].size() == 4);
  CHECK(learned["change"]["same"] == true);

  const Answer times =
      scale(installation, {"--sizes", "64,128,256,512", "--rounds", "1", "--configurations", "cpu-infer", "--json"});
  INFO(times.error << times.output);
  const nlohmann::json measured = times.json()["cases"].at(0);
  CHECK(measured["over"] == "batch");
  CHECK(measured["builds"][1]["points"].size() == 4);
  CHECK(measured["builds"][1]["points"][3]["nanoseconds"] > measured["builds"][1]["points"][0]["nanoseconds"]);

  CHECK(scale(installation, {"--over", "samples", "--rounds", "1"}).error.find("over two seeds at least") !=
        std::string::npos);
  CHECK(scale(installation, {"--over", "samples", "--configurations", "cpu-infer"}).exit_code == 2);
  CHECK(scale(installation, {"--sizes", "64,128,256"}).error.find("a law takes 4 sizes at least") != std::string::npos);
}

}  // namespace

TEST_CASE("End to end: the hint that a patch of the paper answers is there before it and gone after it", "[e2e]") {
  Installation installation;
  const std::string row = "small calls in a row", zero = "aten.zero_.default";
  const std::string zeros = "zeros-one-by-one", fused = "fused-steps";
  CHECK(promised(installation, {"dlrm/cpu-train", "--variant", zeros}, row, zero) > 0);
  CHECK(promised(installation, {"dlrm/cpu-train"}, row, zero) == 0);

  const double looping = promised(installation, {"dlrm/cpu-train"}, row);
  CHECK(looping > 0.01);
  CHECK(promised(installation, {"dlrm/cpu-train", "--variant", fused}, row) < looping / 3);

  const Answer supposed =
      installation.tbci({"predict", "--build", installation.truth().nightly(0), "--what-if", "aten.addmm=2",
                         "--benchmarks", "dlrm", "--configurations", "cpu-infer", "--json"});
  INFO(supposed.error << supposed.output);
  REQUIRE(supposed.exit_code == 0);
  const nlohmann::json slower = supposed.json()["cases"].at(0);
  CHECK(slower["kernel_nanoseconds"].get<double>() > 0);
  CHECK(slower["supposed_nanoseconds"].get<double>() ==
        Approx(slower["nanoseconds"].get<double>() + slower["kernel_nanoseconds"].get<double>()));
  const Answer misspelt = installation.tbci({"predict", "--build", installation.truth().nightly(0), "--what-if",
                                             "aten.admm=2", "--benchmarks", "dlrm", "--configurations", "cpu-infer"});
  CHECK(misspelt.exit_code == 2);
  CHECK(misspelt.error.find("no recorded case calls aten.admm (did you mean 'aten.addmm'?)") != std::string::npos);

  check_another_batch(installation);
  check_scales(installation);

  const Answer unknown = installation.tbci(
      {"why", "dlrm/cpu-train", "--build", installation.truth().nightly(0), "--variant", "fused-step"});
  CHECK(unknown.exit_code != 0);
  CHECK(unknown.error.find("the nearest name is 'fused-steps'") != std::string::npos);
  const Answer other = installation.tbci(
      {"why", "dlrm/cpu-train", "--build", installation.truth().nightly(0), "--variant", "rsqrt-tensor"});
  CHECK(other.exit_code != 0);
  CHECK(other.error.find("rsqrt-tensor is a variant of hf_Reformer") != std::string::npos);
}

}  // namespace tbci::why_test
