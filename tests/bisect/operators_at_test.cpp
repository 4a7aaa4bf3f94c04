#include "bisect/operators_at.hpp"

#include "bisect/native_functions.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::operators_at_test {

using bisect::operator_sources_at;
using test::GitFixture;

using Paths = std::vector<std::string>;

TEST_CASE("Operators at a commit: PyTorch's list names the functions, the compiled files have them", "[bisect]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.write(bisect::native_functions_path, "- func: bag(Tensor x) -> Tensor\n  dispatch:\n    CPU: bag_cpu\n");
  repository.write("aten/Bag.cpp", "Tensor bag_cpu(Tensor x);");
  repository.write("docs/Bag.md", "bag_cpu is quick");
  const std::string commit = repository.commit("all", "2026-01-05T08:00:00Z");
  const auto sources = operator_sources_at(repository.path(), commit, {"aten/**"}, {"aten.bag.default"});
  REQUIRE(sources);
  CHECK(sources->at("aten.bag.default") == Paths{"aten/Bag.cpp"});
}

TEST_CASE("Operators at a commit: without that list an operator is the function of its name", "[bisect]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.write("kernels/bag.cpp", "Tensor bag(Tensor x);");
  const std::string commit = repository.commit("all", "2026-01-05T08:00:00Z");
  const auto sources = operator_sources_at(repository.path(), commit, {}, {"aten.bag.default"});
  REQUIRE(sources);
  CHECK(sources->at("aten.bag.default") == Paths{"kernels/bag.cpp"});
}

TEST_CASE("Operators at a commit: a list that cannot be read is named, and so is a commit that is not there",
          "[bisect]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.write(bisect::native_functions_path, "- \"open");
  const std::string commit = repository.commit("all", "2026-01-05T08:00:00Z");
  const auto broken = operator_sources_at(repository.path(), commit, {}, {"aten.bag.default"});
  REQUIRE_FALSE(broken);
  CHECK(broken.error().kind == ErrorKind::failed);
  CHECK(broken.error().message.find("native_functions.yaml") != std::string::npos);
  CHECK_FALSE(operator_sources_at(repository.path(), "nope", {}, {}));
}

}  // namespace tbci::operators_at_test
