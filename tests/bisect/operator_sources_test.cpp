#include "bisect/operator_sources.hpp"

#include "tests/catch.hpp"

namespace tbci::operator_sources_test {

using bisect::Kernels;
using bisect::operator_base;
using bisect::OperatorSources;
using bisect::sources_of;
using bisect::SourceText;

namespace {

using Paths = std::vector<std::string>;

OperatorSources found(const std::vector<std::string>& operators, const Kernels& kernels,
                      const std::vector<SourceText>& files) {
  return sources_of(operators, kernels, files);
}

}  // namespace

TEST_CASE("Operator sources: an operator's name is without namespace and overload", "[bisect]") {
  CHECK(operator_base("aten.addmm.default") == "addmm");
  CHECK(operator_base("aten::_embedding_bag") == "_embedding_bag");
  CHECK(operator_base("aten.relu_.out") == "relu_");
  CHECK(operator_base("AddmmBackward0").empty());
  CHECK(operator_base("(in no operator)").empty());
  CHECK(operator_base("aten.a b.c").empty());
}

TEST_CASE("Operator sources: the files that have a function of the operator as a whole word", "[bisect]") {
  const std::vector<SourceText> files = {{"a.cpp", "Tensor bag_cpu(Tensor x) {}"},
                                         {"b.cpp", "TORCH_IMPL_FUNC(bag_out)(x);structured_bag_out y;"},
                                         {"c.cpp", "Tensor my_bag_cpu2(Tensor x) {}  // not bag"},
                                         {"cpu/d.cpp", "REGISTER_DISPATCH(bag_stub, &go)"}};
  const auto sources = found({"aten.bag.default"}, {{"bag", {"bag_cpu", "bag_out"}}}, files);
  REQUIRE(sources.size() == 1);
  CHECK(sources.at("aten.bag.default") == Paths{"a.cpp", "b.cpp", "cpu/d.cpp"});
}

TEST_CASE("Operator sources: what no list knows is the function of its own name, whatever its underscores",
          "[bisect]") {
  const std::vector<SourceText> files = {{"bag.cpp", "Bags embedding_bag(const Tensor&);"},
                                         {"relu.cpp", "Tensor& relu_(Tensor&);"},
                                         {"other.cpp", "embedding bag"}};
  const auto sources = found({"aten._embedding_bag.default", "aten.relu_.default", "aten.none.default"}, {}, files);
  REQUIRE(sources.size() == 2);
  CHECK(sources.at("aten._embedding_bag.default") == Paths{"bag.cpp"});
  CHECK(sources.at("aten.relu_.default") == Paths{"relu.cpp"});
}

TEST_CASE("Operator sources: a word in too many files tells nothing", "[bisect]") {
  std::vector<SourceText> files;
  for (int i = 0; i < 31; ++i) files.push_back({"f" + std::to_string(i) + ".cpp", "add(x, y)"});
  files.push_back({"kernel.cpp", "add_kernel"});
  CHECK(found({"aten.add.Tensor"}, {}, files).at("aten.add.Tensor") == Paths{"kernel.cpp"});
  files.pop_back();
  CHECK(found({"aten.add.Tensor"}, {}, files).empty());
}

}  // namespace tbci::operator_sources_test
