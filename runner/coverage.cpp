#include "runner/coverage.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "runner/json_fields.hpp"

namespace tbci::runner {

namespace {

using nlohmann::json;

// Operator names contain only letters, digits, dots, colons and underscores.
bool plausible(const std::string& name) {
  return !name.empty() && name.size() < 200 && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == ':';
  });
}

Result<OperatorCalls> read_calls(const json& line) {
  const auto refuse = [] { return fail(ErrorKind::failed, "the worker printed an invalid line of operators"); };
  const auto below = line.find("below_autograd"), deep = line.find("at_any_depth");
  if (below == line.end() || !below->is_object() || deep == line.end() || !deep->is_array()) return refuse();
  OperatorCalls calls;
  for (const auto& [name, count] : below->items()) {
    if (!plausible(name) || !count.is_number_unsigned()) return refuse();
    calls.below_autograd[name] = count.get<std::int64_t>();
  }
  for (const json& name : *deep) {
    if (!name.is_string() || !plausible(name.get_ref<const std::string&>())) return refuse();
    calls.at_any_depth.insert(name.get<std::string>());
  }
  return calls;
}

bool of_aten(const std::string& name) {
  return name.starts_with("aten.");
}

void add(Coverage::Sets& sets, const std::string& name, bool train) {
  sets.all.insert(name);
  (train ? sets.train : sets.infer).insert(name);
}

}  // namespace

Result<OperatorCalls> parse_operators(std::string_view output) {
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).empty()) continue;
    const json parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object()) return fail(ErrorKind::failed, "the worker did not print JSON: {}", one_line(line, 80));
    const std::string type = text_field(parsed, "type");
    if (type == "error")
      return fail(ErrorKind::failed, "{}: {}", text_field(parsed, "kind"), text_field(parsed, "message", 300));
    if (type == "operators") return read_calls(parsed);
  }
  return fail(ErrorKind::failed,
              "the worker did not report its operators: rebuild it, or use a worker that supports `operators`");
}

std::set<std::string> Coverage::names() const {
  std::set<std::string> all;
  for (const std::string& name : at_any_depth.all) all.insert(name.substr(0, name.rfind('.')));
  return all;
}

Coverage coverage_of(const std::vector<Reached>& reached) {
  Coverage coverage;
  std::map<std::string, std::set<std::string>> benchmarks_of;
  for (const Reached& one : reached) {
    const auto& like = mlperf_like();
    const bool mlperf = std::ranges::find(like, one.benchmark) != like.end();
    for (const std::string& name : one.calls.at_any_depth) {
      if (!of_aten(name)) {
        coverage.of_other_libraries.insert(name);
        continue;
      }
      add(coverage.at_any_depth, name, one.train);
      add(coverage.by_domain[one.domain], name, one.train);
      benchmarks_of[name].insert(one.benchmark);
      if (mlperf) coverage.mlperf.insert(name);
    }
    for (const auto& [name, count] : one.calls.below_autograd) {
      if (!of_aten(name)) continue;
      add(coverage.below_autograd, name, one.train);
      if (mlperf) coverage.mlperf_below_autograd.insert(name);
    }
  }
  for (const auto& [name, benchmarks] : benchmarks_of) {
    if (benchmarks.size() == 1) coverage.by_one_alone.emplace(name, *benchmarks.begin());
  }
  return coverage;
}

const std::vector<std::string>& mlperf_like() {
  static const std::vector<std::string> names = {"resnet50", "vision_maskrcnn", "hf_Bert_large", "dlrm",
                                                 "speech_transformer"};
  return names;
}

}  // namespace tbci::runner
