// A thousand random schedules of faults, by fixed seeds: whatever happens on the way, in the end there is one issue,
// and it says what the reports say.
#include <random>
#include <utility>

#include "github/issue_mark.hpp"
#include "github/outbox.hpp"
#include "tests/github/channel_bench.hpp"

namespace tbci::fault_schedules_test {

using namespace tbci::github;
using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr int pull_number = 1;

/// The process ends at once: nothing that comes after it happens.
struct Killed {};

struct Dice {
  explicit Dice(unsigned seed) : engine(seed) {}
  bool chance(double probability) { return std::uniform_real_distribution<>(0, 1)(engine) < probability; }
  int upto(int last) { return std::uniform_int_distribution<>(0, last)(engine); }
  std::mt19937 engine;
};

/// GitHub, and the way to it.
class FaultyGithub final : public HttpClient {
 public:
  FaultyGithub(test::StubGithub& github, const Clock& clock, Dice& dice)
      : github_(github), clock_(clock), dice_(dice) {}

  Result<HttpResponse> send(const HttpRequest& request) override {
    if (meanwhile && dice_.chance(0.2)) meanwhile();
    if (!broken || !dice_.chance(0.25)) return answer(request);
    switch (dice_.upto(10)) {
      case 0:
        return fail(ErrorKind::transient, "the connection was cut");
      case 1:
        static_cast<void>(answer(request));
        return fail(ErrorKind::transient, "no answer in time");
      case 2:
        return HttpResponse{502, {}, "bad gateway"};
      case 3:
        static_cast<void>(answer(request));
        return HttpResponse{502, {}, "bad gateway"};
      case 4:
        return HttpResponse{429, {{"retry-after", std::to_string(dice_.upto(600))}}, "{}"};
      case 5:
        return HttpResponse{403, {{"retry-after", "60"}}, R"({"message": "You have exceeded a secondary rate limit"})"};
      case 6:
        static_cast<void>(answer(request));
        return HttpResponse{200, {}, "<html>a proxy</html>"};
      case 7:
        throw Killed();
      case 8:
        static_cast<void>(answer(request));
        throw Killed();
      case 9:
        if (request.method == "GET") return answer(request);
        return HttpResponse{403, {}, R"({"message": "Repository was archived so is read-only."})"};
      default:
        return HttpResponse{401, {}, R"({"message": "Bad credentials"})"};
    }
  }
  Result<HttpResponse> receive(const HttpRequest&, const TakePart&) override {
    return fail(ErrorKind::usage, "nobody asks for that");
  }

  bool broken = true;
  std::function<void()> meanwhile;  ///< what another runner does just before a request

 private:
  Result<HttpResponse> answer(const HttpRequest& request) {
    github_.now = clock_.now();
    // Two runners find each other's issues by the label: they need push access.
    github_.drops_labels = broken && !meanwhile && dice_.chance(0.1);
    test::Seen seen{.method = request.method,
                    .target = request.url.substr(github_.server.size()),
                    .body = request.body,
                    .headers = {}};
    for (const auto& [name, value] : request.headers) {
      std::string lower = name;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
      seen.headers[lower] = value;
    }
    const test::StubAnswer answer = github_.handle(seen);
    HttpResponse response{answer.status, {}, answer.body};
    for (const auto& [name, value] : answer.headers)
      response.headers[name == "Link" ? "link" : name == "Location" ? "location" : name] = value;
    return response;
  }

  test::StubGithub& github_;
  const Clock& clock_;
  Dice& dice_;
};

/// A tbci: its row of the outbox, which survives it, and its channel, which does not.
class Runner final : public OutboxJournal {
 public:
  Runner(const GithubSettings& settings, FaultyGithub& http, const test::ManualClock& clock, Dice& dice, char name)
      : settings_(settings), http_(http), clock_(clock), dice_(dice) {
    report = make_report(test::culprit_facts());
    report.marker = std::string(32, name);
    report.title = std::string("title of ") + name;
    delivery.id = name;
    delivery.channel = "github";
    write(std::string("text of ") + name);
  }

  void write(const std::string& text) {
    report.body = text + "\n\n" + marker_comment(report.marker) + "\n";
    revised(report.revision);
  }
  void revise(const std::string& what) {
    revised(report.revision + 1);
    switch (dice_.upto(3)) {
      case 0:
        report.body = what + "\n\n" + marker_comment(report.marker) + "\n";
        break;
      case 1:
        report.open = !report.open;
        [[fallthrough]];
      default:
        notes.push_back({.id = static_cast<std::int64_t>(notes.size()) + 1,
                         .report_id = 1,
                         .revision = report.revision,
                         .text = "note: " + what,
                         .made = {}});
    }
  }

