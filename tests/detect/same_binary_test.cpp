#include "detect/same_binary.hpp"

#include "tests/catch.hpp"

namespace tbci::same_binary_test {

using namespace tbci::detect;
using model::Metric;
using model::Verdict;

namespace {

model::Finding finding(Verdict verdict, Metric metric = Metric::time) {
  model::Finding one;
  one.series = {"dlrm", model::Configuration::cpu_train, metric};
  one.verdict = verdict;
  one.change = 0.1;
  return one;
}

const std::map<std::string, std::string> libraries = {{"library.torch", "libtorch_cpu.so 3f2a91c0b3d27e11"},
                                                      {"library.openmp", "libgomp.so.1 91bc4d0a8e1f2233"}};

}  // namespace

TEST_CASE("Same binary: equal digests of all libraries, or equal compiled inputs, are the same binary", "[detect]") {
  CHECK(compare_binaries({libraries, ""}, {libraries, ""}) == Binaries::identical);
  CHECK(compare_binaries({{}, "abc"}, {{}, "abc"}) == Binaries::identical);
  CHECK(compare_binaries({libraries, "abc"}, {libraries, "abd"}) == Binaries::identical);
  auto other = libraries;
  other["library.torch"] = "libtorch_cpu.so 0000000000000000";
  CHECK(compare_binaries({libraries, ""}, {other, ""}) == Binaries::different);
  other = libraries;
  other.erase("library.openmp");
  CHECK(compare_binaries({libraries, ""}, {other, ""}) == Binaries::different);
}

TEST_CASE("Same binary: what was not loaded or could not be read says nothing", "[detect]") {
  CHECK(compare_binaries({}, {}) == Binaries::unknown);
  CHECK(compare_binaries({libraries, ""}, {}) == Binaries::unknown);
  CHECK(compare_binaries({{}, "abc"}, {{}, ""}) == Binaries::unknown);
  auto torn = libraries;
  torn["library.torch"] = "libtorch_cpu.so unreadable";
  CHECK(compare_binaries({torn, ""}, {torn, ""}) == Binaries::unknown);
}

TEST_CASE("Same binary: between identical ones a time raises no alarm, and memory still does", "[detect]") {
  for (const Verdict verdict : {Verdict::regression, Verdict::improvement, Verdict::suspect}) {
    const auto calm = without_alarm(finding(verdict), Binaries::identical);
    CHECK(calm.verdict == Verdict::clear);
    CHECK(calm.reason.find("same binary") != std::string::npos);
    CHECK(calm.change == 0.1);
    CHECK(without_alarm(finding(verdict), Binaries::different).verdict == verdict);
    CHECK(without_alarm(finding(verdict), Binaries::unknown).verdict == verdict);
    CHECK(without_alarm(finding(verdict, Metric::cpu_memory), Binaries::identical).verdict == verdict);
  }
  CHECK(without_alarm(finding(Verdict::inconclusive), Binaries::identical).verdict == Verdict::inconclusive);
  CHECK(without_alarm(finding(Verdict::clear), Binaries::identical).reason.empty());
}

}  // namespace tbci::same_binary_test
