#include "torch_and_catch.hpp"

#include "suite/element_types.hpp"

using namespace tbci::suite;

namespace {

ElementTypes types_of(const std::function<void()>& work) {
  ElementTypes seen;
  watch_element_types(work, seen);
  return seen;
}

using Counts = std::map<std::string, std::int64_t>;

}  // namespace

TEST_CASE("Element types: an operator counts by the first floating-point tensor it takes", "[suite]") {
  const auto fp32 = torch::ones({4, 4});
  const auto bf16 = fp32.to(torch::kBFloat16);
  const auto fp64 = fp32.to(torch::kDouble);
  const auto whole = torch::ones({4}, torch::kLong);
  CHECK(types_of([&] { torch::mm(fp32, fp32); }).operators == Counts{{"fp32", 1}});
  CHECK(types_of([&] { torch::mm(bf16, bf16); }).operators == Counts{{"bf16", 1}});
  CHECK(types_of([&] { fp64.add(fp64).relu(); }).operators == Counts{{"fp64", 2}});
  CHECK(types_of([&] { whole.add(whole); }).operators.empty());
  CHECK(types_of([&] { torch::cat({whole, whole}); }).operators.empty());
  CHECK(types_of([&] { torch::cat({bf16, bf16}); }).operators == Counts{{"bf16", 1}});
}

TEST_CASE("Element types: a composite operator does not count in addition to its parts", "[suite]") {
  const auto x = torch::ones({2, 4});
  const auto weight = torch::ones({3, 4});
  const auto seen = types_of([&] { torch::linear(x, weight, torch::ones({3})); });
  const auto apart = types_of([&] { torch::addmm(torch::ones({3}), x, weight.t()); });
  CHECK(seen.operators == apart.operators);
}

TEST_CASE("Element types: casts and views compute nothing and do not count", "[suite]") {
  const auto x = torch::ones({4, 4});
  CHECK(types_of([&] { x.t().unsqueeze(0).select(1, 2); }).operators.empty());
  CHECK(types_of([&] { x.to(torch::kHalf); }).operators.empty());
  CHECK(types_of([&] { torch::empty({4, 4}, torch::kBFloat16).copy_(x); }).operators.empty());
}

TEST_CASE("Element types: if work throws, the innermost operator is named and earlier counts stay", "[suite]") {
  const auto fp32 = torch::ones({4, 4});
  const auto bf16 = fp32.to(torch::kBFloat16);
  ElementTypes seen;
  CHECK_THROWS(watch_element_types(
      [&] {
        fp32.relu();
        torch::linear(fp32, bf16);
      },
      seen));
  CHECK(seen.operators.at("fp32") >= 1);
  CHECK((seen.failed_in == "aten::mm" || seen.failed_in == "aten::addmm" || seen.failed_in == "aten::linear"));
  CHECK(types_of([&] { fp32.relu(); }).failed_in.empty());
}

TEST_CASE("Element types: the watch ends with the work", "[suite]") {
  const auto x = torch::ones({4, 4});
  ElementTypes seen;
  watch_element_types([&] { x.relu(); }, seen);
  x.relu();
  CHECK(seen.operators == Counts{{"fp32", 1}});
}
