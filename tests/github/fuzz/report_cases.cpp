#include <algorithm>
#include <functional>
#include <set>

#include "base/text.hpp"
#include "github/issue_mark.hpp"
#include "github/markdown.hpp"
#include "github/participants.hpp"
#include "github/recovery_section.hpp"
#include "github/report.hpp"
#include "github/report_notes.hpp"
#include "github/status_section.hpp"
#include "tests/github/facts.hpp"
#include "tests/github/fuzz/faults.hpp"
#include "tests/github/fuzz/rendered.hpp"

namespace tbci::fuzz {

namespace {

using model::Configuration;
using model::Metric;

// Gives the next text for a field; `id` for one that may be a commit's.
struct Source {
  std::function<std::string()> text, id;
};

std::vector<model::Commit> commits(const Source& source, std::size_t count) {
  std::vector<model::Commit> made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id = source.id(), author = source.text();
    made.push_back(test::commit(id, author, source.text()));
  }
  return made;
}

model::Answer answer(const Source& source, const model::Series& series, const std::vector<model::Commit>& suspects) {
  model::Answer made;
  made.series = series;
  for (const model::Commit& suspect : suspects) made.suspects.push_back(suspect.id);
  made.reason = source.text();
  made.change = 0.305;
  made.low = 0.29;
  made.high = 0.32;
  made.steps = {{.suspects = made.suspects, .posterior = 0.9999, .change = 0.31, .prior = 0.2},
                {.suspects = {source.id()}, .posterior = 0.9, .change = -0.1, .repair = true, .prior = 0.1}};
  for (model::FoundStep& step : made.steps) step.prior_reason = source.text();
  return made;
}

github::ComparedBuild build(const Source& source, bool installs, const std::string& library) {
  github::ComparedBuild made{.name = source.text(), .version = source.text(), .commit = source.id()};
  if (installs) made.install = {"pip", "install", source.text()};
  if (!installs) made.origin = "The nightlies come from elsewhere.";
  made.libraries[library] = source.text();
  return made;
}

// What is known besides the verdicts and the search.
void add_evidence(const Source& source, std::size_t form, github::ReportFacts& facts) {
  const auto has = [form](unsigned bit) { return (form >> bit & 1U) != 0; };
  if (has(0) && has(6)) facts.since = source.text();
  for (const model::Commit& suspect : facts.suspects) {
    if (has(6)) facts.origins.push_back({suspect.id, 4711, {source.text(), source.text()}});
  }
  if (has(7)) {
    facts.history = github::SeriesHistory{facts.affected.front().series, {}};
    for (int i = 0; i < 4; ++i) facts.history->nights.push_back({source.text(), 12e6 + i, 11e6, 13e6, 5});
  }
  if (has(8)) {
    const std::string library = source.text();
    facts.before = build(source, has(1), library);
    facts.after = build(source, has(1), library);
    facts.libraries_known = true;
  }
  if (has(9)) {
    const std::string since = source.text();
    facts.machine = github::MachineChange{since, source.text()};
    facts.changed_most[facts.affected[0].series.benchmark] = source.text();
    facts.changed_most[facts.affected[1].series.benchmark] = source.text();
  }
}

// `form` chooses which of the fields are there.
github::ReportFacts facts_of(const Source& source, std::size_t form) {
  const auto has = [form](unsigned bit) { return (form >> bit & 1U) != 0; };
  github::ReportFacts facts;
  facts.subject = source.text();
  facts.from = source.id();
  facts.to = source.id();
  if (has(0)) {
    facts.night = source.text();
    facts.baseline = source.text();
    if (has(1)) facts.bad_nightly = source.text();
    for (int i = 0; i < 2 && has(2); ++i) {
      const std::string name = source.text();
      facts.skipped.push_back({name, source.text()});
    }
  }
  facts.commits = 70;
  facts.suspects = commits(source, form % 4);
  if (facts.suspects.size() != 1) facts.reason = source.text();
  facts.affected = {test::finding({source.text(), Configuration::cpu_train, Metric::time}, 12e6, 15e6),
                    test::finding({source.text(), Configuration::cpu_infer, Metric::cpu_memory}, 4e6, 4.8e6)};
  if (has(3)) {
    facts.affected.push_back(test::finding({source.text(), Configuration::cpu_infer, Metric::outcome}, 0, 1));
    facts.affected.back().reason = source.text();
    facts.breaks = {{facts.affected.back().series, model::Outcome::crashed, source.text(), source.text()},
                    {facts.affected.front().series, model::Outcome::exception, source.text(), source.text()}};
  }
  if (has(4)) facts.secondary = {test::finding({source.text(), Configuration::cpu_train, Metric::instructions}, 5, 6)};
  if (has(5)) facts.libraries = source.text();
  facts.answers = {answer(source, facts.affected.front().series, facts.suspects)};
  facts.builds = 9;
  facts.measurements = 120;
  facts.operators = test::changed_operators();
  facts.operators->measured.benchmark = source.text();
  for (model::OperatorChange& change : facts.operators->changed) change.name = source.text();
  facts.hints = test::added_hints();
  facts.hints->measured.benchmark = source.text();
  for (github::AddedHint& hint : facts.hints->hints) {
    hint.kind = source.text();
    hint.name = source.text();
    hint.what_to_try = source.text();
  }
  facts.runner = source.text();
  for (int i = 0; i < 3; ++i) {
    const std::string name = source.text();
    facts.environment[name] = source.text();
  }
  add_evidence(source, form, facts);
  facts.web = "https://example.com/octo/demo";
  facts.commands = {{"tbci", source.text(), source.text()}, {source.text()}};
  facts.generated = test::at(std::chrono::seconds(1'767'761'445));
  return facts;
}

std::vector<github::Recovery> recoveries_of(const Source& source) {
  github::Recovery one{{source.text(), Configuration::cpu_train, Metric::time}, source.text(), {}, {}};
  github::Recovery other{{source.text(), Configuration::cpu_infer, Metric::time}, source.text(), {}, {}};
  one.commits = commits(source, 1);
  other.commits = commits(source, 2);
  other.revert = commits(source, 1).front();
  return {one, other};
}

// Not empty, nor where it is cut like a commit's id, not twice, and short enough that no section leaves lines out:
// those would be other tags.
std::string unlike(HostileTexts& random, std::set<std::string>& known) {
  constexpr std::size_t most_bytes = 500;
  while (true) {
    std::string text = std::string(github::cut(random.next(), most_bytes));
    const std::string seen = github::plain_line(text.substr(0, 10));
    if (!seen.empty() && !github::plain_line(text).empty() && known.insert(seen).second) return text;
  }
}

// What a section decides by, and not by how it looks: a suite's `*`, a commit's digits, what a cell shows as code.
std::string harmless_like(const std::string& text, std::size_t number) {
  constexpr std::string_view code = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-_ ";
  const bool is_code = text.size() <= 100 && text.find_first_not_of(code) == std::string::npos;
  const bool hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hex && text.size() >= 7 && text.size() <= 64) return "abcdefabcd" + std::to_string(100 + number);
  return "harmless" + std::to_string(number) + (is_code ? "" : "%") + (text.ends_with('*') ? "*" : "");
}

// The marker is a hash of the facts.
std::string without_marker(std::string body, const model::Report& report) {
  const std::size_t at = body.find(report.marker);
  return at == std::string::npos ? body : body.replace(at, report.marker.size(), "MARKER");
}

std::string links_shortened(std::string tags) {
  for (std::size_t at = tags.find("/commit/"); at != std::string::npos; at = tags.find("/commit/", at + 1)) {
    tags.replace(at, tags.find('"', at) - at, "/commit/x");
  }
  return tags;
}

// The first tags that differ, as a reader wants to see them.
std::string difference(const std::string& got, const std::string& wanted) {
  const auto at = std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end());
  const auto around = [](const std::string& all, std::string::const_iterator place) {
    const auto from = static_cast<std::size_t>(place - all.begin());
    return one_line(all.substr(from > 40 ? from - 40 : 0, 120), 120);
  };
  return around(got, at.first) + ", wanted " + around(wanted, at.second);
}

void compare_bodies(std::string_view where, const std::string& body, const std::string& harmless, Faults& faults) {
  const std::vector<Part> got = rendered(body), wanted = rendered(harmless);
  const std::string tags = links_shortened(outline(got)), wanted_tags = links_shortened(outline(wanted));
  if (tags != wanted_tags) faults.push_back({std::string(where), "other tags: " + difference(tags, wanted_tags), body});
  const std::vector<std::string> links = references(got);
  if (links.size() != references(wanted).size())
    faults.push_back({std::string(where), "GitHub would make something of: " + join(links, ", "), body});
}

model::Finding finding_of(const Source& source) {
  return test::finding({source.text(), Configuration::cpu_train, Metric::time}, 12e6, 15e6);
}

model::Decision decision_of(const Source& source) {
  const std::string person = source.text();
  return {.id = 1,
          .regression_id = 1,
          .standing = model::Standing::accepted,
          .person = person,
          .reason = source.text(),
          .decided = {}};
}

// What stands above and below a report over its life.
std::vector<std::string> life_of(const Source& source) {
  std::vector<std::string> all;
  all.push_back(github::culprit_note(commits(source, 1).front()));
  const auto finding = finding_of(source);
  all.push_back(github::worse_note({finding}, source.text()));
  all.push_back(github::relapse_note({finding}, source.text()));
  const auto recoveries = recoveries_of(source);
  all.push_back(github::ending_note(recoveries, {decision_of(source)}));
  all.push_back(github::reopening_note(decision_of(source)));
  const std::string look = github::figures_text(finding_of(source)), night = source.text();
  all.push_back(github::confirmation_note({look}, night, source.text()));
  const std::string person = source.text();
  all.push_back(github::unknown_command_note(person, source.text()));
  all.push_back(github::status_section(
      {.night = source.text(),
       .nights_since = 2,
       .series = {
           {.series = finding_of(source).series, .before = 12e6, .now = 15e6, .look = model::Verdict::regression}}}));
  model::Report blamed;
  blamed.title = source.text();
  blamed.culprits = {source.id()};
  all.push_back(github::pull_comment_text(blamed, "https://example.com/issue"));
  blamed.open = false;
  all.push_back(github::pull_comment_text(blamed, "https://example.com/issue"));
  return all;
}

}  // namespace

