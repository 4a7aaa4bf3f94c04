#include "daemon/cli/step_table.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::step_table_test {

using model::CauseKind;
using model::OverheadKind;
using model::StepPart;
using model::StepSplit;

namespace {

StepSplit step() {
  const StepPart launch{
      .kind = CauseKind::overhead, .overhead = OverheadKind::launch, .nanoseconds = 800e3, .clear = true};
  return {.measured = {"dlrm", model::Configuration::cpu_infer},
          .recordings = 3,
          .before = 10e6,
          .after = 11e6,
          .parts = {launch,
                    {.kind = CauseKind::kernel,
                     .name = "aten.mm\xff",
                     .nanoseconds = 150e3,
                     .calls_before = 4,
                     .calls_after = 6}},
          .rest = 50e3,
          .cause = launch};
}

}  // namespace

TEST_CASE("Step table: the cause is a sentence, and the rest is the last line", "[daemon]") {
  const std::string text = daemon::text_of(step());
  INFO(text);
  CHECK(text.find("dlrm/cpu-infer: 10 ms -> 11 ms an iteration (+10.0%) in 3 recorded processes each\n") !=
        std::string::npos);
  CHECK(text.find("cause: each call of each operator costs more, whatever its size\n") != std::string::npos);
  CHECK(text.find("overhead, launch") != std::string::npos);
  CHECK(text.find("+800 us          80%") != std::string::npos);
  CHECK(text.substr(text.rfind("the rest")).find("+50 us           5%") != std::string::npos);
  StepSplit unclear = step();
  unclear.cause.reset();
  CHECK(daemon::text_of(unclear).find("no cause: no single part explains the step") != std::string::npos);
}

TEST_CASE("Step table: JSON has numbers in nanoseconds, null for no cause, and valid text", "[daemon]") {
  StepSplit one = step();
  nlohmann::json json = daemon::json_of(one);
  CHECK(json["before_nanoseconds"] == 10000000);
  CHECK(json["rest_nanoseconds"] == 50000);
  CHECK(json["cause"]["kind"] == "overhead");
  CHECK(json["cause"]["overhead"] == "launch");
  CHECK(json["parts"][1]["overhead"].is_null());
  CHECK(json["parts"][1]["calls_before"] == 4);
  CHECK_NOTHROW(json.dump());
  one.cause.reset();
  CHECK(daemon::json_of(one)["cause"].is_null());
}

TEST_CASE("Step table: each kind of cause has a sentence for more and for less", "[daemon]") {
  const auto said = [](CauseKind kind, std::optional<OverheadKind> overhead, const std::string& name,
                       double nanoseconds) {
    return sentence_of(StepPart{.kind = kind, .overhead = overhead, .name = name, .nanoseconds = nanoseconds});
  };
  CHECK(said(CauseKind::kernel, {}, "mm", 1) == "mm takes longer in itself");
  CHECK(said(CauseKind::kernel, {}, "mm", -1) == "mm takes less time in itself");
  CHECK(said(CauseKind::kernel, {}, "", 1) == "several operators take longer in themselves");
  CHECK(sentence_of(StepPart{.name = "mm", .nanoseconds = 1, .calls_before = 2, .calls_after = 9}) ==
        "mm is called 9 times, before 2");
  CHECK(sentence_of(StepPart{.name = "mm", .nanoseconds = 1, .calls_before = 1000, .calls_after = 1001}) ==
        "mm takes longer in itself (called 1001 times, before 1000)");
  CHECK(sentence_of(StepPart{.name = "mm", .nanoseconds = 1, .calls_before = 8, .calls_after = 4}) ==
        "mm takes longer in itself (called 4 times, before 8)");
  CHECK(said(CauseKind::overhead, OverheadKind::launch, "mm", 1) == "each call of mm costs more, whatever its size");
  CHECK(said(CauseKind::overhead, OverheadKind::between_operators, "", -1) == "less time passes in no operator");
  CHECK(said(CauseKind::overhead, OverheadKind::before_kernel, "mm", 1) == "mm spends more before its first kernel");
  CHECK(said(CauseKind::overhead, OverheadKind::between_kernels, "mm", 1) == "mm spends more between its kernels");
  CHECK(said(CauseKind::overhead, OverheadKind::after_kernel, "mm", 1) == "mm spends more after its last kernel");
  CHECK(said(CauseKind::page_faults, {}, "mm", 1) == "more memory is touched for the first time, most of it in mm");
  CHECK(said(CauseKind::page_faults, {}, "", -1) == "less memory is touched for the first time");
  CHECK(said(CauseKind::tier, {}, "mm", 1) == "the slower memory tier takes longer, most of it in mm");
  CHECK(said(CauseKind::tier, {}, "", -1) == "the slower memory tier takes less time");
  CHECK(said(CauseKind::communication, {}, "c10d", 1) ==
        "communication between ranks takes longer, most of it in c10d");
  CHECK(said(CauseKind::communication, {}, "", -1) == "communication between ranks takes less time");
  CHECK(said(CauseKind::waiting, {}, "", 1) == "the thread waits longer");
  CHECK(said(CauseKind::waiting, {}, "", -1) == "the thread waits less");
}

}  // namespace tbci::step_table_test
