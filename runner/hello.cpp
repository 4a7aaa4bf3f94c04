#include "runner/hello.hpp"

#include <fmt/format.h>

#include "runner/json_fields.hpp"

namespace tbci::runner {

std::string wrong_case(const nlohmann::json& hello, const model::Case& expected, const char* verb) {
  const std::string benchmark = text_field(hello, "benchmark"), configuration = text_field(hello, "configuration");
  const model::Case eager{expected.benchmark, with(model::Backend::eager, expected.configuration)};
  if (benchmark != eager.benchmark || configuration != to_string(eager.configuration))
    return fmt::format("{} '{}/{}', not {}", verb, benchmark, configuration, to_string(eager));
  // A suite that does not know of backends says nothing, and runs eager.
  const std::string said = text_field(hello, "backend", 20), backend = said.empty() ? "eager" : said;
  if (const auto wanted = to_string(expected.configuration.backend); backend != wanted)
    return fmt::format("runs '{}' instead of {}", backend, wanted);
  return {};
}

}  // namespace tbci::runner
