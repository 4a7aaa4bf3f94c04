#include "bisect/native_functions.hpp"

#include "tests/catch.hpp"

namespace tbci::native_functions_test {

using bisect::read_native_functions;

using Names = std::vector<std::string>;

TEST_CASE("Native functions: an operator has the functions of all overloads and backends", "[bisect]") {
  const auto kernels = read_native_functions(R"(
- func: bag(Tensor weight, Tensor indices) -> Tensor
  dispatch:
    CPU: bag_cpu
    CUDA, HIP: bag_gpu
- func: bag.out(Tensor weight, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: bag_out_cpu
    MPS: at::native::mps::bag_mps
- func: bag.padding(Tensor weight, int pad) -> Tensor
)");
  REQUIRE(kernels);
  CHECK(kernels->size() == 1);
  CHECK(kernels->at("bag") == Names{"bag", "bag_cpu", "bag_gpu", "bag_mps", "bag_out_cpu"});
}

TEST_CASE("Native functions: without a dispatch an operator has the function of its own name", "[bisect]") {
  const auto kernels = read_native_functions("- func: cosine(Tensor x) -> Tensor\n  variants: function\n");
  REQUIRE(kernels);
  CHECK(kernels->at("cosine") == Names{"cosine"});
}

TEST_CASE("Native functions: malformed entries are ignored", "[bisect]") {
  const auto kernels = read_native_functions("- 7\n- [a]\n- {fun: x}\n- func: [a]\n- func: good(x)\n  dispatch: 3\n");
  REQUIRE(kernels);
  CHECK(kernels->size() == 1);
  CHECK(kernels->count("good") == 1);
}

TEST_CASE("Native functions: a file that is not a YAML list is an error with its place", "[bisect]") {
  const auto broken = read_native_functions("- func: a(x)\n- func: \"b\n");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.find("is not YAML") != std::string::npos);
  CHECK_FALSE(read_native_functions("func: a\n"));
  CHECK_FALSE(read_native_functions(""));
}

}  // namespace tbci::native_functions_test
