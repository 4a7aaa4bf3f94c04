#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: doctr_reco_predictor", "[suite]") {
  check_model({.name = "doctr_reco_predictor",
               .outputs = {{2, 32, 127}, {2}, {2, 32}},
               .published = 15808447,
               .published_by = "python-doctr 1.1.0, counted (crnn_vgg16_bn)"});
}
