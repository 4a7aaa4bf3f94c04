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

Status check_fault_on_gpu(const Fault& fault) {
  const std::vector<std::string>& known = gpu_fault_kinds();
  if (std::find(known.begin(), known.end(), fault.kind) != known.end()) return {};
  return fail(ErrorKind::usage, "fault {} works on the CPU alone; with --gpu choose one of {}", fault.kind,
              join(known, ", "));
}

constexpr const char* kFaultForm = "write KIND[@[DAY:]POSITION][*STRENGTH]";

// `DAY:POSITION`, `DAY:` or `POSITION`.
bool read_place(std::string_view text, Fault& fault) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    fault.day = number_in<int>(text.substr(0, colon));
    if (!fault.day) return false;
    text = text.substr(colon + 1);
    if (text.empty()) return true;
  }
  fault.position = number_in<int>(text);
  return fault.position.has_value();
}

// The first day has no nightly before it, so that a fault in it could not be seen.
Status check_days(const Options& options) {
  if (options.fault_day) TBCI_TRY(check_between("--fault-day", *options.fault_day, 2, options.days));
  for (const Fault& fault : options.faults.value_or(std::vector<Fault>())) {
    TBCI_TRY(
        check_between(fmt::format("the day of fault {}", fault.kind).c_str(), day_of(fault, options), 2, options.days));
  }
  return {};
}

Status check_reverts(const Options& options) {
  if (!options.reverts.empty() && options.unbuildable_beside_culprit)
    return fail(ErrorKind::usage, "--revert and --unbuildable-beside-culprit contradict each other: leave one out");
  std::set<std::string> seen;
  for (const Revert& revert : options.reverts) {
    const std::vector<Fault> faults = options.faults.value_or(std::vector<Fault>());
    const auto same = [&](const Fault& fault) { return fault.kind == revert.kind; };
    const auto fault = std::find_if(faults.begin(), faults.end(), same);
    if (fault == faults.end())
      return fail(ErrorKind::usage, "--revert {}: there is no such fault; name one of --fault", revert.kind);
    if (!seen.insert(revert.kind).second)
      return fail(ErrorKind::usage, "--revert {} is given twice; a fault is taken back once", revert.kind);
    TBCI_TRY(check_between(fmt::format("the day of --revert {}", revert.kind).c_str(), revert.day,
                           day_of(*fault, options) + 1, options.days));
  }
  return {};
}

}  // namespace

int day_of(const Fault& fault, const Options& options) {
  return fault.day.value_or(options.fault_day.value_or(options.days));
}

const std::vector<std::string>& fault_kinds() {
  static const std::vector<std::string> kinds = {
      "activation-validity",   "addmm-dtype",    "all-to-all-checksum", "embedding-bag-bounds",
      "embedding-bag-refusal", "error-handling", "fused-convolution",   "library-configuration",
      "memory-kept",           "memory-peak",    "tanh-crash",          "tanh-overflow"};
  return kinds;
}

const std::vector<std::string>& gpu_fault_kinds() {
  static const std::vector<std::string> kinds = {"addmm-dtype",  "embedding-bag-refusal", "error-handling",
                                                 "memory-kept",  "memory-peak",           "tanh-crash",
                                                 "tanh-overflow"};
  return kinds;
}

const char* default_fault(const Options& options) {
  return options.gpu ? "addmm-dtype" : "embedding-bag-bounds";
}

Result<Fault> parse_fault(std::string_view text) {
  Fault fault;
  const std::size_t star = text.find('*');
  if (star != std::string_view::npos) {
    const auto strength = number_in<double>(text.substr(star + 1));
    if (!strength) {
      return fail(ErrorKind::usage, "fault '{}': the strength behind * is not a number; {}", one_line(text, 80),
                  kFaultForm);
    }
    fault.strength = *strength;
    text = text.substr(0, star);
  }
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!read_place(text.substr(at + 1), fault)) {
      return fail(ErrorKind::usage, "fault '{}': the position behind @ is not a whole number; {}", one_line(text, 80),
                  kFaultForm);
    }
    text = text.substr(0, at);
  }
  fault.kind = text;
  TBCI_TRY(check_fault(fault));
  return fault;
}

Result<Revert> parse_revert(std::string_view text) {
  const std::size_t at = text.find('@');
  const auto day = at == std::string_view::npos ? std::nullopt : number_in<int>(text.substr(at + 1));
  if (at == 0 || !day)
    return fail(ErrorKind::usage, "--revert '{}' does not say what and when; write KIND@DAY", one_line(text, 80));
  return Revert{.kind = std::string(text.substr(0, at)), .day = *day};
}

Status check(const Options& options) {
  TBCI_TRY(check_between("--days", options.days, 2, kMostDays));
  TBCI_TRY(check_between("--commits", options.commits, kFewestCommits, kMostCommits));
  std::set<std::string> seen;
  for (const Fault& fault : options.faults.value_or(std::vector<Fault>())) {
    TBCI_TRY(check_fault(fault));
    if (options.gpu) TBCI_TRY(check_fault_on_gpu(fault));
    if (!seen.insert(fault.kind).second) {
      return fail(ErrorKind::usage, "fault {} is given twice; each kind can be used once", fault.kind);
    }
  }
  TBCI_TRY(check_days(options));
  return check_reverts(options);
}

}  // namespace tbci::miniature
