#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: timm_resnest", "[suite]") {
  check_model({.name = "timm_resnest",
               .outputs = {{2, 100}},
               .published = 10611688,
               .published_by = "timm 1.0.31, counted (resnest14d)",
               .train_batch = 8,
               // A batch norm follows in training, which takes any bias away again.
               .unreached = {"layer1.conv2.fc1.conv.bias", "layer2.conv2.fc1.conv.bias", "layer3.conv2.fc1.conv.bias",
                             "layer4.conv2.fc1.conv.bias"}});
}
