#include "daemon/faults/paper_faults.hpp"

#include <algorithm>
#include <set>

#include "miniature/options.hpp"
#include "tests/catch.hpp"

namespace tbci::paper_faults_test {

using namespace tbci::daemon::faults;

TEST_CASE("Paper faults: the seven of the paper's table, each of a kind that the generator knows", "[daemon]") {
  std::set<int> numbers;
  for (const PaperFault& fault : paper_faults()) {
    CAPTURE(fault.kind);
    numbers.insert(fault.pull_request);
    CHECK(std::ranges::count(miniature::fault_kinds(), fault.kind) == 1);
    CHECK(fault.nights.front().files);
    CHECK(fault.operators.empty() == (fault.metric == "cpu_leak"));
  }
  CHECK(numbers == std::set<int>{61056, 65594, 65839, 71904, 72148, 85447, 87855});
}

TEST_CASE("Paper faults: one of a device and one of a batch have a second night, which files nothing", "[daemon]") {
  std::set<int> with_second;
  for (const PaperFault& fault : paper_faults()) {
    if (fault.nights.size() == 1) continue;
    with_second.insert(fault.pull_request);
    REQUIRE(fault.nights.size() == 2);
    const PlayedNight& first = fault.nights[0];
    const PlayedNight& second = fault.nights[1];
    CHECK_FALSE(second.files);
    CHECK(first.name != second.name);
    CHECK((first.environment != second.environment || first.batch != second.batch));
  }
  CHECK(with_second == std::set<int>{65594, 72148});
}

TEST_CASE("Paper faults: they are chosen by name or number, each once and in the table's order", "[daemon]") {
  CHECK(chosen_faults({})->size() == 7);
  const auto chosen = chosen_faults({"embedding-bag-bounds", "85447", "71904"});
  REQUIRE(chosen);
  REQUIRE(chosen->size() == 2);
  CHECK(chosen->at(0).kind == "memory-kept");
  CHECK(chosen->at(1).kind == "embedding-bag-bounds");
  CHECK(families_of(*chosen) == std::vector<std::string>{"dlrm"});
}

TEST_CASE("Paper faults: an unknown name is refused with the nearest", "[daemon]") {
  const auto refused = chosen_faults({"memory-kept", "fused-convolutoin"});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::usage);
  CHECK(refused.error().message.starts_with(
      "--only fused-convolutoin: the paper has no such fault (did you mean 'fused-convolution'?); choose from"));
  CHECK(refused.error().message.find("library-configuration (72148)") != std::string::npos);
  CHECK_FALSE(chosen_faults({""}));
}

}  // namespace tbci::paper_faults_test
