#include "storage/model/skipped_nightly.hpp"

#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<SkipCause> skip_causes = {
    {SkipCause::incomplete, "incomplete"}, {SkipCause::yanked, "yanked"}, {SkipCause::missing, "missing"},
    {SkipCause::unchecked, "unchecked"},   {SkipCause::broken, "broken"}, {SkipCause::failed, "failed"},
    {SkipCause::unfinished, "unfinished"},
};

// What the cause is called, without its reason.
std::string_view brief(const SkippedNightly& one) {
  switch (one.cause) {
    case SkipCause::incomplete:
      if (one.given_up && one.arrived) return "complete too late";
      if (one.given_up) return "never complete";
      return one.arrived ? "not checked yet" : "not complete yet";
    case SkipCause::yanked:
      return "yanked";
    case SkipCause::missing:
      if (one.given_up && one.arrived) return "published too late";
      if (one.arrived) return "not checked yet";
      return one.given_up ? "no nightly of that day" : "no nightly of that day yet";
    case SkipCause::unchecked:
      return "never checked";
    case SkipCause::broken:
      return "cannot be installed";
    case SkipCause::failed:
      return "failed";
    case SkipCause::unfinished:
      return "not finished yet";
  }
  return {};
}

}  // namespace

std::string_view to_string(SkipCause cause) {
  return name_of(cause, skip_causes);
}

Result<SkipCause> skip_cause_from(std::string_view text) {
  return value_of_name(text, skip_causes, "cause of a skipped nightly");
}

bool is_waited_for(const SkippedNightly& one) {
  const bool may_come = one.cause == SkipCause::incomplete || one.cause == SkipCause::missing;
  return may_come && !one.arrived && !one.given_up;
}

bool has_arrived(const SkippedNightly& one) {
  return one.arrived && !one.given_up;
}

std::string why_skipped(const SkippedNightly& one) {
  const std::string_view cause = brief(one);
  if (one.reason.empty()) return std::string(cause);
  // The index says `yanked: wrong wheel`, and a night `given up after 12 tries: ...`.
  const bool says_it_all = one.cause == SkipCause::failed || one.reason.starts_with(cause);
  return says_it_all ? one.reason : fmt::format("{}: {}", cause, one.reason);
}

}  // namespace tbci::model
