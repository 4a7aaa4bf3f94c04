#include "torch_and_catch.hpp"

#include "suite/model_choices.hpp"

using namespace tbci::suite;

namespace {

const std::vector<ModelChoice> offered = {{"cache", {"1/8", "1"}, "of the tables"},
                                          {"access", {"mapped", "blocks"}, "how rows are read"}};

}  // namespace

TEST_CASE("Model choices: a name and a value that are offered are taken, and the first value is the default") {
  CHECK(why_not_chosen({{"access", "blocks"}}, offered, "dlrm_tiered").empty());
  CHECK(why_not_chosen({}, {}, "dlrm").empty());
  CHECK(chosen_value({{"access", "blocks"}}, offered[1]) == "blocks");
  CHECK(chosen_value({{"access", "blocks"}}, offered[0]) == "1/8");
  CHECK(chosen_index({{"access", "blocks"}}, offered[1]) == 1);
  CHECK(chosen_index({}, offered[1]) == 0);
}

TEST_CASE("Model choices: what is not offered is refused with what is") {
  CHECK(why_not_chosen({{"cash", "1"}}, offered, "dlrm_tiered") ==
        "dlrm_tiered has nothing named 'cash' to set; the nearest name is 'cache'");
  CHECK(why_not_chosen({{"cache", "1/3"}}, offered, "dlrm_tiered") ==
        "cache of dlrm_tiered must be one of 1/8, 1, not '1/3'");
  CHECK(why_not_chosen({{"cache", "1"}}, {}, "dlrm") == "dlrm has nothing to set: leave out --set cache=1");
}
