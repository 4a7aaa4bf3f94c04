#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

namespace {

const Expected giant{.name = "timm_vision_transformer_large",
                     .outputs = {{2, 100}},
                     .published = 1012611432,
                     .published_by = "timm 1.0.31, counted (vit_giant_patch14_224)",
                     .train_batch = 8,
                     .large = true};

}  // namespace

TEST_CASE("Models: timm_vision_transformer", "[suite]") {
  check_model({.name = "timm_vision_transformer",
               .outputs = {{2, 100}},
               .published = 22050664,
               .published_by = "timm 1.0.31, counted (vit_small_patch16_224)",
               .train_batch = 8});
}

TEST_CASE("Models: timm_vision_transformer_large", "[suite]") {
  check_model(giant);
}

TEST_CASE("Models: timm_vision_transformer_large has the published number of parameters", "[.large]") {
  check_parameters(giant);
}
