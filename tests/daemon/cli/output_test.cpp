#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "daemon/cli/memory_text.hpp"
#include "daemon/cli/show.hpp"
#include "daemon/cli/table.hpp"
#include "daemon/cli/terminal_progress.hpp"
#include "tests/catch.hpp"

namespace tbci::output_test {

using namespace tbci::test;

TEST_CASE("Table: columns are as wide as their widest cell, in characters", "[cli]") {
  daemon::Table table({{"name"}, {"n", daemon::Align::right}});
  CHECK(table.text().empty());
  table.add({"a", "1"});
  table.add({"\xC3\xA4\xC3\xB6\xC3\xBC-bc", "200"});
  CHECK(table.text() == "name      n\na         1\n\xC3\xA4\xC3\xB6\xC3\xBC-bc  200\n");
}

TEST_CASE("Table: a cell cannot break its line", "[cli]") {
  daemon::Table table({{"name"}});
  table.add({"two\nlines\x1b[31m"});
  CHECK(table.text() == "name\ntwo lines [31m\n");
}

TEST_CASE("Progress: the time left follows from the steps done", "[cli]") {
  using namespace std::chrono_literals;
  CHECK(daemon::bar(5, 10, 10s) == "[##########----------] 5/10, 10 s left");
  CHECK(daemon::bar(0, 10, 0s) == "[--------------------] 0/10");
  CHECK(daemon::bar(10, 10, 10s) == "[####################] 10/10");
  CHECK(daemon::bar(3, 0, 10s) == "3 done");
}

TEST_CASE("Progress: a stage of one step counts nothing", "[cli]") {
  using namespace std::chrono_literals;
  CHECK(daemon::stage_state(0, 0, 10s, "building") == "building");
  CHECK(daemon::stage_state(2, 0, 10s, "building") == "2 done  building");
  CHECK(daemon::stage_state(0, 4, 10s, "building") == "[--------------------] 0/4  building");
}

TEST_CASE("Memory: growth is shown with its interval, and what was not measured is left out", "[cli]") {
  model::Measurement without;
  model::Measurement with;
  with.cpu_peak_bytes = 4096;
  with.cpu_growth_bytes = 1040;
  with.cpu_growth_interval = {1024, 2048};
  CHECK(daemon::growth_text({without}, model::Metric::cpu_leak) == "-");
  CHECK(daemon::growth_text({with, without}, model::Metric::cpu_leak) == "1.02 KiB/iteration (1 KiB to 2 KiB)");
  CHECK(daemon::memory_json(without).empty());
  const auto json = daemon::memory_json(with);
  CHECK(json.size() == 4);
  CHECK(json.at("cpu_peak_bytes") == 4096);
  CHECK(json.at("cpu_growth_high_bytes") == 2048);
}

TEST_CASE("Findings: clear ones are shown only where all are asked for", "[cli]") {
  model::Finding clear;
  clear.series = {"dlrm", model::Configuration::cpu_train, model::Metric::time};
  clear.before = clear.after = 1e6;
  model::Finding leak = clear;
  leak.series.metric = model::Metric::cpu_leak;
  leak.verdict = model::Verdict::regression;
  leak.before = 0;
  leak.after = 65536;
  leak.change = leak.high = std::numeric_limits<double>::infinity();
  leak.pairs = 6;
  const std::string text = daemon::table_of({clear, leak}, false);
  CHECK(text.find("dlrm/cpu-train/time") == std::string::npos);
  CHECK(text.find("64 KiB/iteration") != std::string::npos);
  CHECK(text.find("new") != std::string::npos);
  CHECK(daemon::table_of({clear, leak}, true).find("1 ms") != std::string::npos);
}

}  // namespace tbci::output_test
