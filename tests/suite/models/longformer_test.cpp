#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_Longformer", "[suite]") {
  // TorchBench asks for no global words, so their projections have nothing to do.
  std::vector<std::string> unreached;
  for (int i = 0; i < 12; ++i) {
    for (const char* name : {"query", "key", "value"}) {
      const std::string layer = "layer" + std::to_string(i) + ".self." + name + "_global.";
      unreached.push_back(layer + "weight");
      unreached.push_back(layer + "bias");
    }
  }
  check_model({.name = "hf_Longformer",
               .outputs = {{2, 32, 1000}},
               .published = 148711257,
               .published_by = "transformers 5.23's LongformerForMaskedLM, counted",
               .unreached = unreached});
}
