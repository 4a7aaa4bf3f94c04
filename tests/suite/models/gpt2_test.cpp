#include "../model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_public_text_generator1", "[suite]") {
  check_model({.name = "hf_public_text_generator1",
               .outputs = {{2, 64, 1024}},
               .published = 124439808,
               .published_by = "Hugging Face's model card of gpt2"});
}
