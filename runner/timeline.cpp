#include "runner/timeline.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "runner/hello.hpp"
#include "runner/json_fields.hpp"
#include "runner/protocol.hpp"

namespace tbci::runner {

struct TimelineReader::Line {
  const nlohmann::json& json;
};

namespace {

constexpr std::int64_t longest_time = std::int64_t{7} * 24 * 3600 * 1000000000;  // a week
constexpr std::size_t longest_timeline_name = 200;

// The numbers of one entry, taken one after the other. An impossible one spoils the entry.
class Entry {
 public:
  explicit Entry(const nlohmann::json& json) : json_(json), good_(json.is_array()) {}
  std::int64_t take(std::int64_t least, std::int64_t most) {
    if (!good_ || at_ >= json_.size() || !json_[at_].is_number_integer()) return spoil();
    const auto value = json_[at_++].get<std::int64_t>();
    return value < least || value > most ? spoil() : value;
  }
  /// May be below 0, which the look into the timeline refuses with more words.
  std::int64_t time() { return take(-longest_time, longest_time); }
  std::size_t number() { return static_cast<std::size_t>(take(0, std::int64_t{1} << 40)); }
  bool more() const { return good_ && at_ < json_.size(); }
  bool complete() const { return good_ && at_ == json_.size(); }

 private:
  std::int64_t spoil() {
    good_ = false;
    return 0;
  }
  const nlohmann::json& json_;
  std::size_t at_ = 0;
  bool good_;
};

// What a tensor of LibTorch has is far less.
constexpr std::size_t most_dimensions = 64;

model::TensorUse use_from(Entry& entry) {
  const std::int64_t coded = entry.take(-1, std::int64_t{1} << 40);
  if (coded < 0) return {};
  return {.tensor = coded / 2, .written = coded % 2 == 1};
}

constexpr std::size_t most_uses_of_a_call = 2000;

std::optional<model::TimelineCall> call_from(Entry entry) {
  model::TimelineCall call;
  call.name = entry.number();
  call.thread = entry.number();
  call.begin = entry.time();
  call.length = entry.time();
  call.waited = entry.time();
  call.faults = entry.take(0, std::int64_t{1} << 40);
  call.sequence = entry.take(-1, INT64_MAX);
  const std::size_t inputs = entry.number();
  // The worker writes at most 1000 of each.
  while (entry.more() && call.inputs.size() + call.outputs.size() < most_uses_of_a_call)
    (call.inputs.size() < inputs ? call.inputs : call.outputs).push_back(use_from(entry));
  return entry.complete() && call.inputs.size() == inputs ? std::optional(std::move(call)) : std::nullopt;
}

std::optional<model::SeenTensor> tensor_from(Entry entry) {
  model::SeenTensor tensor;
  tensor.storage = entry.take(0, INT64_MAX);
  tensor.type = entry.number();
  tensor.on_gpu = entry.take(0, 1) == 1;
  while (entry.more() && tensor.sizes.size() < most_dimensions)
    tensor.sizes.push_back(entry.take(0, std::int64_t{1} << 40));
  return entry.complete() ? std::optional(std::move(tensor)) : std::nullopt;
}

std::optional<model::TimelineIteration> iteration_from(Entry entry) {
  model::TimelineIteration one;
  for (std::int64_t* const time : {&one.begin, &one.length, &one.unwatched, &one.watched, &one.waited})
    *time = entry.time();
  one.faults = entry.take(0, std::int64_t{1} << 40);
  return entry.complete() ? std::optional(one) : std::nullopt;
}

std::optional<model::TimelineWork> work_from(Entry entry) {
  model::TimelineWork work;
  work.movement = entry.take(0, 1) == 1;
  work.begin = entry.time();
  work.length = entry.time();
  work.call = entry.take(-1, std::int64_t{1} << 40);
  return entry.complete() ? std::optional(work) : std::nullopt;
}

template <class Value>
std::string keep(std::optional<Value> value, std::vector<Value>& values, const std::string& type) {
  if (!value) return fmt::format("an entry of '{}' is invalid", type);
  values.push_back(std::move(*value));
  return values.size() <= most_timeline_entries
             ? ""
             : fmt::format("it has more than {} entries of '{}'", most_timeline_entries, type);
}

}  // namespace

TimelineReader::TimelineReader(model::Case expected, std::size_t most_numbers)
    : expected_(std::move(expected)), most_numbers_(most_numbers) {
  timeline_.on_gpu = is_on_gpu(expected_.configuration);
}

bool TimelineReader::take(std::string_view line) {
  if (!wrong_.empty()) return false;
  if (!trim(line).empty()) wrong_ = read(line);
  return wrong_.empty();
}

std::string TimelineReader::read(std::string_view text) {
  if (text.size() > longest_protocol_line)
    return fmt::format("the worker printed a line of more than {} bytes", longest_protocol_line);
  // Lists of lists are all there is; a deeply nested line would exhaust the stack.
  const auto shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth < 4; };
  const auto json = nlohmann::json::parse(text, shallow, false);
  if (!json.is_object()) return fmt::format("the worker did not print JSON: {}", one_line(text, 80));
  const Line line{json};
  const std::string type = text_field(json, "type");
  if (type == "error") return fmt::format("{}: {}", text_field(json, "kind"), text_field(json, "message", 300));
  if (state_ == State::done) return "there is a line after done";
  if (state_ == State::start) return type == "hello" ? hello(line) : "hello is not the first line";
  if (type == "timeline") return sum(line);
  if (type != "done") return state_ == State::summed ? "done does not follow the timeline" : list(line, type);
  if (state_ != State::summed) return "done comes without a timeline";
  state_ = State::done;
  return {};
}

