#include "pipeline/night/wishes.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "github/report_notes.hpp"
#include "pipeline/night/regression_decisions.hpp"

namespace tbci::pipeline {

namespace {

using github::SaidWish;
using model::Wish;

DecisionBy decision_by(const SaidWish& said, TimePoint now) {
  return {.person = said.person.empty() ? "somebody on the issue" : said.person,
          .reason = said.reason.empty() ? "said so on the issue" : said.reason,
          .now = now,
          .telling = said.by_page ? Telling::quiet : Telling::by_note};
}

Status settle_open(storage::Stores& stores, const std::vector<model::Regression>& regressions, const SaidWish& said,
                   TimePoint now) {
  for (const model::Regression& one : regressions) {
    if (!model::is_open(one.standing)) continue;
    TBCI_TRY(said.wish == Wish::accept ? accept_regression(stores, one.id, decision_by(said, now), false)
                                       : dismiss_regression(stores, one.id, decision_by(said, now)));
  }
  return {};
}

Status open_settled(storage::Stores& stores, const std::vector<model::Regression>& regressions, const SaidWish& said,
                    TimePoint now) {
  for (const model::Regression& one : regressions) {
    if (!model::is_open(one.standing)) TBCI_TRY(reopen_regression(stores, one.id, decision_by(said, now)));
  }
  return {};
}

Status add_note(storage::Stores& stores, const model::Report& report, const std::string& note, TimePoint now) {
  return stores.reports.file(report, {}, now, {note}).map([](const model::Report&) {});
}

Status apply(storage::Stores& stores, const model::Report& report, const SaidWish& said, TimePoint now) {
  TBCI_ASSIGN(const auto regressions, stores.nights.regressions_of_report(report.id));
  switch (said.wish) {
    case Wish::accept:
    case Wish::dismiss:
      return settle_open(stores, regressions, said, now);
    case Wish::reopen:
      return report.open ? Status{} : open_settled(stores, regressions, said, now);
    case Wish::rebisect:
      return search_again(stores, report.id).map([](int) {});
    case Wish::confirm:
      return {};
    case Wish::none:
      if (said.reason.empty()) return {};
      return add_note(stores, report, github::unknown_command_note(said.person, said.reason), now);
  }
  return {};
}

// What the page shows holds as long as it does; everything else is said once.
Result<bool> is_new(const storage::Stores& stores, const model::Report& report, const SaidWish& said) {
  if (said.by_page && (said.wish == Wish::reopen) == report.open) return false;
  if (said.wish == Wish::reopen && said.by_page) return true;
  TBCI_ASSIGN(const bool known, stores.wishes.knows(report.id, said.source));
  return !known;
}

Status carry_out_one(storage::Stores& stores, std::int64_t report_id, const SaidWish& said, TimePoint now) {
  TBCI_ASSIGN(const model::Report report, stores.reports.get(report_id));
  TBCI_ASSIGN(const bool to_do, is_new(stores, report, said));
  if (!to_do) return {};
  TBCI_TRY(apply(stores, report, said, now));
  return stores.wishes.add({.id = 0,
                            .report_id = report_id,
                            .source = said.source,
                            .wish = said.wish,
                            .person = one_line(said.person, 100),
                            .reason = one_line(said.reason, 500),
                            .asked = now,
                            .done = said.wish == Wish::confirm ? std::nullopt : std::optional(now)});
}

// A label that is gone may come again, and then asks again.
Status forget_labels(storage::Stores& stores, std::int64_t report_id, const github::Heard& heard) {
  TBCI_ASSIGN(const auto known, stores.wishes.sources(report_id));
  for (const std::string& source : known) {
    const bool there = std::ranges::find(heard.said, source, &SaidWish::source) != heard.said.end();
    if (source.starts_with("label:") && !there) TBCI_TRY(stores.wishes.forget(report_id, source));
  }
  return {};
}

Result<std::vector<model::ReportWish>> confirmations(SubjectContext& context) {
  TBCI_ASSIGN(auto waiting, context.stores.wishes.waiting(context.name()));
  std::erase_if(waiting, [](const model::ReportWish& one) { return one.wish != Wish::confirm; });
  return waiting;
}

// As tonight's pairs say it, or of a case that broke whether it ran; empty: nothing looked.
Result<std::string> look_text(SubjectContext& context, const model::Night& night, const model::Regression& regression) {
  TBCI_ASSIGN(const auto looks, context.stores.decisions.recovery_looks(regression.id));
  const auto tonight = std::ranges::find(looks, night.id, &model::RecoveryLook::night_id);
  if (tonight == looks.end()) return std::string();
  const bool gone = tonight->verdict == model::Verdict::clear;
  if (regression.finding.series.metric == model::Metric::outcome)
    return fmt::format("{}: {}", github::figures_text(regression.finding), gone ? "ran" : "still fails");
  if (tonight->verdict == model::Verdict::suspect) return std::string();
  const bool there = tonight->verdict == model::Verdict::regression;
  return fmt::format("{}: {}", github::figures_text(regression.finding),
                     gone    ? "gone in pairs with the build before it"
                     : there ? "still there in pairs with the build before it"
                             : "pairs with the build before it do not tell");
}

}  // namespace

Status carry_out(storage::Stores& stores, std::int64_t report_id, const github::Heard& heard, TimePoint now) {
  if (!heard.read) return {};
  return stores.database.transaction([&]() -> Status {
    for (const SaidWish& said : heard.said) TBCI_TRY(carry_out_one(stores, report_id, said, now));
    return forget_labels(stores, report_id, heard);
  });
}

Result<std::set<std::int64_t>> asked_to_confirm(SubjectContext& context) {
  TBCI_ASSIGN(const auto wishes, confirmations(context));
  std::set<std::int64_t> asked;
  for (const model::ReportWish& wish : wishes) {
    TBCI_ASSIGN(const auto regressions, context.stores.nights.regressions_of_report(wish.report_id));
    for (const model::Regression& one : regressions) asked.insert(one.id);
  }
  return asked;
}

Status answer_confirmations(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const auto wishes, confirmations(context));
  for (const model::ReportWish& wish : wishes) {
    TBCI_ASSIGN(const auto regressions, context.stores.nights.regressions_of_report(wish.report_id));
    std::vector<std::string> lines;
    for (const model::Regression& one : regressions) {
      TBCI_ASSIGN(auto line, look_text(context, night, one));
      if (!line.empty()) lines.push_back(std::move(line));
    }
    if (lines.empty()) continue;
    TBCI_ASSIGN(const model::Report report, context.stores.reports.get(wish.report_id));
    const std::string note = github::confirmation_note(lines, night.name, wish.person);
    Status answered = context.stores.database.transaction([&]() -> Status {
      TBCI_TRY(add_note(context.stores, report, note, context.clock.now()));
      return context.stores.wishes.done(wish.id, context.clock.now());
    });
    if (!answered) return answered;
  }
  return {};
}

}  // namespace tbci::pipeline
