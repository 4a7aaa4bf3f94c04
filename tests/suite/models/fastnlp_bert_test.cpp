#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: fastNLP_Bert", "[suite]") {
  // fastNLP leaves the pooled first piece unused. TorchBench's step only computes gradients.
  check_model({.name = "fastNLP_Bert",
               .outputs = {{2, 39}, {2, 39}},
               .published = 102269186,
               .published_by = "fastNLP 0.6's BertForQuestionAnswering, counted",
               .unreached = {"encoder.pooler.weight", "encoder.pooler.bias"},
               .optimises = false});
}
