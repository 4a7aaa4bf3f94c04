#include "series_io/units.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace tbci::series_io {

namespace {

struct Known {
  std::string_view name;
  Dimension dimension;
  double factor;
};

constexpr double kib = 1024;
constexpr std::array known_units = {
    Known{"ns", Dimension::time, 1},
    Known{"us", Dimension::time, 1e3},
    Known{"\xC2\xB5s", Dimension::time, 1e3},  // the micro sign
    Known{"\xCE\xBCs", Dimension::time, 1e3},  // the Greek letter
    Known{"ms", Dimension::time, 1e6},
    Known{"s", Dimension::time, 1e9},
    Known{"bytes", Dimension::memory, 1},
    Known{"B", Dimension::memory, 1},
    Known{"KiB", Dimension::memory, kib},
    Known{"MiB", Dimension::memory, kib* kib},
    Known{"GiB", Dimension::memory, kib* kib* kib},
    Known{"TiB", Dimension::memory, kib* kib* kib* kib},
    Known{"kB", Dimension::memory, 1e3},
    Known{"KB", Dimension::memory, 1e3},
    Known{"MB", Dimension::memory, 1e6},
    Known{"GB", Dimension::memory, 1e9},
    Known{"TB", Dimension::memory, 1e12},
    Known{"instructions", Dimension::count, 1},
};

constexpr std::string_view per_iteration = "/iteration";

Dimension dimension_of(model::Metric metric) {
  if (metric == model::Metric::time) return Dimension::time;
  return metric == model::Metric::instructions ? Dimension::count : Dimension::memory;
}

model::Metric usual_metric(Dimension dimension) {
  if (dimension == Dimension::time) return model::Metric::time;
  return dimension == Dimension::count ? model::Metric::instructions : model::Metric::cpu_memory;
}

}  // namespace

Result<Unit> unit_from(std::string_view text) {
  std::string_view plain = text;
  if (plain.ends_with(per_iteration)) plain.remove_suffix(per_iteration.size());
  std::vector<std::string> names;
  for (const Known& known : known_units) {
    if (known.name == plain) return Unit{std::string(text), known.dimension, known.factor};
    if (std::ranges::find(names, known.name) == names.end()) names.emplace_back(known.name);
  }
  return fail(ErrorKind::usage, "unknown unit '{}'{}: one of {}", one_line(text, 40),
              did_you_mean(one_line(text, 40), names), join(names, ", "));
}

Unit unit_of(model::Metric metric) {
  switch (dimension_of(metric)) {
    case Dimension::time:
      return {"ns", Dimension::time, 1};
    case Dimension::memory:
      return {"bytes", Dimension::memory, 1};
    case Dimension::count:
      break;
  }
  return {"instructions", Dimension::count, 1};
}

Result<model::Metric> metric_of(std::string_view series, const std::string& named, const Unit* unit) {
  const auto agreed = [&](model::Metric metric) -> Result<model::Metric> {
    if (metric == model::Metric::outcome)
      return fail(ErrorKind::usage, "'outcome' is not a number: a file of series cannot have it as its metric");
    if (unit == nullptr || unit->dimension == dimension_of(metric)) return metric;
    return fail(ErrorKind::usage, "{} is not measured in {}: correct 'unit' or 'metric'", to_string(metric),
                one_line(unit->name, 40));
  };
  if (!named.empty()) {
    TBCI_ASSIGN(const model::Metric metric, model::metric_from(named));
    return agreed(metric);
  }
  const std::size_t slash = series.rfind('/');
  if (slash != std::string_view::npos) {
    if (const auto metric = model::metric_from(series.substr(slash + 1))) return agreed(*metric);
  }
  return unit == nullptr ? model::Metric::time : usual_metric(unit->dimension);
}

}  // namespace tbci::series_io
