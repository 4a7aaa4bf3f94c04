// What reports show beside what was decided, of nights on a fake machine.
#include "pipeline/night/report_evidence.hpp"

#include "base/host_name.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::report_evidence_test {

using namespace tbci::test;

namespace {

constexpr std::size_t culprit = 12 * commits_a_day - 1;  // of night 12

/// beta is slower from night 12 on.
struct SlowerNights : Nights {
  SlowerNights() : Nights(13) { machine.slower["beta"] = {{culprit, 1.25}}; }
  settings::SubjectConfig& subject() { return bench->config().subjects.front(); }
  std::string body() {
    check_all(1, 11);
    const auto result = check(12);
    REQUIRE(result.reports.size() == 1);
    return result.reports[0].body;
  }
};

}  // namespace

TEST_CASE("Report evidence: the plot has the nights that were measured, with tonight's value last", "[nights]") {
  SlowerNights nights;
  const std::string body = nights.body();
  INFO(body);
  CHECK(body.find("### History\n\nbeta (cpu-infer), time, over the last 13 nightlies:") != std::string::npos);
  CHECK(body.find("| 12 | " + nights.machine.name_of(11) + " | 10") != std::string::npos);
  CHECK(body.find("| 13 | " + nights.machine.name_of(12) + " | 12.") != std::string::npos);
}

TEST_CASE("Report evidence: a culprit has its pull request and those of its files that slower operators are made of",
          "[nights]") {
  SlowerNights nights;
  nights.machine.touched.assign(nights.machine.history.size(), {"docs/index.md"});
  nights.machine.touched[culprit] = {"aten/native/Linear.cpp", "aten/cpu/mm.cpp", "docs/index.md"};
  nights.machine.pull_requests[culprit] = 4711;
  nights.machine.sources = {{"aten.mm.default", {"aten/native/Linear.cpp", "aten/cpu/"}}};
  nights.subject().web = "https://github.com/octo/fake";
  const std::string body = nights.body();
  INFO(body);
  const std::string commit = "https://github.com/octo/fake/commit/" + nights.commit(culprit);
  CHECK(body.find("([pull request 4711](https://github.com/octo/fake/pull/4711))") != std::string::npos);
  CHECK(body.find("operators that changed: [`aten/native/Linear.cpp`](" + commit + "#diff-" +
                  sha256_hex("aten/native/Linear.cpp") + "), [`aten/cpu/mm.cpp`](") != std::string::npos);
  CHECK(body.find("`docs/index.md`") == std::string::npos);
}

TEST_CASE("Report evidence: both nightlies have a line for pip where PyTorch's index has them", "[nights]") {
  SlowerNights nights;
  nights.subject().nightly.kind = runner::NightlyKind::pip;
  const std::string body = nights.body();
  INFO(body);
  const std::string index = " --index-url https://download.pytorch.org/whl/nightly/cpu\n";
  CHECK(body.find("\n# before\npip install --pre torch==" + nights.machine.name_of(11) + index) != std::string::npos);
  CHECK(body.find("\n# after\npip install --pre torch==" + nights.machine.name_of(12) + index) != std::string::npos);
  CHECK(body.find("\ntbci compare --subject fake " + nights.machine.name_of(11) + " " + nights.machine.name_of(12) +
                  " --benchmarks beta\n") != std::string::npos);
  CHECK(body.find("tbci bisect") == std::string::npos);  // one command is enough
}

TEST_CASE("Report evidence: the address of another index stays on this machine", "[nights]") {
  SlowerNights nights;
  nights.subject().nightly.kind = runner::NightlyKind::pip;
  nights.subject().nightly.index_url = "https://user:word@mirror.example/simple";
  const std::string body = nights.body();
  CHECK(body.find("mirror.example") == std::string::npos);
  CHECK(body.find("pip install") == std::string::npos);
  CHECK(body.find("come from a package index of its own") != std::string::npos);
}

TEST_CASE("Report evidence: nightlies that are built from source have no line for pip, and it says so", "[nights]") {
  SlowerNights nights;
  const std::string body = nights.body();
  CHECK(body.find("built from source: no wheel installs them.\n") != std::string::npos);
  CHECK(body.find("pip install") == std::string::npos);
}

TEST_CASE("Report evidence: it says whether the machine changed since the last night", "[nights]") {
  SlowerNights still;
  CHECK(still.body().find("Nothing that tbci knows of changed on the machine since nightly `" +
                          still.machine.name_of(11) + "`.") != std::string::npos);
  SlowerNights moved;
  moved.check_all(1, 11);
  moved.machine.facts["kernel"] = "6.2.0";
  const auto result = moved.check(12);
  REQUIRE(result.reports.size() == 1);
  CHECK(result.reports[0].body.find("Changed on the machine since nightly `" + moved.machine.name_of(11) +
                                    "`: the kernel is 6.2.0") != std::string::npos);
}

TEST_CASE("Report evidence: no text names the host, the runner or the state folder unless that is wanted", "[nights]") {
  SlowerNights nights;
  nights.machine.facts["variable TMPDIR"] = nights.folder.path() / "tmp";
  nights.machine.facts["kernel"] = "6.1.0 of " + host_name() + ", test-runner";
  SECTION("not unless") {
    const std::string body = nights.body();
    INFO(body);
    CHECK(body.find("| (state)/tmp |") != std::string::npos);
    CHECK(body.find("test-runner") == std::string::npos);
    CHECK(body.find(nights.folder.path().string()) == std::string::npos);
    CHECK(body.find("| 6.1.0 of (host), (host) |") != std::string::npos);
  }
  SECTION("wanted") {
    nights.bench->config().report.name_runner = true;
    CHECK(nights.body().find("- Runner: `test-runner`\n") != std::string::npos);
  }
}

}  // namespace tbci::report_evidence_test
