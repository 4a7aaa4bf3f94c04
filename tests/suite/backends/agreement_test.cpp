#include "tests/suite/torch_and_catch.hpp"

#include <cmath>

#include "suite/backends/agreement.hpp"

namespace tbci::suite::agreement_test {

TEST_CASE("Agreement: a difference is that of the norms", "[agreement]") {
  const torch::Tensor expected = torch::tensor({3.0, 4.0});  // norm 5
  const torch::Tensor got = torch::tensor({3.0, 4.5});
  CHECK(compare({expected}, {got}, {0.2, {}}, "output").why.empty());
  CHECK(compare({expected}, {got}, {0.2, {}}, "output").difference == 0.1);
  CHECK(compare({expected}, {got}, {0.05, {}}, "output").why ==
        "output 1 of 1 differs from eager's by 0.1 of its norm (0.05 is allowed)");
}

TEST_CASE("Agreement: a tensor that is nothing but rounding beside the others is measured by them", "[agreement]") {
  const torch::Tensor large = torch::tensor({100.0}), tiny = torch::tensor({1e-7});
  CHECK(compare({large, tiny}, {large, -tiny}, {1e-3, {}}, "gradient").why.empty());
  CHECK_FALSE(compare({large, tiny}, {large, tiny + 0.01}, {1e-3, {}}, "gradient").why.empty());
  CHECK_FALSE(compare({tiny}, {-tiny}, {1e-3, {}}, "gradient").why.empty());
}

TEST_CASE("Agreement: a tensor may differ by ten times what rounding does to it, at most by a twentieth",
          "[agreement]") {
  const torch::Tensor expected = torch::tensor({1.0, 0.0}), other = torch::tensor({0.0, 1.0});
  const auto off = [&](double by) { return expected + by * other; };
  const auto why = [&](double by, const std::vector<Tensors>& moved) {
    return compare({expected}, {off(by)}, {1e-3, moved}, "gradient").why;
  };
  CHECK(why(0.009, {{off(0.0001)}, {off(0.001)}, {off(0)}}).empty());  // the farthest counts
  CHECK(why(0.009, {{off(0.0005)}}) ==
        "gradient 1 of 1 differs from eager's by 0.009 of its norm (0.005 is allowed; eager's own changes by 0.0005 "
        "where its weights change by a millionth)");
  CHECK(why(0.049, {{off(0.1)}}).empty());
  CHECK(why(0.051, {{off(0.1)}}).find("(0.05 is allowed") != std::string::npos);
  CHECK(why(0.009, {{off(0)}}) == "gradient 1 of 1 differs from eager's by 0.009 of its norm (0.001 is allowed)");
  CHECK_FALSE(why(0.009, {{torch::ones({3})}}).empty());
}

TEST_CASE("Agreement: what rounding does to one tensor allows nothing in another", "[agreement]") {
  const torch::Tensor one = torch::ones({1}), off = one + 0.01;
  CHECK(compare({one, one}, {off, one}, {1e-3, {{off, one}}}, "gradient").why.empty());
  CHECK(compare({one, one}, {one, off}, {1e-3, {{off, one}}}, "gradient").why.find("gradient 2 of 2") == 0);
}

TEST_CASE("Agreement: what is not finite must be so in both", "[agreement]") {
  const torch::Tensor expected = torch::tensor({1.0, static_cast<double>(INFINITY)});
  CHECK(compare({expected}, {expected.clone()}, {0, {}}, "output").why.empty());
  CHECK(compare({expected}, {torch::tensor({1.0, 2.0})}, {10, {}}, "output").why ==
        "output 1 of 1 differs from eager's by inf of its norm (10 is allowed)");
}

TEST_CASE("Agreement: shapes, numbers of tensors and missing tensors are told", "[agreement]") {
  const torch::Tensor two = torch::ones({2}), three = torch::ones({3});
  CHECK(compare({two, two}, {two}, {1, {}}, "gradient").why == "it gives 1 gradient where eager gives 2");
  CHECK(compare({two}, {three}, {1, {}}, "gradient").why == "gradient 1 of 1 has the shape [3] where eager's has [2]");
  CHECK(compare({two}, {torch::Tensor()}, {1, {}}, "loss").why ==
        "loss 1 of 1 has the shape none where eager's has [2]");
  CHECK(compare({torch::Tensor()}, {torch::Tensor()}, {1, {}}, "loss").why.empty());
}

TEST_CASE("Agreement: whole numbers, complex and sparse tensors are compared as numbers", "[agreement]") {
  const torch::Tensor whole = torch::tensor({1, 2, 3});
  CHECK(compare({whole}, {whole + 1}, {0.1, {}}, "output").why.find("differs") != std::string::npos);
  const torch::Tensor complex = torch::complex(torch::ones({2}), torch::ones({2}));
  CHECK(compare({complex}, {complex.conj()}, {0.1, {}}, "output").why.find("differs") != std::string::npos);
  CHECK(compare({torch::eye(3).to_sparse()}, {torch::eye(3)}, {0, {}}, "gradient").why.empty());
}

}  // namespace tbci::suite::agreement_test