  /// One look at the outbox; a kill ends the process, and the next look is a new one.
  void look() {
    if (busy_) return;
    busy_ = true;
    if (channels_.empty() || dice_.chance(0.1)) start();
    try {
      const PendingDelivery pending[] = {{delivery, report, notes}};
      static_cast<void>(deliver_due(pending, channels_, *this, clock_));
    } catch (const Killed&) {
      channels_.clear();
    }
    busy_ = false;
  }

  Status attempting(std::int64_t) override {
    if (full_disk()) return fail(ErrorKind::machine, "no space left on the disk");
    if (!delivery.attempted) delivery.attempted = clock_.now();
    return {};
  }
  Status delivered(std::int64_t, const std::string& reference, int revision) override {
    if (full_disk()) return fail(ErrorKind::machine, "no space left on the disk");
    if (first_delivered == 0) first_delivered = revision;
    delivery.reference = reference;
    delivery.revision = revision;
    delivery.attempted.reset();
    delivery.attempts = 0;
    if (revision >= report.revision) delivery.state = model::DeliveryState::delivered;
    return {};
  }
  Status failed_attempt(std::int64_t, const std::string& error, TimePoint next) override {
    ++delivery.attempts;
    delivery.error = error;
    delivery.next_attempt = next;
    return {};
  }
  Status postponed(std::int64_t, TimePoint next) override {
    delivery.next_attempt = next;
    return {};
  }
  Status refused(std::int64_t, const std::string& error) override {
    delivery.error = error;
    delivery.state = model::DeliveryState::failed;
    return {};
  }

  model::Report report;
  model::Delivery delivery;
  std::vector<model::ReportNote> notes;
  int first_delivered = 0;

 private:
  bool full_disk() { return http_.broken && dice_.chance(0.05); }
  void start() {
    channels_.clear();
    auto made = make_github_channel(settings_, http_, clock_);
    REQUIRE(made);
    channels_.push_back(std::move(*made));
  }
  void revised(int revision) {
    report.revision = revision;
    delivery.state = model::DeliveryState::pending;
    delivery.attempts = 0;
    delivery.next_attempt = clock_.now();
  }

  const GithubSettings& settings_;
  FaultyGithub& http_;
  const test::ManualClock& clock_;
  Dice& dice_;
  std::vector<std::unique_ptr<Channel>> channels_;
  bool busy_ = false;
};

class Schedule {
 public:
  Schedule(unsigned seed, const GithubSettings& settings)
      : has_people(seed % 4 < 2), settings_(settings), dice_(seed), http_(github, clock_, dice_) {
    github.tokens = {test::secret_token};
    github.server = settings.base_url;
    runners.push_back(std::make_unique<Runner>(settings_, http_, clock_, dice_, 'a'));
    if (seed % 2 == 1) runners.push_back(std::make_unique<Runner>(settings_, http_, clock_, dice_, 'b'));
    if (has_people) bring_people();
    if (seed % 2 == 1) {
      http_.meanwhile = [this] { runners[static_cast<std::size_t>(dice_.upto(1))]->look(); };
    }
  }

  void run() {
    for (int step = 0; step < 15; ++step) {
      Runner& runner = *runners[static_cast<std::size_t>(dice_.upto(static_cast<int>(runners.size()) - 1))];
      if (step > 0 && dice_.chance(0.4)) runner.revise("step " + std::to_string(step));
      if (dice_.chance(0.1)) rename_by_hand();
      if (dice_.chance(0.05)) move_repository();
      for (const auto& one : runners) one->look();
      clock_.advance(seconds(dice_.upto(1200)));
    }
    http_.broken = false;
    for (int i = 0; i < 40; ++i) {
      for (const auto& one : runners) one->look();
      clock_.advance(std::chrono::hours(7));
    }
  }

  test::StubGithub github;
  std::vector<std::unique_ptr<Runner>> runners;
  std::string title_by_hand;
  const bool has_people;  ///< reports bring in the author of the culprit's pull request

 private:
  // The pull request is there first, closed by the culprit.
  void bring_people() {
    settings_.participants = {
        .assignees = {"boss"}, .assign_author = true, .mention_author = true, .comment_on_pull_request = true};
    github.issues.push_back(github.make_issue({{"title", "faster"}}));
    json& pull = github.issues.back();
    pull["pull_request"] = json::object();
    pull["user"]["login"] = "author";
    pull["state"] = "closed";
    github.assignable = {"boss", "author"};
    for (const auto& runner : runners) {
      github.events[pull_number] = {{{"event", "closed"}, {"commit_id", runner->report.culprits.at(0)}}};
      runner->report.pull_request = github.server + "/octo/demo/pull/1";
    }
  }
  void rename_by_hand() {
    const std::size_t others = has_people ? 1 : 0;
    if (github.issues.size() != 1 + others || !title_by_hand.empty()) return;
    title_by_hand = "as a person says it";
    github.issues[0]["title"] = title_by_hand;
  }

  void move_repository() {
    if (github.former_home.empty()) github.former_home = std::exchange(github.home, "/repositories/77");
  }

  GithubSettings settings_;

