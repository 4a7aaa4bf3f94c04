#include "runner/hello.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::hello_test {

namespace {

const model::Case eager{"dlrm", model::Configuration::cpu_infer};
const model::Case frozen{"dlrm", with(model::Backend::jit_frozen, model::Configuration::cpu_infer)};

std::string wrong(const char* hello, const model::Case& expected) {
  return runner::wrong_case(nlohmann::json::parse(hello), expected, "measures");
}

}  // namespace

TEST_CASE("Hello: the case and the backend must be those that were asked for", "[runner]") {
  CHECK(wrong(R"({"benchmark":"dlrm","configuration":"cpu-infer"})", eager).empty());
  CHECK(wrong(R"({"benchmark":"dlrm","configuration":"cpu-infer","backend":"jit-frozen"})", frozen).empty());
  CHECK(wrong(R"({"benchmark":"bert","configuration":"cpu-infer"})", eager) ==
        "measures 'bert/cpu-infer', not dlrm/cpu-infer");
  CHECK(wrong(R"({"benchmark":"dlrm","configuration":"cpu-infer:jit-frozen"})", frozen) ==
        "measures 'dlrm/cpu-infer:jit-frozen', not dlrm/cpu-infer");
}

TEST_CASE("Hello: a worker that says nothing of a backend runs eager", "[runner]") {
  CHECK(wrong(R"({"benchmark":"dlrm","configuration":"cpu-infer"})", frozen) == "runs 'eager' instead of jit-frozen");
  CHECK(wrong(R"({"benchmark":"dlrm","configuration":"cpu-infer","backend":"jit"})", eager) ==
        "runs 'jit' instead of eager");
}

}  // namespace tbci::hello_test
