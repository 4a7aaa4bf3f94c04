#include "detect/timeline/what_if.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "detect/timeline/categories.hpp"
#include "detect/timeline/operator_step.hpp"
#include "detect/timeline/step.hpp"

namespace tbci::detect {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> cost_units{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}}};

// The whole text as a number.
std::optional<double> finite_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

// `+500ns`, `-2us`: with its sign, as a plain number is a factor.
std::optional<double> cost_of_a_call(std::string_view text) {
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  for (const auto& [unit, nanoseconds] : cost_units) {
    if (!text.ends_with(unit)) continue;
    const auto number = finite_number(text.substr(1, text.size() - 1 - unit.size()));
    if (!number || *number < 0) return std::nullopt;
    return (text.front() == '-' ? -1 : 1) * *number * nanoseconds;
  }
  return std::nullopt;
}

// `aten::addmm.out` as recordings have it.
std::string name_in_recordings(std::string_view name) {
  std::string text(name);
  if (const auto colons = text.find("::"); colons != std::string::npos) text.replace(colons, 2, ".");
  return text;
}

double kernel_time(const CallGroup& group, const GroupTime& spent, const IterationParts& parts) {
  const double least_call = StepThresholds().long_call * parts.dispatch_nanoseconds;
  const bool computes = purpose_of(group.name) == Purpose::compute || is_copy(group.name);
  if (!computes || (!spent.kernel && spent.own <= spent.calls * least_call)) return 0;
  return spent.own - time_of_faults(spent, parts.fault_nanoseconds);
}

}  // namespace

Result<SupposedChange> supposed_change_from(std::string_view text) {
  const auto equals = text.rfind('=');
  if (equals != std::string_view::npos && equals > 0) {
    SupposedChange change{.name = name_in_recordings(text.substr(0, equals))};
    const std::string_view value = text.substr(equals + 1);
    if (const auto cost = cost_of_a_call(value)) {
      change.more = *cost;
      return change;
    }
    const auto factor = finite_number(value);
    if (factor && *factor >= 0 && value.front() != '-') {
      change.factor = *factor;
      return change;
    }
  }
  return fail(ErrorKind::usage,
              "'{}' is not a change of an operator: write OPERATOR=FACTOR, such as aten.addmm=1.2, or what each call "
              "costs more, such as aten.addmm=+500ns",
              one_line(text, 80));
}

bool is_named(const SupposedChange& change, std::string_view operator_name) {
  if (!operator_name.starts_with(change.name)) return false;
  const std::string_view rest = operator_name.substr(change.name.size());
  // `aten.add` does not mean aten.addmm, and a name with an overload means that one.
  return rest.empty() || (rest.front() == '.' && std::ranges::count(change.name, '.') == 1);
}

SupposedTime supposed_time(const IterationParts& parts, std::span<const SupposedChange> changes) {
  // With tens of thousands of calls some of what the recorder costs stays in the recorded iteration.
  SupposedTime time{.before = parts.unwatched > 0 ? parts.unwatched : parts.whole};
  time.after = time.before;
  for (const auto& [group, spent] : parts.groups) {
    double factor = 1, more = 0;
    bool named = false;
    for (const SupposedChange& change : changes) {
      if (!is_named(change, group.name)) continue;
      named = true;
      factor *= change.factor;
      more += change.more;
    }
    if (!named) continue;
    const double kernel = kernel_time(group, spent, parts);
    time.kernels += kernel;
    time.calls += spent.calls;
    time.after += kernel * (factor - 1) + spent.calls * more;
  }
  time.after = std::max(time.after, 0.0);
  return time;
}

std::vector<std::string> operator_names(const RecordedParts& recordings) {
  std::set<std::string> names;
  for (const IterationParts& parts : recordings) {
    for (const auto& [group, time] : parts.groups) {
      const auto space = group.name.find('.');
      const auto overload = space == std::string::npos ? space : group.name.find('.', space + 1);
      names.insert(group.name.substr(0, overload));
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace tbci::detect
