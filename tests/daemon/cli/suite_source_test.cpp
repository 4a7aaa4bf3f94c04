#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "daemon/cli/suite_source.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::suite_source_test {

using namespace tbci::test;
using model::Configuration;

namespace {

constexpr const char* header = "family,name,domain,task,parameters,train,infer,listed\n";

Result<std::vector<runner::BenchmarkInfo>> read(const std::string& lines,
                                                const std::vector<std::string>& families = {}) {
  const TemporaryDirectory folder;
  REQUIRE(write_file_atomically(folder.path() / "catalogue.csv", header + lines));
  return daemon::read_catalogue(folder.path(), families);
}

}  // namespace

TEST_CASE("Catalogue: a benchmark has its name, domain, task, size, and what it can do", "[cli]") {
  const auto read_back =
      read("dlrm,dlrm,recommendation,ranking,540,true,true,table1\nx,small,other,chat,7,false,true,more\n");
  REQUIRE(read_back);
  REQUIRE(read_back->size() == 2);
  const runner::BenchmarkInfo& first = read_back->front();
  CHECK(first.name == "dlrm");
  CHECK(first.domain == "recommendation");
  CHECK(first.task == "ranking");
  CHECK(first.parameters == 540);
  CHECK(first.configurations.size() == 4);
  CHECK(read_back->back().configurations == std::vector{Configuration::cpu_infer, Configuration::gpu_infer});
}

TEST_CASE("Catalogue: families that are not chosen are left out", "[cli]") {
  const auto chosen = read("a,one,d,t,1,true,true,more\nb,two,d,t,1,true,true,more\n", {"b"});
  REQUIRE(chosen);
  REQUIRE(chosen->size() == 1);
  CHECK(chosen->front().name == "two");
}

TEST_CASE("Catalogue: a wrong line is named by file and number, a missing file by its name", "[cli]") {
  const auto wrong = read("a,one,d,t,1,true,true,more\na,two,d,t,many,true,true,more\n");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == ErrorKind::failed);
  CHECK(wrong.error().message.find("catalogue.csv:3: ") != std::string::npos);
  CHECK_FALSE(read("a,one,d\n"));
  const TemporaryDirectory empty;
  const auto missing = daemon::read_catalogue(empty.path(), {});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::machine);
  CHECK(missing.error().message.find("catalogue.csv") != std::string::npos);
}

TEST_CASE("Catalogue: the suite's own is read whole", "[cli]") {
  const auto suite = daemon::read_catalogue(std::filesystem::path(TBCI_SOURCE_DIR) / "suite", {});
  REQUIRE(suite);
  std::set<std::string> names;
  for (const runner::BenchmarkInfo& benchmark : *suite) {
    INFO(benchmark.name);
    CHECK(names.insert(benchmark.name).second);
    CHECK_FALSE(benchmark.configurations.empty());
    CHECK(benchmark.parameters >= 0);
  }
  CHECK(names.count("dlrm") == 1);
  CHECK(names.count("resnet18") == 1);
}

}  // namespace tbci::suite_source_test
