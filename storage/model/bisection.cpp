#include "storage/model/bisection.hpp"

#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<Side> sides = {
    {Side::unknown, "unknown"}, {Side::good, "good"}, {Side::bad, "bad"}, {Side::unbuildable, "unbuildable"}};

}  // namespace

std::string_view to_string(Side side) {
  return name_of(side, sides);
}

Result<Side> side_from(std::string_view text) {
  return value_of_name(text, sides, "side");
}

}  // namespace tbci::model
