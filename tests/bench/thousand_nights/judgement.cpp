#include "tests/bench/thousand_nights/judgement.hpp"

#include "base/assert.hpp"

namespace tbci::thousand {

std::string_view to_string(Wrong wrong) {
  switch (wrong) {
    case Wrong::missed:
      return "missed";
    case Wrong::twice:
      return "reported twice";
    case Wrong::found_again:
      return "found again";
    case Wrong::no_cause:
      return "no cause";
    case Wrong::wrong_culprit:
      return "wrong culprit";
    case Wrong::no_culprit:
      return "no culprit";
    case Wrong::vague_culprit:
      return "vague culprit";
    case Wrong::not_in_text:
      return "not in the text";
    case Wrong::not_delivered:
      return "not delivered";
    case Wrong::stands_still:
      return "stands still";
    case Wrong::late:
      return "late";
    case Wrong::failed_night:
      return "failed night";
    case Wrong::never_ends:
      return "never ends";
    case Wrong::event_no_cause:
      return "event without cause";
    case Wrong::creep_overlooked:
      return "creep overlooked";
    case Wrong::rotation:
      return "rotation";
    case Wrong::cost:
      return "cost";
    case Wrong::service:
      return "service";
    case Wrong::gain_missed:
      return "improvement missed";
    case Wrong::gain_twice:
      return "improvement found twice";
    case Wrong::gain_no_cause:
      return "improvement without cause";
    case Wrong::gain_wrong_commit:
      return "improvement by a wrong commit";
    case Wrong::gain_no_commit:
      return "improvement without its commit";
    case Wrong::gain_waits:
      return "improvement waits";
    case Wrong::wrong_ending:
      return "wrong ending";
  }
  TBCI_ASSERT(false);
}

Result<Judgement> judge(Years& years) {
  Judgement judgement;
  judgement.seed = years.size().seed;
  TBCI_ASSIGN(const Facts facts, facts_of(years));
  judge_nights(years, facts, judgement);
  judge_steps(years, facts, judgement);
  judge_reports(years, facts, judgement);
  judge_states(years, facts, judgement);
  TBCI_TRY(judge_events(years, facts, judgement));
  TBCI_TRY(judge_improvements(years, facts, judgement));
  TBCI_TRY(judge_cost(years, facts, judgement));
  for (const std::string& error : years.diary().errors)
    judgement.complaints.push_back(
        {.wrong = Wrong::service, .night = "", .series = "", .expected = "no error", .came = error});
  return judgement;
}

}  // namespace tbci::thousand