void check_report(HostileTexts& random, Faults& faults) {
  const std::size_t form = random.below(1024);
  std::set<std::string> known;
  std::vector<std::string> texts, ids;
  constexpr const char* real_id = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d";
  const bool real_ids = random.below(2) == 0;
  const auto next_id = [&]() -> std::string {
    if (!real_ids) return unlike(random, known);
    return std::string(real_id).substr(0, 37) + std::to_string(100 + ids.size());
  };
  const Source hostile{[&] { return texts.emplace_back(unlike(random, known)); },
                       [&] { return ids.emplace_back(next_id()); }};
  std::size_t text = 0, id = 0;
  const Source harmless{[&] {
                          const std::size_t at = text++;
                          return harmless_like(texts[at], at);
                        },
                        [&] {
                          const std::size_t at = id++;
                          return harmless_like(ids[at], 500 + at);
                        }};
  const model::Report report = github::make_report(facts_of(hostile, form));
  const model::Report twin = github::make_report(facts_of(harmless, form));
  check_line("title", report.title, github::longest_title_bytes, faults);
  compare_bodies("report", without_marker(report.body, report), without_marker(twin.body, twin), faults);
  for (const char* forged : {"0123456789abcdef0123456789abcdef", "00000000000000000000000000000000"}) {
    if (github::has_marker(report.body, forged)) faults.push_back({"report", "a forged marker", report.body});
  }
  if (github::mark_in(report.body)) faults.push_back({"report", "a forged mark", report.body});
  const model::Report recovered = github::with_recoveries(report, recoveries_of(hostile));
  const model::Report recovered_twin = github::with_recoveries(twin, recoveries_of(harmless));
  compare_bodies("report with recoveries", without_marker(recovered.body, report),
                 without_marker(recovered_twin.body, twin), faults);
  const auto life = life_of(hostile), life_twin = life_of(harmless);
  for (std::size_t i = 0; i < life.size(); ++i) {
    compare_bodies("note " + std::to_string(i), life[i], life_twin[i], faults);
    if (github::mark_in(life[i])) faults.push_back({"note", "a forged mark", life[i]});
  }
}

}  // namespace tbci::fuzz
