#include "runner/learning.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "runner/hello.hpp"
#include "runner/json_fields.hpp"
#include "runner/protocol.hpp"

namespace tbci::runner {

namespace {

std::optional<double> positive_field(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

// Reads line by line. Each function returns what is wrong, or an empty text.
class LearningReader {
 public:
  LearningReader(const model::Case& expected, const LearningPlan& plan) : expected_(expected), plan_(plan) {}

  std::string take(const nlohmann::json& line) {
    const std::string type = text_field(line, "type");
    if (type == "error") return fmt::format("{}: {}", text_field(line, "kind"), text_field(line, "message", 300));
    if (state_ == State::start) return type == "hello" ? hello(line) : "hello is not the first line";
    if (state_ == State::greeted && type == "learned") return learned(line);
    if (state_ != State::learned || type != "done")
      return fmt::format("'{}' is not the next line of a training", one_line(type, 40));
    state_ = State::done;
    return {};
  }

  bool finished() const { return state_ == State::done; }
  const Learned& result() const { return learned_; }

 private:
  enum class State { start, greeted, learned, done };

  std::string hello(const nlohmann::json& line) {
    if (integer_field(line, "protocol", 0, 1000000) != protocol_version)
      return "the worker speaks another protocol: rebuild it";
    if (const std::string wrong = wrong_case(line, expected_, "trains"); !wrong.empty()) return "it " + wrong;
    state_ = State::greeted;
    return {};
  }

  std::string learned(const nlohmann::json& line) {
    if (text_field(line, "over") != plan_.over) return "it let something else grow than '" + plan_.over + "'";
    const auto samples = integer_field(line, "samples", 1, INT64_MAX);
    const auto parameters = integer_field(line, "parameters", 1, INT64_MAX);
    const auto operations = positive_field(line, "operations");
    const auto loss = positive_field(line, "loss"), entropy = positive_field(line, "entropy");
    if (!loss && line.contains("loss")) return "the loss is not a number above 0: the training went astray";
    if (!samples || !parameters || !operations || !loss || !entropy) return "the learned line is invalid";
    learned_ = {
        .samples = *samples, .parameters = *parameters, .operations = *operations, .loss = *loss, .entropy = *entropy};
    state_ = State::learned;
    return {};
  }

  const model::Case& expected_;
  const LearningPlan& plan_;
  State state_ = State::start;
  Learned learned_;
};

}  // namespace

void add_learning_options(Command& command, const LearningPlan& plan) {
  const auto option = [&](const char* name, const std::string& value) {
    command.arguments.insert(command.arguments.end(), {name, value});
  };
  option("--over", plan.over);
  option("--amount", std::to_string(plan.amount));
}

Result<Learned> parse_learning(std::string_view output, const model::Case& expected, const LearningPlan& plan) {
  LearningReader reader(expected, plan);
  const auto shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth < 4; };
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).empty()) continue;
    if (line.size() > longest_protocol_line)
      return fail(ErrorKind::failed, "the worker printed a line of more than {} bytes", longest_protocol_line);
    const auto parsed = nlohmann::json::parse(line, shallow, false);
    if (!parsed.is_object()) return fail(ErrorKind::failed, "the worker did not print JSON: {}", one_line(line, 80));
    if (const std::string wrong = reader.take(parsed); !wrong.empty()) return fail(ErrorKind::failed, "{}", wrong);
  }
  if (reader.finished()) return reader.result();
  return fail(ErrorKind::failed,
              "the worker did not print a complete training: rebuild it, or use a worker that supports `learn`");
}

}  // namespace tbci::runner
