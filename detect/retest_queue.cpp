#include "detect/retest_queue.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tbci::detect {

namespace {

double pressing(const Question& question) {
  return std::abs(question.suspected) * (1 + question.nights_waited);
}

}  // namespace

std::vector<Question> questions_of(std::span<const Suspect> suspects, std::span<const Question> carried,
                                   const std::string& tonights_build) {
  std::map<model::Series, Question> by_series;
  for (const Question& question : carried) by_series.emplace(question.series, question);
  for (const Suspect& suspect : suspects) {
    const model::Finding& finding = suspect.finding;
    if (finding.verdict != model::Verdict::suspect) continue;
    const auto known = by_series.find(finding.series);
    if (known == by_series.end()) {
      by_series[finding.series] = {.series = finding.series,
                                   .old_build = suspect.old_build,
                                   .pairs = {},
                                   .nights_looked = 0,
                                   .nights_waited = 0,
                                   .suspected = finding.change,
                                   .first_suspect = tonights_build};
    } else if (std::abs(finding.change) > std::abs(known->second.suspected)) {
      known->second.suspected = finding.change;
    }
  }
  std::vector<Question> questions;
  for (auto& [series, question] : by_series) questions.push_back(std::move(question));
  std::stable_sort(questions.begin(), questions.end(),
                   [](const Question& a, const Question& b) { return pressing(a) > pressing(b); });
  return questions;
}

std::vector<Question> carried_on(std::span<const Outcome> outcomes, const Thresholds& thresholds) {
  std::vector<Question> carried;
  for (const Outcome& outcome : outcomes) {
    Question question = outcome.question;
    if (!outcome.looked) {
      ++question.nights_waited;
      carried.push_back(std::move(question));
      continue;
    }
    ++question.nights_looked;
    question.nights_waited = 0;
    const bool open = outcome.finding.verdict == model::Verdict::inconclusive ||
                      outcome.finding.verdict == model::Verdict::suspect;  // cut off in the middle
    if (!open || outcome.measured.empty() || question.nights_looked >= thresholds.most_nights) continue;
    question.pairs.insert(question.pairs.end(), outcome.measured.begin(), outcome.measured.end());
    carried.push_back(std::move(question));
  }
  return carried;
}

std::vector<Question> begun_anew(std::span<const Question> carried) {
  std::vector<Question> questions(carried.begin(), carried.end());
  for (Question& question : questions) question.pairs.clear();
  return questions;
}

}  // namespace tbci::detect
