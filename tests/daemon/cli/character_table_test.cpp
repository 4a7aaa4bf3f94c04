#include "daemon/cli/character_table.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::character_table_test {

using daemon::character_text;
using daemon::hints_text;
using daemon::json_of;
using model::Configuration;

namespace {

pipeline::Character character(const std::string& benchmark, Configuration configuration, double active, double movement,
                              double idle, double flops_per_second) {
  pipeline::Character made;
  made.measured = {benchmark, configuration};
  made.split = {.active = active, .movement = movement, .idle = idle};
  made.flops_per_second = flops_per_second;
  made.peak_flops_per_second = 50e9;
  return made;
}

bool has_line(const std::string& text, const std::vector<std::string>& words) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    std::size_t at = 0;
    bool all = true;
    for (const std::string& word : words) {
      at = line.find(word, at);
      all = all && at != std::string::npos;
    }
    if (all) return true;
    begin = end + 1;
  }
  return false;
}

const pipeline::Character dlrm = character("dlrm", Configuration::cpu_infer, 700000, 200000, 100000, 20e9);
const pipeline::Character bert = character("hf_Bert", Configuration::cpu_infer, 1800000, 0, 200000, 5e9);

}  // namespace

TEST_CASE("Characters: a row has the parts of an iteration and the share of the peak", "[daemon]") {
  const std::string text = character_text({dlrm}, {{"dlrm", "recommendation"}});
  INFO(text);
  CHECK(has_line(text, {"dlrm/cpu-infer", "1 ms", "70.0%", "20.0%", "10.0%", "20", "40.0%"}));
  CHECK(has_line(text, {"mean: recommendation, cpu-infer (1)", "70.0%"}));
}

TEST_CASE("Characters: parts have an arithmetic mean, speeds a geometric one", "[daemon]") {
  const std::string text = character_text({dlrm, bert}, {{"dlrm", "recommendation"}, {"hf_Bert", "nlp"}});
  INFO(text);
  CHECK(has_line(text, {"mean: all, cpu-infer (2)", "80.0%", "10.0%", "10.0%", "10", "20.0%"}));
  CHECK(has_line(text, {"mean: nlp, cpu-infer (1)", "90.0%"}));
}

TEST_CASE("Characters: beside another build each part has its difference in points", "[daemon]") {
  const auto before = character("dlrm", Configuration::cpu_infer, 800000, 200000, 0, 20e9);
  const std::string text = character_text({dlrm, bert}, {}, {before});
  INFO(text);
  CHECK(has_line(text, {"dlrm/cpu-infer", "70.0% (-10.0)", "20.0% (+0.0)", "10.0% (+10.0)"}));
  CHECK(has_line(text, {"hf_Bert/cpu-infer", "90.0%  "}));
}

TEST_CASE("Hints: a table says what to try, and marks what is new", "[daemon]") {
  const detect::Hint hint{.kind = detect::HintKind::page_faults,
                          .name = "aten.add.Tensor\nx",
                          .calls = 12,
                          .time = 5000,
                          .share = 0.2,
                          .gain = 0.123};
  const detect::AddedHint grown{.hint = hint, .calls_before = 12};
  const std::string text = hints_text({grown}, true);
  INFO(text);
  CHECK(has_line(text, {"new: page faults", "aten.add.Tensor", "12", "20.0%", "12.3%", "keep the memory"}));
  CHECK(text.find("\nx") == std::string::npos);
  CHECK(hints_text({grown}, false).find("new") == std::string::npos);
  CHECK(text.find("was") == std::string::npos);
  CHECK(has_line(hints_text({{.hint = hint, .calls_before = 4}}, true), {"12 (was 4)"}));
  CHECK(hints_text({}, true) == "no new hint of a gain of 1% or more\n");
  CHECK(hints_text({}, false, 0.1) == "no hint of a gain of 0.1% or more\n");
  CHECK(json_of(grown, true)["kind"] == "page faults");
  CHECK(json_of(grown, true)["gain"] == 0.123);
  CHECK(json_of(grown, true)["calls_before"] == 12);
  CHECK_FALSE(json_of(grown, false).contains("calls_before"));
}

}  // namespace tbci::character_table_test
