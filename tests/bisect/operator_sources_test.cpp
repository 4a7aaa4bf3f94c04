#include "bisect/operator_sources.hpp"

#include "bisect/native_functions.hpp"
#include "tests/base/git_repository.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::operator_sources_test {

using bisect::Kernels;
using bisect::operator_base;
using bisect::operator_sources_at;
using bisect::OperatorSources;
using bisect::sources_of;
using bisect::SourceText;
using test::GitFixture;

namespace {

using Paths = std::vector<std::string>;

OperatorSources found(const std::vector<std::string>& operators, const Kernels& kernels,
                      const std::vector<SourceText>& files) {
  return sources_of(operators, kernels, files);
}

}  // namespace

TEST_CASE("Operator sources: the base name has no namespace and no overload", "[bisect]") {
  CHECK(operator_base("aten.addmm.default") == "addmm");
  CHECK(operator_base("aten::_embedding_bag") == "_embedding_bag");
  CHECK(operator_base("aten.relu_.out") == "relu_");
  CHECK(operator_base("AddmmBackward0").empty());
  CHECK(operator_base("(in no operator)").empty());
  CHECK(operator_base("aten.a b.c").empty());
}

TEST_CASE("Operator sources: files that contain a function of the operator as a whole word", "[bisect]") {
  const std::vector<SourceText> files = {{"a.cpp", "Tensor bag_cpu(Tensor x) {}"},
                                         {"b.cpp", "TORCH_IMPL_FUNC(bag_out)(x);structured_bag_out y;"},
                                         {"c.cpp", "Tensor my_bag_cpu2(Tensor x) {}  // not bag"},
                                         {"cpu/d.cpp", "REGISTER_DISPATCH(bag_stub, &go)"}};
  const auto sources = found({"aten.bag.default"}, {{"bag", {"bag_cpu", "bag_out"}}}, files);
  REQUIRE(sources.size() == 1);
  CHECK(sources.at("aten.bag.default") == Paths{"a.cpp", "b.cpp", "cpu/d.cpp"});
}

TEST_CASE("Operator sources: an unlisted operator has the function of its own name, with any underscores", "[bisect]") {
  const std::vector<SourceText> files = {{"bag.cpp", "Bags embedding_bag(const Tensor&);"},
                                         {"relu.cpp", "Tensor& relu_(Tensor&);"},
                                         {"other.cpp", "embedding bag"}};
  const auto sources = found({"aten._embedding_bag.default", "aten.relu_.default", "aten.none.default"}, {}, files);
  REQUIRE(sources.size() == 2);
  CHECK(sources.at("aten._embedding_bag.default") == Paths{"bag.cpp"});
  CHECK(sources.at("aten.relu_.default") == Paths{"relu.cpp"});
}

TEST_CASE("Operator sources: a word in too many files is ignored", "[bisect]") {
  std::vector<SourceText> files;
  for (int i = 0; i < 31; ++i) files.push_back({"f" + std::to_string(i) + ".cpp", "add(x, y)"});
  files.push_back({"kernel.cpp", "add_kernel"});
  CHECK(found({"aten.add.Tensor"}, {}, files).at("aten.add.Tensor") == Paths{"kernel.cpp"});
  files.pop_back();
  CHECK(found({"aten.add.Tensor"}, {}, files).empty());
}

TEST_CASE("Operator sources: at a commit, PyTorch's list names the functions and the compiled files contain them",
          "[bisect]") {
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

TEST_CASE("Operator sources: at a commit without that list, an operator has the function of its own name", "[bisect]") {
  test::TemporaryDirectory folder;
  GitFixture repository(folder / "r");
  repository.write("kernels/bag.cpp", "Tensor bag(Tensor x);");
  const std::string commit = repository.commit("all", "2026-01-05T08:00:00Z");
  const auto sources = operator_sources_at(repository.path(), commit, {}, {"aten.bag.default"});
  REQUIRE(sources);
  CHECK(sources->at("aten.bag.default") == Paths{"kernels/bag.cpp"});
}

TEST_CASE("Operator sources: at a commit, an unreadable list is named in the error, and an unknown commit is an error",
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

}  // namespace tbci::operator_sources_test
