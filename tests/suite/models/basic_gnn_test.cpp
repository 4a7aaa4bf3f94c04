#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

// Of two graphs with 500 nodes each. The original computes gradients, but takes no step.

TEST_CASE("Models: basic_gnn_gcn", "[suite]") {
  check_model({.name = "basic_gnn_gcn",
               .outputs = {{1000, 64}},
               .published = 12480,
               .published_by = "torch_geometric 2.8.1, counted",
               .optimises = false});
}

TEST_CASE("Models: basic_gnn_gin", "[suite]") {
  check_model({.name = "basic_gnn_gin",
               .outputs = {{1000, 64}},
               .published = 24960,
               .published_by = "torch_geometric 2.8.1, counted",
               .optimises = false});
}

TEST_CASE("Models: basic_gnn_sage", "[suite]") {
  check_model({.name = "basic_gnn_sage",
               .outputs = {{1000, 64}},
               .published = 24768,
               .published_by = "torch_geometric 2.8.1, counted",
               .optimises = false});
}

TEST_CASE("Models: basic_gnn_edgecnn", "[suite]") {
  check_model({.name = "basic_gnn_edgecnn",
               .outputs = {{1000, 64}},
               .published = 37248,
               .published_by = "torch_geometric 2.8.1, counted",
               .train_batch = 2,
               .optimises = false});
}
