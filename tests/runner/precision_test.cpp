#include "runner/precision.hpp"

#include "tests/catch.hpp"

namespace tbci::precision_test {

using runner::precision_from;

TEST_CASE("Precision: accepts every name, including the default", "[precision]") {
  for (const std::string_view name : runner::all_precisions) CHECK(precision_from(name).value() == name);
  CHECK(precision_from(runner::default_precision));
}

TEST_CASE("Precision: suggests the nearest name for an unknown one and lists all", "[precision]") {
  const auto wrong = precision_from("bf-16");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == ErrorKind::usage);
  CHECK(wrong.error().message ==
        "unknown precision 'bf-16' (did you mean 'bf16'?): use one of fp32, pytorch, tf32, fp16, bf16, amp");
  CHECK_FALSE(precision_from("FP32"));
  CHECK_FALSE(precision_from(""));
}

}  // namespace tbci::precision_test