std::string TimelineReader::hello(const Line& line) {
  if (integer_field(line.json, "protocol", 0, 1000000) != protocol_version)
    return "the worker speaks another protocol: rebuild it";
  if (const std::string wrong = wrong_case(line.json, expected_, "recorded"); !wrong.empty()) return "it " + wrong;
  state_ = State::greeted;
  return {};
}

std::string TimelineReader::list(const Line& line, const std::string& type) {
  const auto found = line.json.find(type);
  if (found == line.json.end() || !found->is_array())
    return fmt::format("the list '{}' is missing", one_line(type, 40));
  for (const nlohmann::json& element : *found) {
    if (std::string wrong = entry({element}, type); !wrong.empty()) return wrong;
  }
  return {};
}

std::string TimelineReader::entry(const Line& element, const std::string& type) {
  const nlohmann::json& json = element.json;
  if (type == "calls" || type == "tensors") {
    numbers_ += json.is_array() ? json.size() : 0;
    if (numbers_ > most_numbers_) return fmt::format("its calls and tensors have more than {} numbers", most_numbers_);
  }
  if (type == "calls") return keep(call_from(Entry(json)), timeline_.calls, type);
  if (type == "tensors") return keep(tensor_from(Entry(json)), timeline_.tensors, type);
  if (type == "iterations") return keep(iteration_from(Entry(json)), timeline_.iterations, type);
  if (type == "work") return keep(work_from(Entry(json)), timeline_.work, type);
  if (type == "names") {
    auto name =
        json.is_string() ? std::optional(one_line(json.get<std::string>(), longest_timeline_name)) : std::nullopt;
    return keep(std::move(name), timeline_.names, type);
  }
  if (type != "inputs") return {};
  return keep(json.is_number_integer() ? std::optional(json.get<std::int64_t>()) : std::nullopt, timeline_.inputs,
              type);
}

std::string TimelineReader::sum(const Line& line) {
  const auto calls = integer_field(line.json, "calls", 0, INT64_MAX);
  const auto work = integer_field(line.json, "work", 0, INT64_MAX);
  const auto cut_off = integer_field(line.json, "cut_off", 0, 1);
  if (!calls || !work || !cut_off) return "the timeline line is invalid";
  if (static_cast<std::size_t>(*calls) != timeline_.calls.size() ||
      static_cast<std::size_t>(*work) != timeline_.work.size()) {
    return fmt::format("the timeline line reports {} calls and {} pieces of work, but {} and {} were received", *calls,
                       *work, timeline_.calls.size(), timeline_.work.size());
  }
  const auto speed = [&](const char* name) { return integer_field(line.json, name, 0, INT64_MAX).value_or(0); };
  timeline_.speed = {.dispatch_nanoseconds = speed("dispatch_nanoseconds"),
                     .writing = {speed("fault_nanoseconds"), speed("write_nanoseconds")},
                     .computing = {speed("computing_fault_nanoseconds"), speed("computing_write_nanoseconds")},
                     .bytes_per_second = speed("bytes_per_second"),
                     .flops_per_second = speed("flops_per_second")};
  timeline_.cut_off = *cut_off == 1;
  state_ = State::summed;
  return {};
}

Result<model::Timeline> TimelineReader::timeline() && {
  if (!wrong_.empty()) return fail(ErrorKind::failed, "{}", wrong_);
  if (state_ == State::done) return std::move(timeline_);
  return fail(ErrorKind::failed,
              "the worker did not print a complete timeline: rebuild it, or use a worker that supports `timeline`");
}

}  // namespace tbci::runner
