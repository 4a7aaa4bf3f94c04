// Twelve nights of one story, as people see it on the issue: a golden file for each night.
#include <cstdlib>

#include "base/file.hpp"
#include "pipeline/night/delivering.hpp"
#include "pipeline/night/regression_decisions.hpp"
#include "pipeline/night/reporting.hpp"
#include "tests/catch.hpp"
#include "tests/github/stub_server.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::issue_story_test {

using namespace tbci::test;
using nlohmann::json;

namespace {

constexpr std::size_t culprit = 3 * commits_a_day - 1;  // of night 3
constexpr std::size_t revert = 9 * commits_a_day - 1;   // of night 9
const std::string token = "ghp_0123456789StoryStory";

class IssueStory : public Nights {
 public:
  IssueStory() : Nights(16) {
    machine.suite = {"alpha", "beta", "gamma"};
    machine.slower["alpha"] = {{culprit, 1.25}, {revert, 1 / 1.25}};
    machine.slower["beta"] = {{5 * commits_a_day - 1, 1.2}, {revert, 1 / 1.2}};
    machine.slower["gamma"] = {{6 * commits_a_day - 1, 1.5}, {revert, 1 / 1.5}};
    machine.unbuildable = {culprit - 1};  // so that its search cannot tell the two apart
    machine.reverts[revert] = commit(culprit).substr(0, 10);
    settings::ReportConfig& report = bench->config().report;
    report.channels = {"github"};
    report.github.api = server.url();
    report.github.repository = "octo/demo";
    report.github.token_file = folder / "token";
    REQUIRE(write_file_atomically(report.github.token_file, token + "\n"));
    std::filesystem::permissions(report.github.token_file, std::filesystem::perms::owner_read);
    server.with([](StubGithub& github) { github.permissions["ada"] = "write"; });
  }

  /// The nightly of that day is checked, the reports go out, and what people say is read.
  void night(std::size_t day) {
    now();
    check(day);
    deliver();
  }
  void deliver() {
    now();
    if (!channels_)
      channels_ =
          std::make_unique<pipeline::OpenChannels>(bench->config(), bench->clock(), pipeline::Deliverer::measuring);
    for (int i = 0; i < 2; ++i) {  // what people said changes reports
      REQUIRE(channels_->deliver_due(bench->stores(), {}));
      bench->clock().advance(std::chrono::minutes(11));
      now();
      REQUIRE(channels_->listen(bench->stores(), {}));
    }
    REQUIRE(channels_->deliver_due(bench->stores(), {}));
  }
  /// Another search of that night names the culprit of a series.
  void attribute(std::size_t day, const std::string& benchmark, double change) {
    storage::NightStore& nights = bench->stores().nights;
    const auto night = nights.find("fake", machine.name_of(day)).value();
    auto regression =
        nights
            .add_regression(night->id, {.series = {benchmark, model::Configuration::cpu_infer, model::Metric::time},
                                        .verdict = model::Verdict::regression,
                                        .before = 1e6,
                                        .after = 1e6 * (1 + change),
                                        .change = change,
                                        .low = change - 0.02,
                                        .high = change + 0.02,
                                        .pairs = 8,
                                        .reason = "measured"})
            .value();
    regression.suspects = {commit(culprit)};
    regression.state = model::RegressionState::attributed;
    REQUIRE(nights.update(regression));
    REQUIRE(bench->stores().decisions.decide({.id = 0,
                                              .regression_id = regression.id,
                                              .standing = model::Standing::open,
                                              .person = "test",
                                              .reason = "told by hand",
                                              .decided = {}}));
    regression.standing = model::Standing::open;
    const pipeline::ReportContext context{
        .night = machine.name_of(day), .baseline = machine.name_of(day - 1), .bisection = nullptr, .environment = {}};
    REQUIRE(pipeline::file_reports(bench->context(), context, {regression}));
    deliver();
  }
  /// What a search of its own would find is left out: the story tells it.
  void leave_to_story(const std::string& benchmark) {
    REQUIRE(pipeline::mute_series(bench->stores(), "fake",
                                  {benchmark, model::Configuration::cpu_infer, model::Metric::time}, TimePoint::max(),
                                  {.person = "test", .reason = "told by hand", .now = TimePoint()}));
  }
  void say(const std::string& comment) {
    server.with([&](StubGithub& github) {
      json& all = github.comments[1];
      if (all.is_null()) all = json::array();
      all.push_back({{"id", ++github.last_comment},
                     {"body", comment},
                     {"user", {{"login", "ada"}}},
                     {"created_at", to_iso8601(github.now)}});
      github.issues.at(0)["updated_at"] = to_iso8601(github.now);
    });
  }

