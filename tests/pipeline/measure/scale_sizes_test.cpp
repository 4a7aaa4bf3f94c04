#include "pipeline/measure/scale_sizes.hpp"

#include "tests/catch.hpp"

namespace tbci::scale_sizes_test {

using pipeline::sizes_to_scale;

namespace {

runner::Listing listing() {
  runner::BenchmarkInfo plain, tables, few;
  plain.name = "alexnet";
  tables.name = "dlrm";
  tables.choices = {{"rows", {"own", "1024", "2048", "4096", "8192", "16384"}},
                    {"width", {"own", "1/8", "0", "8x"}},
                    {"access", {"mapped", "blocks"}}};
  tables.learns = {"samples", "parameters"};
  few.name = "few";
  few.choices = {{"rows", {"own", "1024", "2048", "4096"}}};
  runner::Listing listed;
  listed.benchmarks = {plain, tables, few};
  return listed;
}

std::string why_not(const std::string& benchmark, const std::string& over, const std::vector<std::int64_t>& asked) {
  const auto sizes = sizes_to_scale(listing(), benchmark, over, asked);
  if (sizes) return "";
  CHECK(sizes.error().kind == ErrorKind::usage);
  return sizes.error().message;
}

}  // namespace

TEST_CASE("Scale sizes: what is not asked for is all that the benchmark offers, or the default", "[pipeline]") {
  CHECK(sizes_to_scale(listing(), "dlrm", "rows", {}) == std::vector<std::int64_t>{1024, 2048, 4096, 8192, 16384});
  CHECK(sizes_to_scale(listing(), "alexnet", "batch", {})->size() == 8);
  CHECK(sizes_to_scale(listing(), "dlrm", "samples", {})->back() == 131072);
  CHECK(sizes_to_scale(listing(), "dlrm", "rows", {8192, 1024, 4096, 2048}) ==
        std::vector<std::int64_t>{8192, 1024, 4096, 2048});
}

TEST_CASE("Scale sizes: a benchmark that offers none is refused with those that do", "[pipeline]") {
  CHECK(why_not("alexnet", "rows", {}) == "alexnet cannot be scaled over rows; these can: dlrm");
  CHECK(why_not("few", "rows", {}) == "few cannot be scaled over rows; these can: dlrm");
  CHECK(why_not("alexnet", "samples", {}) == "alexnet cannot be scaled over samples; these can: dlrm");
  CHECK(why_not("dlrm", "width", {}) == "dlrm cannot be scaled over width; no benchmark of this build can");
  CHECK(why_not("dlrm", "compute", {}).find("no benchmark of this build can") != std::string::npos);
  CHECK(why_not("dlrm", "access", {}).find("cannot be scaled over access") != std::string::npos);
}

TEST_CASE("Scale sizes: too few, one twice, and what is not offered are refused", "[pipeline]") {
  CHECK(why_not("alexnet", "batch", {1, 2, 4}) == "a law takes 4 sizes at least, --sizes has 3");
  CHECK(why_not("dlrm", "samples", {1, 2, 4, 8, 2}) == "--sizes has 2 twice");
  CHECK(why_not("alexnet", "batch", {1, 2, 4, 1000001}) == "a batch is at most 1000000, not 1000001");
  CHECK(why_not("dlrm", "samples", {1, 2, 4, 1000001}).empty());
  CHECK(why_not("dlrm", "rows", {1024, 2048, 4096, 5000}) ==
        "rows of dlrm must be one of 1024, 2048, 4096, 8192, 16384, not 5000");
}

}  // namespace tbci::scale_sizes_test
