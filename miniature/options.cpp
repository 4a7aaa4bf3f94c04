#include "miniature/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/text.hpp"

namespace tbci::miniature {
namespace {

constexpr int kMostDays = 365;
constexpr int kMostCommits = 1000;
constexpr int kFewestCommits = 5;
constexpr double kGreatestStrength = 1000;

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Status check_between(const char* option, int value, int low, int high) {
  if (value >= low && value <= high) return {};
  return fail(ErrorKind::usage, "{} is {}, but must be between {} and {}", option, value, low, high);
}

Status check_fault(const Fault& fault) {
  const std::vector<std::string>& known = fault_kinds();
  if (std::find(known.begin(), known.end(), fault.kind) == known.end()) {
    return fail(ErrorKind::usage, "unknown kind of fault '{}'{}; choose one of {}", one_line(fault.kind, 60),
                did_you_mean(fault.kind, known), join(known, ", "));
  }
  if (!std::isfinite(fault.strength) || fault.strength <= 0 || fault.strength > kGreatestStrength) {
    return fail(ErrorKind::usage, "the strength of fault {} is {}, but must be above 0 and at most {}", fault.kind,
                fault.strength, kGreatestStrength);
  }
  return {};
}

}  // namespace

const std::vector<std::string>& fault_kinds() {
  static const std::vector<std::string> kinds = {"activation-validity",   "addmm-dtype",    "embedding-bag-bounds",
                                                 "embedding-bag-refusal", "error-handling", "library-configuration",
                                                 "memory-kept",           "memory-peak",    "tanh-crash",
                                                 "tanh-overflow"};
  return kinds;
}

Result<Fault> parse_fault(std::string_view text) {
  Fault fault;
  const std::size_t star = text.find('*');
  if (star != std::string_view::npos) {
    const auto strength = number_in<double>(text.substr(star + 1));
    if (!strength) {
      return fail(ErrorKind::usage,
                  "fault '{}': the strength behind * is not a number; write KIND[@POSITION][*STRENGTH]",
                  one_line(text, 80));
    }
    fault.strength = *strength;
    text = text.substr(0, star);
  }
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    fault.position = number_in<int>(text.substr(at + 1));
    if (!fault.position) {
      return fail(ErrorKind::usage,
                  "fault '{}': the position behind @ is not a whole number; "
                  "write KIND[@POSITION][*STRENGTH]",
                  one_line(text, 80));
    }
    text = text.substr(0, at);
  }
  fault.kind = text;
  TBCI_TRY(check_fault(fault));
  return fault;
}

Status check(const Options& options) {
  TBCI_TRY(check_between("--days", options.days, 2, kMostDays));
  TBCI_TRY(check_between("--commits", options.commits, kFewestCommits, kMostCommits));
  // The first day has no nightly before it, so that a fault in it could not be seen.
  if (options.fault_day) TBCI_TRY(check_between("--fault-day", *options.fault_day, 2, options.days));
  std::set<std::string> seen;
  for (const Fault& fault : options.faults.value_or(std::vector<Fault>())) {
    TBCI_TRY(check_fault(fault));
    if (!seen.insert(fault.kind).second) {
      return fail(ErrorKind::usage, "fault {} is given twice; each kind can be used once", fault.kind);
    }
  }
  return {};
}

}  // namespace tbci::miniature
