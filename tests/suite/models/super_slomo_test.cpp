#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: Super_SloMo", "[suite]") {
  std::vector<std::string> frozen;  // the VGG in the loss is not trained
  for (const int layer : {0, 2, 5, 7, 10, 12, 14, 17, 19, 21}) {
    for (const char* kind : {".weight", ".bias"}) {
      frozen.push_back("vgg16_conv_4_3." + std::to_string(layer) + kind);
    }
  }
  check_model({.name = "Super_SloMo",
               .outputs = {{2, 3, 64, 64}, {}},
               .published = 47245737,
               .published_by = "Super_SloMo of pytorch/benchmark, counted",
               .train_batch = 2,
               .unreached = frozen});
}
