#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: resnet18", "[suite]") {
  check_model(
      {.name = "resnet18", .outputs = {{2, 100}}, .published = 11689512, .published_by = "torchvision's model page"});
}

TEST_CASE("Models: resnet50", "[suite]") {
  check_model(
      {.name = "resnet50", .outputs = {{2, 100}}, .published = 25557032, .published_by = "torchvision's model page"});
}

TEST_CASE("Models: resnet152", "[suite]") {
  check_model(
      {.name = "resnet152", .outputs = {{2, 100}}, .published = 60192808, .published_by = "torchvision's model page"});
}

TEST_CASE("Models: resnext50_32x4d", "[suite]") {
  check_model({.name = "resnext50_32x4d",
               .outputs = {{2, 100}},
               .published = 25028904,
               .published_by = "torchvision's model page"});
}
