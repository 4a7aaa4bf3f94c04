#include "daemon/pipeline/listing.hpp"

#include "daemon/pipeline/building.hpp"
#include "daemon/pipeline/measuring.hpp"
#include "tests/catch.hpp"
#include "tests/daemon/bench.hpp"

namespace tbci::test {

using namespace tbci::daemon;

namespace {

class Notes final : public Progress {
 public:
  std::vector<std::string> said;
  void begin_stage(std::string_view, std::string_view, int) override {}
  void step(std::string_view) override {}
  void expect(int) override {}
  void end_stage(std::string_view) override {}
  void note(std::string_view text) override { said.emplace_back(text); }
};

struct Listed {
  TemporaryDirectory state;
  FakeWorkshop workshop{2};
  Bench bench{state.path(), workshop};
  Notes notes;
  Desk desk{bench.desk().config, bench.desk().subject, bench.desk().stores, workshop, bench.desk().clock, notes, {}};
};

}  // namespace

TEST_CASE("Listing: a broken suite is told of, and the others are measured", "[listing]") {
  Listed at;
  at.workshop.left_out = {{"torchbench.", "this Python has no torch"}};
  const auto cases = wanted_cases(at.desk, {});
  REQUIRE(cases);
  CHECK_FALSE(cases->empty());
  CHECK(at.notes.said == std::vector<std::string>{"torchbench.* is left out: this Python has no torch"});
}

TEST_CASE("Listing: who asks for a benchmark of a broken suite is told why it is not there", "[listing]") {
  Listed at;
  at.workshop.left_out = {{"torchbench.", "this Python has no torch"}};
  at.bench.config().measure.benchmarks = {"alpha", "torchbench.resnet18"};
  const auto broken = wanted_cases(at.desk, {});
  REQUIRE_FALSE(broken);
  CHECK(broken.error().kind == ErrorKind::usage);
  CHECK(broken.error().message ==
        "'torchbench.resnet18' cannot be measured: torchbench.* could not be listed: this Python has no torch");
  at.bench.config().measure.benchmarks = {"alpah"};
  const auto typo = wanted_cases(at.desk, {});
  REQUIRE_FALSE(typo);
  CHECK(typo.error().message.find("did you mean 'alpha'") != std::string::npos);
}

TEST_CASE("Listing: a wrong name is told before anything is built, where a build is there to ask", "[listing]") {
  Listed at;
  CHECK(check_names_early(at.desk, {"alpah"}));  // nobody knows yet
  REQUIRE(build_commit(at.desk, at.workshop.history.front().id));
  const std::size_t built = at.workshop.effects.size();
  CHECK(check_names_early(at.desk, {"alpha", "beta"}));
  CHECK(check_names_early(at.desk, {}));
  const auto typo = check_names_early(at.desk, {"alpha", "alpah"});
  REQUIRE_FALSE(typo);
  CHECK(typo.error().kind == ErrorKind::usage);
  CHECK(typo.error().message.find("did you mean 'alpha'") != std::string::npos);
  CHECK(at.workshop.effects.size() == built);
  at.workshop.left_out = {{"torchbench.", "this Python has no torch"}};  // that of the end may have one
  CHECK(check_names_early(at.desk, {"torchbench.resnet18"}));
}

}  // namespace tbci::test
