#include "runner/profile.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "runner/hello.hpp"
#include "runner/json_fields.hpp"
#include "runner/protocol.hpp"

namespace tbci::runner {

namespace {

using nlohmann::json;

constexpr std::int64_t longest_ns = std::int64_t{24} * 3600 * 1000000000;  // an iteration of a day
constexpr std::int64_t most_calls = std::int64_t{1} << 40;
constexpr std::size_t longest_name = 200;

// Reads line by line. Each function returns what is wrong, or an empty text.
class ProfileReader {
 public:
  explicit ProfileReader(const model::Case& expected) { profile_.measured = expected; }

  std::string take(const json& line) {
    const std::string type = text_field(line, "type");
    if (type == "error") return fmt::format("{}: {}", text_field(line, "kind"), text_field(line, "message", 300));
    if (state_ == State::done) return "there is a line after done";
    if (state_ == State::start) return type == "hello" ? hello(line) : "hello is not the first line";
    if (type == "done") return done();
    if (state_ == State::profiled) return "done does not follow the profile";
    if (type == "operator") return one_operator(line);
    if (type == "profile") return whole_profile(line);
    return fmt::format("protocol {} has no '{}' line in a profile", protocol_version, one_line(type, 40));
  }

  bool finished() const { return state_ == State::done; }
  model::OperatorProfile& profile() { return profile_; }

 private:
  enum class State { start, greeted, profiled, done };

  std::string hello(const json& line) {
    if (integer_field(line, "protocol", 0, 1000000) != protocol_version)
      return "the worker speaks another protocol: rebuild it";
    if (const std::string wrong = wrong_case(line, profile_.measured, "profiles"); !wrong.empty()) return "it " + wrong;
    state_ = State::greeted;
    return {};
  }

  std::string one_operator(const json& line) {
    const std::string name = one_line(text_field(line, "name"), longest_name);
    const auto calls = integer_field(line, "calls", 0, most_calls);
    const auto self = integer_field(line, "self_nanoseconds", 0, longest_ns);
    if (name.empty() || !calls || !self) return "an operator line is invalid";
    if (!names_.insert(name).second) return fmt::format("operator '{}' appears twice", name);
    if (names_.size() > most_profiled_operators)
      return fmt::format("it has more than {} operators", most_profiled_operators);
    profile_.operators.push_back({.name = name, .calls = *calls, .self = std::chrono::nanoseconds(*self)});
    return {};
  }

  std::string whole_profile(const json& line) {
    const auto iterations = integer_field(line, "iterations", 1, 1 << 30);
    const auto iteration = integer_field(line, "iteration_nanoseconds", 1, longest_ns);
    const auto outside = integer_field(line, "outside_nanoseconds", 0, longest_ns);
    const auto profiler = integer_field(line, "profiler_nanoseconds", 0, longest_ns);
    if (!iterations || !iteration || !outside || !profiler) return "the profile line is invalid";
    const auto operators = integer_field(line, "operators", 0, 1 << 30);
    if (!operators || static_cast<std::size_t>(*operators) != profile_.operators.size())
      return fmt::format("the profile line reports another number of operators than the {} received",
                         profile_.operators.size());
    profile_.iterations = static_cast<int>(*iterations);
    profile_.iteration = std::chrono::nanoseconds(*iteration);
    profile_.outside = std::chrono::nanoseconds(*outside);
    profile_.profiler = std::chrono::nanoseconds(*profiler);
    state_ = State::profiled;
    return {};
  }

  std::string done() {
    if (state_ != State::profiled) return "done comes without a profile";
    state_ = State::done;
    return {};
  }

  State state_ = State::start;
  model::OperatorProfile profile_;
  std::set<std::string> names_;
};

}  // namespace

Result<model::OperatorProfile> parse_profile(std::string_view output, const model::Case& expected) {
  ProfileReader reader(expected);
  // A profile needs no deeper nesting, and a deeply nested line would exhaust the stack.
  const auto shallow = [](int depth, json::parse_event_t, json&) { return depth < 4; };
  for (const std::string& line : split(output, '\n')) {
    if (trim(line).empty()) continue;
    if (line.size() > longest_protocol_line)
      return fail(ErrorKind::failed, "the worker printed a line of more than {} bytes", longest_protocol_line);
    const json parsed = json::parse(line, shallow, false);
    if (!parsed.is_object()) return fail(ErrorKind::failed, "the worker did not print JSON: {}", one_line(line, 80));
    if (const std::string wrong = reader.take(parsed); !wrong.empty()) return fail(ErrorKind::failed, "{}", wrong);
  }
  if (reader.finished()) return std::move(reader.profile());
  return fail(ErrorKind::failed,
              "the worker did not print a complete profile: rebuild it, or use a worker that supports `profile`");
}

}  // namespace tbci::runner
