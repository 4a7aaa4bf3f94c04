#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: stable_diffusion_unet", "[suite]") {
  check_model({.name = "stable_diffusion_unet", .outputs = {{2, 4, 16, 16}}, .large = true});
}

TEST_CASE("Models: stable_diffusion_unet has the published number of parameters", "[.large]") {
  check_parameters({.name = "stable_diffusion_unet",
                    .outputs = {},
                    .published = 865910724,
                    .published_by = "diffusers 0.42.1 with the settings of stable-diffusion-2, counted"});
}

TEST_CASE("Models: stable_diffusion_text_encoder", "[suite]") {
  check_model({.name = "stable_diffusion_text_encoder", .outputs = {{2, 10, 128}, {2, 128}}, .large = true});
}

TEST_CASE("Models: stable_diffusion_text_encoder has the published number of parameters", "[.large]") {
  check_parameters({.name = "stable_diffusion_text_encoder",
                    .outputs = {},
                    .published = 340387840,
                    .published_by = "transformers' CLIPTextModel with the settings of stable-diffusion-2, counted"});
}
