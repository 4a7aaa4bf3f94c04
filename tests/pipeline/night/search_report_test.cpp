#include "pipeline/night/search_report.hpp"

#include "pipeline/bisect/bisecting.hpp"
#include "pipeline/bisect/range_ends.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/fake_subject.hpp"

namespace tbci::search_report_test {

using namespace tbci::test;

namespace {

const model::Series alpha_time{"alpha", model::Configuration::cpu_infer, model::Metric::time};

struct Searched : FakeRange {
  Searched() : FakeRange(8) { machine.slower["alpha"] = {{5, 1.25}}; }
  model::Bisection search() {
    return pipeline::bisect_range(bench.context(),
                                  {.key = "by hand", .from = commit(0), .to = commit(7), .series = {alpha_time}})
        .value();
  }
};

}  // namespace

TEST_CASE("draft_search_report: names the culprit and the change of its answer, and files nothing", "[report]") {
  Searched at;
  const auto report = pipeline::draft_search_report(at.bench.context(), at.search(), {});
  REQUIRE(report);
  REQUIRE(report->has_value());
  INFO((*report)->title << "\n" << (*report)->body);
  CHECK((*report)->body.find(at.commit(5).substr(0, 10)) != std::string::npos);
  CHECK((*report)->title.find("slower since " + at.commit(5).substr(0, 10)) != std::string::npos);
  CHECK((*report)->body.find("from 0 ns") == std::string::npos);
  CHECK(at.bench.stores().reports.list("fake", 5).value().empty());
}

TEST_CASE("draft_search_report: what the comparison of the ends measured comes before the answer's estimate",
          "[report]") {
  Searched at;
  model::Finding measured;
  measured.series = alpha_time;
  measured.verdict = model::Verdict::regression;
  measured.before = 1e6;
  measured.after = 1.5e6;
  measured.change = 0.5;
  measured.low = 0.49;
  measured.high = 0.51;
  const auto report = pipeline::draft_search_report(at.bench.context(), at.search(), {measured});
  REQUIRE(report);
  REQUIRE(report->has_value());
  CHECK((*report)->title.find("50% slower") != std::string::npos);
}

TEST_CASE("draft_search_report: a search without answers has none", "[report]") {
  Searched at;
  model::Bisection nothing;
  nothing.from = at.commit(0);
  nothing.to = at.commit(7);
  const auto report = pipeline::draft_search_report(at.bench.context(), nothing, {});
  REQUIRE(report);
  CHECK_FALSE(report->has_value());
}

}  // namespace tbci::search_report_test
