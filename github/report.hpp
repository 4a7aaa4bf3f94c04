// The text of an issue. Pure: equal facts, equal report.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/night.hpp"
#include "storage/model/profile.hpp"
#include "storage/model/report.hpp"

namespace tbci::github {

/// GitHub refuses longer bodies. It counts characters; we count bytes, which are never fewer.
inline constexpr std::size_t longest_body_bytes = 65'536;
inline constexpr std::size_t longest_title_bytes = 256;
/// Every report carries this label; earlier issues are looked for under it.
inline constexpr std::string_view report_label = "tbci";

/// Everything that a report says. All texts may be hostile.
struct ReportFacts {
  std::string subject;
  std::string night, baseline;  ///< names of the nightlies; both empty: a bisection by hand
  std::string from, to;         ///< commits: good end, bad end; may be empty
  int commits = 0;              ///< between the two, `to` counted; 0: not known

  std::vector<model::Commit> suspects;  ///< one: the culprit. Several: they cannot be told apart. None: see reason
  std::string reason;                   ///< why there is not exactly one

  std::vector<model::Finding> affected;  ///< at least one
  /// Of the affected cases, metrics that are shown beside and not judged (model::is_secondary). May be empty.
  std::vector<model::Finding> evidence;
  /// What the libraries that come with the two builds differ in, as a sentence; empty: nothing, or not known.
  std::string libraries;
  std::vector<model::Answer> answers;                  ///< of the bisection: culprit against its parent
  int builds = 0;                                      ///< that the bisection asked for
  int measurements = 0;                                ///< worker processes that it ran
  std::optional<model::OperatorComparison> operators;  ///< the culprit held against its parent

  std::string runner;
  std::map<std::string, std::string> environment;  ///< a few facts that a reader wants
  std::string web;  ///< of the repository, `https://github.com/pytorch/pytorch`; empty or no http(s): no links
  std::vector<std::vector<std::string>> commands;  ///< to reproduce it, as argument vectors
  TimePoint generated{};
};

/// Asserts that `affected` is not empty. The id of the report is 0.
model::Report make_report(const ReportFacts& facts);

/// 32 hex digits that name what is reported: the culprit (or the suspects) of that subject, whatever night found it;
/// without them the night (or the two ends) and its series.
std::string marker_of(const ReportFacts& facts);
/// The hidden comment that carries the marker at the end of a body.
std::string marker_comment(std::string_view marker);
/// Does a body, as GitHub gives it back, carry this marker? Hostile text cannot forge one.
bool has_marker(std::string_view body, std::string_view marker);

}  // namespace tbci::github
