#include "runner/protocol.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "runner/hello.hpp"
#include "runner/json_fields.hpp"

namespace tbci::runner {

namespace {

using nlohmann::json;

// A day per iteration, a pebibyte of memory: larger values are invalid.
constexpr std::int64_t longest_iteration_ns = std::int64_t{24} * 3600 * 1000000000;
constexpr std::int64_t largest_bytes = std::int64_t{1} << 50;
constexpr std::int64_t most_instructions = std::int64_t{1} << 60;

std::optional<double> real(const json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  const bool sane = std::isfinite(value) && std::abs(value) <= static_cast<double>(largest_bytes);
  return sane ? std::optional(value) : std::nullopt;
}

std::optional<json> parse_object(std::string_view line) {
  if (line.size() > longest_protocol_line) return std::nullopt;
  // The protocol needs no deeper nesting, and a deeply nested line would exhaust the stack.
  const auto depth_limit = [](int depth, json::parse_event_t, json&) { return depth < 8; };
  json parsed = json::parse(line.begin(), line.end(), depth_limit, false);
  if (!parsed.is_object()) return std::nullopt;
  return parsed;
}

std::string shown(std::string_view line) {
  return "'" + one_line(line.substr(0, 400), 120) + "'";
}

std::optional<model::Compiling> compiling(const json& fields) {
  const auto time = integer_field(fields, "compile_nanoseconds", 0, longest_iteration_ns);
  if (!time) return std::nullopt;
  const auto difference = fields.find("difference");
  const bool has_difference = difference != fields.end() && difference->is_number();
  return model::Compiling{.time = std::chrono::nanoseconds(*time),
                          .unsteady_iterations = integer_field(fields, "unsteady_iterations", 0, 1 << 30).value_or(0),
                          .difference = has_difference ? difference->get<double>() : 0};
}

// All three parts or none.
std::optional<model::GpuSplit> gpu_split(const json& line) {
  const auto part = [&](const char* name) { return integer_field(line, name, 0, longest_iteration_ns); };
  const auto active = part("gpu_active_nanoseconds"), movement = part("gpu_movement_nanoseconds"),
             idle = part("gpu_idle_nanoseconds");
  if (!active || !movement || !idle) return std::nullopt;
  return model::GpuSplit{.active = std::chrono::nanoseconds(*active),
                         .movement = std::chrono::nanoseconds(*movement),
                         .idle = std::chrono::nanoseconds(*idle)};
}

// All four parts or none.
std::optional<model::GpuLoad> gpu_load(const json& line) {
  constexpr std::int64_t most = 1 << 20, all_bits = std::numeric_limits<std::int64_t>::max();
  const auto low = integer_field(line, "gpu_sm_mhz_low", 0, most),
             high = integer_field(line, "gpu_sm_mhz_high", 0, most),
             celsius = integer_field(line, "gpu_celsius", 0, most),
             reasons = integer_field(line, "gpu_held_down_by", 0, all_bits);
  if (!low || !high || !celsius || !reasons) return std::nullopt;
  return model::GpuLoad{.sm_mhz_low = *low, .sm_mhz_high = *high, .celsius = *celsius, .held_down_by = *reasons};
}

}  // namespace

struct ProtocolReader::Line {
  const json& fields;
};

ProtocolReader::ProtocolReader(Expected expected) : expected_(std::move(expected)) {
  measurement_.measured = expected_.measured;
}

bool ProtocolReader::take(std::string_view line) {
  if (broken()) return false;
  ++lines_;
  if (const std::string wrong = read(line); !wrong.empty()) violation_ = fmt::format("line {}: {}", lines_, wrong);
  return !broken();
}

std::string ProtocolReader::read(std::string_view text_line) {
  if (state_ == State::done || state_ == State::failed) return "a line after the last one: " + shown(text_line);
  if (text_line.size() > longest_protocol_line)
    return fmt::format("a line longer than {} bytes: {}", longest_protocol_line, shown(text_line));
  const auto parsed = parse_object(text_line);
  if (!parsed) return "not a JSON object: " + shown(text_line);
  const Line line{*parsed};
  const std::string type = text_field(*parsed, "type");
  if (type == "error") return error(line);
  if (state_ == State::start) return type == "hello" ? hello(line) : "hello must come first: " + shown(text_line);
  if (type == "sample") return sample(line);
  if (type == "memory") return memory(line);
  if (type == "evidence") return evidence(line);
  if (type == "done") return finish(line);
  if (type == "hello") return "a second hello";
  return fmt::format("protocol {} has no '{}' line here", protocol_version, one_line(type, 40));
}

std::string ProtocolReader::hello(const Line& line) {
  const auto protocol = integer_field(line.fields, "protocol", 0, 1000000);
  if (!protocol) return "hello has no protocol version";
  if (*protocol != protocol_version) {
    return fmt::format("the worker speaks protocol {}, but tbci speaks {}: rebuild the worker", *protocol,
                       protocol_version);
  }
  if (const std::string wrong = wrong_case(line.fields, expected_.measured, "measures"); !wrong.empty())
    return "it " + wrong;
  if (const std::string precision = text_field(line.fields, "precision", 20); precision != expected_.precision) {
    // A suite without precisions computes in 32 bits.
    if (!precision.empty() || expected_.precision != default_precision)
      return fmt::format("it computes in '{}' instead of {}", precision, expected_.precision);
  }
  measurement_.torch_version = text_field(line.fields, "torch_version", 80);
  measurement_.torch_git = text_field(line.fields, "torch_git", 80);
  state_ = State::greeted;
  return {};
}

std::string ProtocolReader::sample(const Line& line) {
  const std::size_t count = measurement_.nanoseconds.size();
  const auto iteration = integer_field(line.fields, "iteration", 0, 1 << 30);
  if (!iteration || static_cast<std::size_t>(*iteration) != count) return fmt::format("not sample {}", count);
  if (count >= expected_.iterations) return fmt::format("more than the requested {} samples", expected_.iterations);
  const auto nanoseconds = integer_field(line.fields, "nanoseconds", 1, longest_iteration_ns);
  if (!nanoseconds) return fmt::format("sample {} has invalid nanoseconds", count);
  // A counter may become unavailable between samples. Then its counts are useless, but the times are still valid.
  const auto instructions = integer_field(line.fields, "instructions", 1, most_instructions);
  if (instructions && measurement_.instructions.size() == count) {
    measurement_.instructions.push_back(*instructions);
  } else {
    measurement_.instructions.clear();
  }
  measurement_.nanoseconds.push_back(*nanoseconds);
  return {};
}

std::string ProtocolReader::memory(const Line& line) {
  if (memory_seen_) return "a second memory line";
  memory_seen_ = true;
  std::string wrong;
  const auto bytes = [&](const char* name, std::optional<std::int64_t>& into) {
    into = integer_field(line.fields, name, 0, largest_bytes);
    if (!into && line.fields.contains(name)) wrong = fmt::format("{} is not a valid number of bytes", name);
  };
  const auto number = [&](const std::string& name) {
    const auto found = real(line.fields, name.c_str());
    if (!found && line.fields.contains(name)) wrong = fmt::format("{} is not a valid number of bytes", name);
    return found;
  };
  const auto growth = [&](const std::string& of, std::optional<double>& into, std::optional<model::Interval>& within) {
    into = number(of + "_growth_bytes");
    const auto low = number(of + "_growth_low_bytes"), high = number(of + "_growth_high_bytes");
    if (!into || !low || !high) return;
    if (*low <= *into && *into <= *high) {
      within = {.low = *low, .high = *high};
    } else {
      wrong = fmt::format("{}_growth_bytes is outside its interval", of);
    }
  };
  bytes("cpu_peak_bytes", measurement_.cpu_peak_bytes);
  bytes("gpu_peak_bytes", measurement_.gpu_peak_bytes);
  bytes("gpu_reserved_peak_bytes", measurement_.gpu_reserved_peak_bytes);
  measurement_.gpu_load = gpu_load(line.fields);
  growth("cpu", measurement_.cpu_growth_bytes, measurement_.cpu_growth_interval);
  growth("rss", measurement_.rss_growth_bytes, measurement_.rss_growth_interval);
  growth("gpu", measurement_.gpu_growth_bytes, measurement_.gpu_growth_interval);
  return wrong;
}

std::string ProtocolReader::evidence(const Line& line) {
  model::Evidence evidence{.name = text_field(line.fields, "name", 80), .of = text_field(line.fields, "of", 80)};
  const auto unit = model::evidence_unit_from(text_field(line.fields, "unit", 20));
  const auto value = real(line.fields, "value");
  if (evidence.name.empty() || !unit || !value)
    return "evidence needs a name, a unit (count, bytes, nanoseconds) and a value";
  evidence.unit = *unit;
  evidence.value = *value;
  if (measurement_.evidence.size() < most_evidence) measurement_.evidence.push_back(std::move(evidence));
  return {};
}

std::string ProtocolReader::finish(const Line& line) {
  const auto samples = integer_field(line.fields, "samples", 0, 1 << 30);
  const std::size_t count = measurement_.nanoseconds.size();
  if (!samples || static_cast<std::size_t>(*samples) != count)
    return fmt::format("done reports another number of samples than the {} received", count);
  if (count != expected_.iterations) return fmt::format("{} samples instead of {}", count, expected_.iterations);
  measurement_.warmup =
      std::chrono::nanoseconds(integer_field(line.fields, "warmup_nanoseconds", 0, longest_iteration_ns).value_or(0));
  measurement_.gpu_split = gpu_split(line.fields);
  measurement_.compiling = compiling(line.fields);
  measurement_.growth =
      std::chrono::nanoseconds(integer_field(line.fields, "growth_nanoseconds", 0, longest_iteration_ns).value_or(0));
  const auto alternated = integer_field(line.fields, "alternated", 0, 1 << 30);
  measurement_.alternating = alternated && static_cast<std::size_t>(*alternated) == count;
  if (const auto finite = integer_field(line.fields, "finite", 0, 1)) measurement_.finite = *finite != 0;
  state_ = State::done;
  return {};
}

std::string ProtocolReader::error(const Line& line) {
  const std::string kind = text_field(line.fields, "kind", 40);
  if (kind == "unsupported") {
    measurement_.outcome = model::Outcome::unsupported;
  } else if (kind == "out_of_memory") {
    measurement_.outcome = model::Outcome::out_of_memory;
  } else if (kind == "exception") {
    measurement_.outcome = model::Outcome::exception;
  } else {
    return fmt::format("protocol {} has no error kind '{}'", protocol_version, kind);
  }
  measurement_.message = text_field(line.fields, "message", 500);
  if (measurement_.message.empty()) measurement_.message = kind + ", without a message";
  state_ = State::failed;
  return {};
}

namespace {

// Words that are not known may be those of a later worker.
void read_backends(const json& line, BenchmarkInfo& info) {
  const auto backends = line.find("backends");
  if (backends == line.end() || !backends->is_array()) return;
  for (const json& name : *backends) {
    const auto known = name.is_string() ? model::backend_from(name.get_ref<const std::string&>())
                                        : Result<model::Backend>(model::Backend::eager);
    const bool fresh = known && std::ranges::find(info.backends, *known) == info.backends.end();
    if (fresh) info.backends.push_back(*known);
  }
}

constexpr std::size_t most_words = 200;  // more are read over

std::vector<std::string> words_from(const json& list) {
  std::vector<std::string> words;
  if (!list.is_array()) return words;
  for (const json& word : list) {
    if (word.is_string() && words.size() < most_words)
      words.push_back(one_line(word.get_ref<const std::string&>(), 80));
  }
  return words;
}

void read_choices(const json& line, BenchmarkInfo& info) {
  if (const auto learns = line.find("learns"); learns != line.end()) info.learns = words_from(*learns);
  const auto choices = line.find("choices");
  if (choices == line.end() || !choices->is_object()) return;
  for (const auto& [name, values] : choices->items()) {
    if (info.choices.size() < most_words) info.choices[one_line(name, 80)] = words_from(values);
  }
}

std::string read_benchmark(const json& line, BenchmarkInfo& info) {
  info.name = text_field(line, "name", 80);
  if (info.name.empty() || info.name.find('/') != std::string::npos) return "a benchmark without a usable name";
  info.domain = text_field(line, "domain", 80);
  info.task = text_field(line, "task", 80);
  info.source = text_field(line, "source");
  info.parameters = integer_field(line, "parameters", 0, std::int64_t{1} << 50).value_or(0);
  info.ranks = static_cast<int>(integer_field(line, "ranks", 1, 1024).value_or(1));
  const auto configurations = line.find("configurations");
  if (configurations == line.end() || !configurations->is_array()) return info.name + " has no configurations";
  for (const json& name : *configurations) {
    if (!name.is_string()) return info.name + " has a configuration that is not a string";
    const auto known = model::configuration_from(name.get_ref<const std::string&>());
    const bool fresh = known && std::ranges::find(info.configurations, *known) == info.configurations.end();
    if (fresh) info.configurations.push_back(*known);
  }
  read_backends(line, info);
  read_choices(line, info);
  if (const auto batch = line.find("batch"); batch != line.end() && batch->is_object()) {
    for (const char* mode : {"train", "infer"}) {
      if (const auto size = integer_field(*batch, mode, 1, 1 << 30)) info.batch[mode] = *size;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<BenchmarkInfo>> parse_benchmarks(std::string_view output) {
  std::vector<BenchmarkInfo> benchmarks;
  int number = 0;
  bool greeted = false, done = false;
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).empty()) continue;
    ++number;
    const auto parsed = parse_object(line);
    const std::string type = parsed ? text_field(*parsed, "type") : "";
    std::string wrong;
    if (done || !parsed) {
      wrong = (done ? "unexpected after done: " : "not a JSON object: ") + shown(line);
    } else if (type == "hello") {
      const auto protocol = integer_field(*parsed, "protocol", 0, 1000000);
      greeted = protocol == protocol_version;
      if (!greeted)
        wrong = fmt::format("the worker speaks protocol {}, but tbci speaks {}: rebuild the worker",
                            protocol.value_or(0), protocol_version);
    } else if (type == "error") {
      return fail(ErrorKind::failed, "{}", text_field(*parsed, "message", 500));
    } else if (!greeted) {
      wrong = "hello must come first: " + shown(line);
    } else if (type == "benchmark") {
      BenchmarkInfo info;
      wrong = read_benchmark(*parsed, info);
      for (const BenchmarkInfo& other : benchmarks) {
        if (wrong.empty() && other.name == info.name) wrong = "a second benchmark " + info.name;
      }
      benchmarks.push_back(std::move(info));
    } else if (type == "done") {
      done = true;
    } else {
      wrong = "unexpected: " + shown(line);
    }
    if (!wrong.empty()) return fail(ErrorKind::failed, "the worker's list of benchmarks: line {}: {}", number, wrong);
  }
  if (!done) return fail(ErrorKind::failed, "the worker's list of benchmarks is incomplete: its last line is not done");
  return benchmarks;
}

}  // namespace tbci::runner
