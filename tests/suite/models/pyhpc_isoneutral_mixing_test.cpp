#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: pyhpc_isoneutral_mixing", "[suite]") {
  const std::vector<std::int64_t> cells{32, 32, 4}, slopes{32, 32, 4, 2, 2};
  check_model({.name = "pyhpc_isoneutral_mixing",
               .outputs = {cells, cells, cells, slopes, slopes, slopes, slopes},
               .batch = 4096,
               .train_batch = 4096});
}
