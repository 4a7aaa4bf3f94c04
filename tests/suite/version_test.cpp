#include "suite/version.hpp"

#include <string>

#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::version_test {

TEST_CASE("Version: the worker says what the library that it has loaded says of itself", "[suite]") {
  // The loader knows the library by then.
  REQUIRE(torch::ones({2}).sum().item<float>() == 2);
  CHECK(torch_version().version.rfind(TORCH_VERSION, 0) == 0);
  CHECK((torch_version().git.empty() || torch_version().git.size() == 40));
}

TEST_CASE("Version: a version.py is read with and without types, in both quotes", "[suite]") {
  const TorchVersion plain = version_in(
      "__all__ = ['__version__', 'git_version']\n__version__ = '2.14.0.dev20261120+cpu'\ngit_version = 'abc'\n");
  CHECK(plain.version == "2.14.0.dev20261120+cpu");
  CHECK(plain.git == "abc");
  const TorchVersion typed = version_in("__version__: str = \"2.14.0\"\ngit_version_of_others = 'x'\n");
  CHECK(typed.version == "2.14.0");
  CHECK(typed.git.empty());
  CHECK(version_in("__version__ = '2.14.0\n").version.empty());
  CHECK(version_in("__version__ =\n").version.empty());
  CHECK(version_in("").version.empty());
}

}  // namespace tbci::suite::version_test
