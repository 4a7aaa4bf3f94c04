#include "tests/bench/thousand_nights/facts.hpp"

#include <algorithm>
#include <limits>

namespace tbci::thousand {

namespace {

constexpr int everything = std::numeric_limits<int>::max();

Result<std::size_t> commit_named(const Years& years, const std::string& name) {
  if (const PublishedNightly* nightly = years.history().nightly(name)) return nightly->commit;
  if (const auto commit = years.history().index_of(name)) return *commit;
  return fail(ErrorKind::failed, "the program speaks of '{}', which does not exist", name);
}

// The anchor may be the build that a suspect of the screen was confirmed against, too.
Result<bool> is_crept(Years& years, const Facts& facts, const model::Regression& regression,
                      const std::string& old_build) {
  if (std::ranges::find(facts.anchors, old_build, &AnchorSet::nightly) == facts.anchors.end()) return false;
  TBCI_ASSIGN(const auto screened, years.stores().nights.findings(regression.night_id, storage::Phase::screen));
  return std::ranges::none_of(screened, [&](const model::Finding& finding) {
    return finding.series == regression.finding.series && finding.verdict == model::Verdict::suspect;
  });
}

Result<Told> told_of(Years& years, const Facts& facts, const model::Night& night, const model::Regression& regression) {
  Told told;
  told.regression = regression;
  told.night = night.name;
  told.nightly = facts.numbers.at(night.name);
  const std::string& old_build = regression.old_build.empty() ? night.baseline : regression.old_build;
  TBCI_ASSIGN(told.old_commit, commit_named(years, old_build));
  TBCI_ASSIGN(told.new_commit, commit_named(years, night.name));
  const auto measured = years.history().case_of(regression.finding.series.measured_case());
  const auto aspect = aspect_of(regression.finding.series.metric);
  if (!measured || !aspect) return fail(ErrorKind::failed, "no such series: {}", to_string(regression.finding.series));
  told.measured = *measured;
  told.aspect = *aspect;
  for (const std::string& suspect : regression.suspects) {
    TBCI_ASSIGN(const std::size_t commit, commit_named(years, suspect));
    told.suspects.push_back(commit);
  }
  std::sort(told.suspects.begin(), told.suspects.end());
  TBCI_ASSIGN(told.crept, is_crept(years, facts, regression, old_build));
  return told;
}

Status read_nights(Years& years, const std::string& subject, Facts& facts) {
  const auto& nightlies = years.history().nightlies();
  for (std::size_t i = 0; i < nightlies.size(); ++i) facts.numbers.emplace(nightlies[i].name, i);
  TBCI_ASSIGN(facts.nights, years.stores().nights.list(subject, everything));
  std::sort(facts.nights.begin(), facts.nights.end(), [&](const model::Night& a, const model::Night& b) {
    return facts.numbers.at(a.name) < facts.numbers.at(b.name);
  });
  for (const model::Night& night : facts.nights) {
    const std::size_t number = facts.numbers.at(night.name);
    if (night.stage == model::Stage::done)
      facts.checked.push_back({number, nightlies[number].commit, night.id, night.started});
  }
  return {};
}

Status read_anchors(Years& years, const std::string& subject, Facts& facts) {
  TBCI_ASSIGN(const auto acts, years.stores().anchors.acts(subject, everything));
  for (const model::Anchor& act : acts) {
    if (!act.build_id) continue;
    TBCI_ASSIGN(const model::Build build, years.stores().builds.get(*act.build_id));
    TBCI_ASSIGN(const std::size_t commit, commit_named(years, build.name));
    facts.anchors.push_back({act.set, build.name, commit});
  }
  std::ranges::reverse(facts.anchors);
  return {};
}

Status read_improvements(Years& years, Facts& facts) {
  for (const model::Night& night : facts.nights) {
    TBCI_ASSIGN(auto improvements, years.stores().improvements.of_night(night.id));
    for (model::Improvement& improvement : improvements)
      facts.improvements.push_back({std::move(improvement), night.name});
  }
  for (const Told& told : facts.told) {
    TBCI_ASSIGN(const auto ending, years.stores().improvements.ending_of(told.regression.id));
    if (!ending) continue;
    TBCI_ASSIGN(const model::Night night, years.stores().nights.get(ending->night_id));
    TBCI_ASSIGN(const model::Night since, years.stores().nights.get(ending->since_id));
    facts.endings.push_back({*ending, night.name, since.name});
  }
  return {};
}

}  // namespace

Result<Facts> facts_of(Years& years) {
  Facts facts;
  const std::string& subject = years.config().subjects.front().name;
  TBCI_TRY(read_nights(years, subject, facts));
  TBCI_TRY(read_anchors(years, subject, facts));
  for (const model::Night& night : facts.nights) {
    TBCI_ASSIGN(const auto regressions, years.stores().nights.regressions(night.id));
    for (const model::Regression& regression : regressions) {
      TBCI_ASSIGN(Told told, told_of(years, facts, night, regression));
      facts.told.push_back(std::move(told));
    }
  }
  TBCI_TRY(read_improvements(years, facts));
  TBCI_ASSIGN(auto reports, years.stores().reports.list(subject, everything));
  for (model::Report& report : reports) facts.reports.emplace(report.id, std::move(report));
  TBCI_ASSIGN(facts.events, years.stores().events.latest(subject, everything));
  return facts;
}

const AnchorSet* anchor_of(const Facts& facts, const Checked& night) {
  const auto later = std::ranges::find_if(facts.anchors, [&](const AnchorSet& set) { return set.at > night.started; });
  return later == facts.anchors.begin() ? nullptr : &*std::prev(later);
}

bool is_muted(const Diary& diary, const model::Series& series, std::span<const Checked> nights) {
  return std::ranges::any_of(diary.words, [&](const PersonsWord& word) {
    const bool mutes = word.nightly.empty() && word.series == series;
    return mutes && std::ranges::any_of(nights, [&](const Checked& night) {
             return word.from <= night.started + std::chrono::days(1) && night.started <= word.until;
           });
  });
}

}  // namespace tbci::thousand
