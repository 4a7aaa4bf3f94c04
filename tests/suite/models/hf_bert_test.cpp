#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_Bert", "[suite]") {
  check_model({.name = "hf_Bert",
               .outputs = {{2, 64, 1000}},
               .published = 109514298,
               .published_by = "transformers 5.23's BertForMaskedLM, counted"});
}

TEST_CASE("Models: hf_Bert_large", "[suite]") {
  check_model({.name = "hf_Bert_large",
               .outputs = {{2, 64, 1000}},
               .published = 284818234,
               .published_by = "transformers 5.23's BertForMaskedLM with TorchBench's configuration, counted",
               .large = true});
}

TEST_CASE("Models: hf_Bert_large has its 284,818,234 parameters", "[.large]") {
  check_parameters({.name = "hf_Bert_large", .outputs = {}, .published = 284818234, .published_by = "as above"});
}

TEST_CASE("Models: hf_DistilBert", "[suite]") {
  check_model({.name = "hf_DistilBert",
               .outputs = {{2, 64, 1000}},
               .published = 66985530,
               .published_by = "transformers 5.23's DistilBertForMaskedLM, counted"});
}

TEST_CASE("Models: hf_Roberta_base", "[suite]") {
  check_model({.name = "hf_Roberta_base",
               .outputs = {{2, 64, 2000}},
               .published = 278295186,
               .published_by = "transformers 5.23's XLMRobertaForMaskedLM, counted",
               .large = true});
}

TEST_CASE("Models: hf_Roberta_base has its 278,295,186 parameters", "[.large]") {
  check_parameters({.name = "hf_Roberta_base", .outputs = {}, .published = 278295186, .published_by = "as above"});
}
