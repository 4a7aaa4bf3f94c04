#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_clip", "[suite]") {
  check_model({.name = "hf_clip",
               .outputs = {{2, 2}, {2, 2}, {2, 64}, {2, 64}},
               .published = 151277313,
               .published_by = "Hugging Face's model card of clip-vit-base-patch32",
               .unreached = {"logit_scale"}});  // the original's loss has a fixed temperature instead
}
