#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::worker_test {

using namespace tbci::test;

namespace {

// A suite whose worker is a script: one model that works, and one for each way of failing.
constexpr const char* bad_worker = R"(#!/bin/sh
if [ "$1" = list ]; then
  echo '{"type":"hello","protocol":1,"worker":"bad"}'
  for name in aborts eats_memory fine hangs nonsense; do
    echo '{"type":"benchmark","name":"'$name'","domain":"tests","task":"failing","configurations":["cpu-infer"],"parameters":1,"source":"here","batch":{"train":1,"infer":1}}'
  done
  echo '{"type":"done"}'
  exit 0
fi
while [ "$1" != --benchmark ]; do shift; done
echo '{"type":"hello","protocol":1,"worker":"bad","torch_version":"0","torch_git":"","threads":1,"device":"cpu","benchmark":"'$2'","configuration":"cpu-infer","size":"ci","batch":1,"seed":42}'
case $2 in
  aborts) kill -ABRT $$ ;;
  hangs) sleep 1000 ;;
  nonsense) echo 'all is well, trust me'; exit 0 ;;
  eats_memory) exec /usr/bin/python3 -c 'import itertools; held = [bytearray(1 << 26) for _ in itertools.count()]' ;;
esac
for i in 0 1 2; do echo '{"type":"sample","iteration":'$i',"nanoseconds":1000000}'; done
echo '{"type":"memory","cpu_peak_bytes":1000000,"cpu_growth_bytes":0}'
echo '{"type":"done","samples":3,"setup_nanoseconds":1}'
)";

constexpr const char* bad_suite = R"(cmake_minimum_required(VERSION 3.25)
project(bad NONE)
configure_file(worker.sh tbci-worker COPYONLY)
add_custom_target(tbci-worker)
)";

}  // namespace

TEST_CASE("End to end: a worker that aborts, hangs, prints nonsense or eats memory costs its own measurement alone",
          "[e2e]") {
  Installation installation;
  const auto suite = installation.folder() / "suite";
  REQUIRE(write_file_atomically(suite / "CMakeLists.txt", bad_suite));
  REQUIRE(write_file_atomically(suite / "worker.sh", bad_worker));
  std::filesystem::permissions(suite / "worker.sh", std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  installation.configure(
      "processes = 2\nprocesses_at_most = 2\niterations = 3\ntime_limit = 6\nmemory_limit_mib = 1024\n",
      "worker_source = \"" + suite.string() + "\"");
  const Answer answer = installation.tbci({"run", "--build", installation.truth().nightly(0), "--json"});
  INFO(answer.error << answer.output);
  CHECK(answer.exit_code == 1);
  std::map<std::string, std::string> outcomes, messages;
  const nlohmann::json json = answer.json();
  for (const auto& measured : json["cases"]) {
    CHECK(measured["processes"].size() == 2);
    outcomes[measured["benchmark"]] = measured["processes"][1]["outcome"];
    messages[measured["benchmark"]] = measured["processes"][1]["message"];
  }
  CHECK(outcomes["fine"] == "done");
  CHECK(outcomes["aborts"] == "crashed");
  CHECK(messages["aborts"].find("SIGABRT") != std::string::npos);
  CHECK(outcomes["hangs"] == "timed_out");
  CHECK(outcomes["nonsense"] == "protocol");
  CHECK((outcomes["eats_memory"] == "out_of_memory" || outcomes["eats_memory"] == "crashed"));
}

}  // namespace tbci::worker_test
