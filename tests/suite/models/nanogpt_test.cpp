#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: nanogpt", "[suite]") {
  check_model({.name = "nanogpt",
               .outputs = {{2, 40}},
               .published = 123689472 + 1024 * 768,
               .published_by = "nanoGPT prints 123.69M for its default size, places not counted",
               .differs_on_gpu = "each word is drawn by the device's own generator"});
}
