// Facts of a report for tests. The numbers are invented; the cases are those of a bad day of the miniature.
#pragma once

#include <chrono>
#include <limits>
#include <string>

#include "github/report.hpp"

namespace tbci::test {

inline TimePoint at(std::chrono::seconds since_epoch) {
  return TimePoint(std::chrono::milliseconds(since_epoch));
}

inline model::Commit commit(const std::string& id, const std::string& author, const std::string& subject) {
  model::Commit made;
  made.id = id;
  made.author = author;
  made.email = "someone@example.com";
  made.time = at(std::chrono::seconds(1'767'719'045));  // 2026-01-06T17:04:05Z
  made.subject = subject;
  return made;
}

inline model::Finding finding(const model::Series& series, double before, double after, int pairs = 10) {
  model::Finding made;
  made.series = series;
  made.verdict = model::Verdict::regression;
  made.before = before;
  made.after = after;
  made.change = before > 0 ? after / before - 1 : std::numeric_limits<double>::infinity();
  made.low = made.change - 0.02;
  made.high = made.change + 0.02;
  made.pairs = pairs;
  return made;
}

inline model::OperatorComparison changed_operators() {
  using std::chrono::microseconds;
  model::OperatorComparison compared;
  compared.measured = {"dlrm", model::Configuration::cpu_train};
  compared.processes = 5;
  compared.before = microseconds(12000);
  compared.after = microseconds(15700);
  compared.changed = {{"aten._embedding_bag.default", microseconds(900), microseconds(4500), 8, 8},
                      {"aten.copy_.default", microseconds(100), microseconds(350), 2, 18},
                      {"aten.mm.default", microseconds(2000), microseconds(1850), 30, 30}};
  return compared;
}

inline github::AddedHints added_hints() {
  return {.measured = {"dlrm", model::Configuration::cpu_train},
          .recordings = 3,
          .hints = {{"small calls in a row", "aten.copy_.default", 18, 2, 0.021, "do it in one call"},
                    {"page faults", "aten._embedding_bag.default", 8, 8, 0.015, "keep the memory"}}};
}

/// 3.7 ms more, of which a kernel has 3.4.
inline model::StepSplit step_split() {
  const model::StepPart kernel{.kind = model::CauseKind::kernel,
                               .name = "aten._embedding_bag.default",
                               .nanoseconds = 3.4e6,
                               .calls_before = 8,
                               .calls_after = 8,
                               .clear = true};
  return {.measured = {"dlrm", model::Configuration::cpu_train},
          .recordings = 3,
          .before = 12.0e6,
          .after = 15.7e6,
          .parts = {kernel,
                    {.kind = model::CauseKind::overhead,
                     .overhead = model::OverheadKind::launch,
                     .name = "aten.copy_.default",
                     .nanoseconds = 0.5e6,
                     .calls_before = 2,
                     .calls_after = 18,
                     .clear = true}},
          .rest = -0.2e6,
          .cause = kernel};
}

/// Eight nights of dlrm, of which the last is slower.
inline github::SeriesHistory slower_history() {
  github::SeriesHistory history{{"dlrm", model::Configuration::cpu_train, model::Metric::time}, {}};
  for (int day = 0; day < 8; ++day) {
    const double value = day < 7 ? 12.0e6 + 2e4 * (day % 3) : 15.7e6;
    history.nights.push_back(
        {fmt::format("{}-{:02}-{:02}", day == 0 ? 2025 : 2026, day == 0 ? 12 : 1, day == 0 ? 31 : day), value,
         value - 1e5, value + 2e5, 5});
  }
  return history;
}

/// A nightly that PyTorch's own index has.
inline github::ComparedBuild wheel(const std::string& version, char commit) {
  return {.name = version,
          .version = version,
          .commit = std::string(40, commit),
          .install = {"pip", "install", "--pre", "torch==" + version, "--index-url",
                      "https://download.pytorch.org/whl/nightly/cpu"},
          .libraries = {{"library.openmp", "libgomp.so.1 3f2a91c0b3d27e11"}}};
}

/// One culprit, three benchmarks: time, memory, a leak.
inline github::ReportFacts culprit_facts() {
  using model::Configuration;
  using model::Metric;
  github::ReportFacts facts;
  facts.subject = "demo";
  facts.night = "2026-01-07";
  facts.baseline = "2026-01-06";
  facts.from = std::string(40, 'a');
  facts.to = std::string(40, 'b');
  facts.commits = 70;
  facts.suspects = {commit("1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d", "Jane Doe", "Check bounds in embedding_bag")};
  facts.affected = {
      finding({"dlrm", Configuration::cpu_train, Metric::time}, 12.0e6, 15.72e6),
      finding({"dlrm", Configuration::cpu_infer, Metric::time}, 4.0e6, 4.8e6),
      finding({"resnet18", Configuration::cpu_train, Metric::cpu_memory}, 64.0 * (1 << 20), 72.0 * (1 << 20)),
      finding({"BERT_pytorch", Configuration::cpu_infer, Metric::time}, 30.0e6, 33.0e6, 0)};
  model::Answer answer;
  answer.series = facts.affected.front().series;
  answer.suspects = {facts.suspects.front().id};
  answer.change = 0.305;
  answer.low = 0.29;
  answer.high = 0.32;
  facts.answers = {answer};
  facts.builds = 9;
  facts.measurements = 120;
  facts.operators = changed_operators();
  facts.step = step_split();
  facts.hints = added_hints();
  facts.origins = {{facts.suspects.front().id, 4711, {"aten/src/ATen/native/EmbeddingBag.cpp"}}};
  facts.history = slower_history();
  facts.before = wheel("2.14.0.dev20260106+cpu", 'a');
  facts.after = wheel("2.14.0.dev20260107+cpu", 'b');
  facts.libraries_known = true;
  facts.machine = {.since = "2026-01-06", .what = ""};
  facts.environment = {{"cpu", "Some CPU @ 2.0 GHz"}, {"governor", "performance"}, {"kernel", "6.1.0"}};
  facts.web = "https://github.com/octo/demo";
  facts.commands = {{"tbci", "compare", "--subject", "demo", "2026-01-06", "2026-01-07", "--benchmarks", "dlrm"}};
  facts.generated = at(std::chrono::seconds(1'767'761'445));  // 2026-01-07T04:50:45Z
  return facts;
}

}  // namespace tbci::test