  /// The issue as people see it.
  std::string page() {
    return server.with([](StubGithub& github) {
      std::string text = fmt::format("{} issues\n", github.issues.size());
      for (const json& issue : github.issues) {
        text += fmt::format("\n# {} (#{})\n\nState: {} {}\n\n{}\n", issue["title"].get<std::string>(),
                            issue["number"].get<int>(), issue["state"].get<std::string>(),
                            issue.value("state_reason", ""), issue["body"].get<std::string>());
        for (const json& comment : github.comments[issue["number"].get<int>()])
          text += fmt::format("\n--- comment of {}\n\n{}\n", comment["user"]["login"].get<std::string>(),
                              comment["body"].get<std::string>());
      }
      return text;
    });
  }
  json issue() {
    const auto all = server.issues();
    REQUIRE(all.size() == 1);
    return all.front();
  }

  StubServer server{token};

 private:
  void now() {
    server.with([&](StubGithub& github) { github.now = bench->clock().now(); });
  }
  std::unique_ptr<pipeline::OpenChannels> channels_;
};

// TBCI_WRITE_GOLDEN=1 writes the files; read the difference before you commit it.
void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(TBCI_SOURCE_DIR) / "tests/pipeline/night/golden" / (name + ".md");
  if (std::getenv("TBCI_WRITE_GOLDEN")) {
    std::filesystem::create_directories(path.parent_path());
    REQUIRE(write_file_atomically(path, text));
  }
  const auto golden = read_file(path);
  REQUIRE(golden);
  CHECK(*golden == text);
}

}  // namespace

TEST_CASE("Issue story: two suspects, one, more benchmarks, worse, reverted, closed, back, dismissed", "[nights]") {
  IssueStory story;
  const auto state = [&] { return story.issue()["state"].get<std::string>(); };
  const auto comments = [&] { return story.server.comments_on(1).size(); };
  story.leave_to_story("beta");
  story.leave_to_story("gamma");
  story.check_all(1, 2);
  story.night(3);
  check_golden("03-two-suspects", story.page());
  story.night(4);
  check_golden("04-still-there", story.page());
  CHECK(comments() == 0);
  story.night(5);
  story.attribute(5, "beta", 0.2);
  check_golden("05-one-suspect-and-a-second-benchmark", story.page());
  CHECK(comments() == 1);
  story.night(6);
  story.attribute(6, "gamma", 0.5);
  check_golden("06-worse", story.page());
  CHECK(comments() == 2);
  story.night(7);
  check_golden("07-still-there", story.page());
  story.say("/tbci confirm");
  story.deliver();
  story.night(8);
  check_golden("08-confirmed", story.page());
  CHECK(comments() == 4);
  story.night(9);
  check_golden("09-reverted", story.page());
  CHECK(state() == "open");
  story.night(10);
  check_golden("10-gone-twice", story.page());
  story.night(11);
  check_golden("11-closed", story.page());
  CHECK(state() == "closed");
  CHECK(comments() == 5);
  story.night(12);
  CHECK(state() == "closed");
  story.attribute(12, "alpha", 0.25);
  check_golden("12-back", story.page());
  CHECK(state() == "open");
  CHECK(comments() == 6);
  story.night(13);
  check_golden("13-still-open", story.page());
  story.say("/tbci dismiss the runner was warm");
  story.deliver();
  check_golden("14-dismissed", story.page());
  CHECK(state() == "closed");
  story.night(14);
  CHECK(state() == "closed");
}

}  // namespace tbci::issue_story_test