  test::ManualClock clock_;
  Dice dice_;
  FaultyGithub http_;
};

std::vector<json> kept_issues(const Schedule& schedule) {
  std::vector<json> kept;
  for (const json& issue : schedule.github.issues) {
    if (issue.value("state_reason", "") != "duplicate" && !issue.contains("pull_request")) kept.push_back(issue);
  }
  return kept;
}

/// The texts that hold the report: the issue's, or those of comments.
std::vector<std::string> texts_of(const Schedule& schedule, const json& issue, const Runner& runner) {
  std::vector<std::string> texts;
  if (has_marker(issue["body"].get<std::string>(), runner.report.marker)) texts.push_back(issue["body"]);
  const auto comments = schedule.github.comments.find(issue["number"].get<int>());
  if (comments == schedule.github.comments.end()) return texts;
  for (const json& comment : comments->second) {
    if (has_marker(comment["body"].get<std::string>(), runner.report.marker)) texts.push_back(comment["body"]);
  }
  return texts;
}

/// The notes of a runner that are comments, by their ids, in the order of the comments.
std::vector<std::int64_t> notes_on(const Schedule& schedule, const json& issue, const Runner& runner) {
  std::vector<std::int64_t> found;
  const auto comments = schedule.github.comments.find(issue["number"].get<int>());
  if (comments == schedule.github.comments.end()) return found;
  for (const json& comment : comments->second) {
    for (const model::ReportNote& note : runner.notes) {
      const std::string marker = runner.report.marker + "-n" + std::to_string(note.id);
      if (has_marker(comment["body"].get<std::string>(), marker)) found.push_back(note.id);
    }
  }
  return found;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Each person is brought in once, and the pull request's comment says what the issue says.
void check_people(const Schedule& schedule, const json& issue) {
  if (!schedule.has_people) return;
  const auto said = schedule.github.comments.find(pull_number);
  const json comments = said == schedule.github.comments.end() ? json::array() : said->second;
  const bool is_said = !comments.empty();
  CHECK(comments.size() <= 1);
  CHECK(count_of(issue["body"], "cc @author") <= 1);
  if (schedule.runners.size() > 1) return;  // of two, the first may have been over
  const model::Report& report = schedule.runners.front()->report;
  if (is_said)
    CHECK(
        comments[0]["body"].get<std::string>().starts_with(report.open ? "Since commit" : "What tbci measured since"));
  if (!report.open) return;
  CHECK(is_said);
  CHECK(count_of(issue["body"], "cc @author, who wrote") == 1);
  CHECK(issue.value("assignees", json()) == json{{{"login", "boss"}}, {{"login", "author"}}});
}

void check_end(const Schedule& schedule) {
  const auto kept = kept_issues(schedule);
  REQUIRE(kept.size() == 1);
  const json& issue = kept.front();
  bool open = false;
  for (const auto& runner : schedule.runners) {
    CAPTURE(runner->report.title, runner->delivery.error);
    CHECK(runner->delivery.state == model::DeliveryState::delivered);
    open = open || runner->report.open;
    const auto texts = texts_of(schedule, issue, *runner);
    REQUIRE(texts.size() == 1);
    const std::string text = runner->report.body.substr(0, runner->report.body.find('\n'));
    CHECK(texts.front().find(text + "\n") != std::string::npos);
    const auto mark = mark_in(texts.front());
    REQUIRE(mark);
    CHECK(mark->report_open == runner->report.open);
    const auto notes = notes_on(schedule, issue, *runner);
    CHECK(std::is_sorted(notes.begin(), notes.end(), std::less_equal<>()));  // each at most once
    if (schedule.runners.size() > 1) continue;  // what was said on an issue that then yielded is not said again
    std::vector<std::int64_t> due;
    for (const model::ReportNote& note : runner->notes) {
      if (note.revision > runner->first_delivered) due.push_back(note.id);
    }
    CHECK(notes == due);
    CHECK(issue["title"] == (schedule.title_by_hand.empty() ? runner->report.title : schedule.title_by_hand));
  }
  CHECK((issue["state"] == "open") == open);
  check_people(schedule, issue);
}

void check_schedules(unsigned first_seed, unsigned last_seed) {
  test::ChannelBench bench;
  bench.settings.base_url = "http://127.0.0.1:9";
  const test::CapturedLog log(bench.directory / "log");
  for (unsigned seed = first_seed; seed <= last_seed; ++seed) {
    CAPTURE(seed);
    Schedule schedule(seed, bench.settings);
    schedule.run();
    check_end(schedule);
  }
}

}  // namespace

TEST_CASE("Fault schedules: one issue in the end, and it says what the reports say", "[github]") {
  check_schedules(1, 200);
}

TEST_CASE("Fault schedules: one issue in the end, after eight hundred more of them", "[github][long]") {
  check_schedules(201, 1000);
}

}  // namespace tbci::fault_schedules_test
