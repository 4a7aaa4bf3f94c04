#include "daemon/cli/open_page.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/process_environment.hpp"
#include "base/text.hpp"

namespace tbci::daemon {

namespace {

const model::Delivery* delivered_to(const std::vector<model::Delivery>& deliveries, const std::string& channel) {
  // A later revision may wait while an earlier one is there.
  const auto found = std::find_if(deliveries.begin(), deliveries.end(), [&](const model::Delivery& one) {
    return one.channel == channel && !one.reference.empty();
  });
  return found == deliveries.end() ? nullptr : &*found;
}

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

Result<std::string> place_of(std::int64_t report_id, const std::vector<model::Delivery>& deliveries) {
  const model::Delivery* const issue = delivered_to(deliveries, "github");
  if (issue != nullptr && (issue->reference.starts_with("https://") || issue->reference.starts_with("http://")))
    return one_line(issue->reference, 2000);
  if (const model::Delivery* const file = delivered_to(deliveries, "folder"); file != nullptr)
    return std::filesystem::absolute(file->reference).string();
  std::vector<std::string> where;
  for (const model::Delivery& one : deliveries)
    where.push_back(fmt::format("{} {}", one.channel, to_string(one.state)));
  return fail(ErrorKind::usage, "report {} has no page or file to open ({}): `tbci report {}` shows its text",
              report_id, where.empty() ? "it goes to no channel" : join(where, ", "), report_id);
}

void open_place(const std::string& place) {
  if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) {
    Command command;
    command.arguments = {"xdg-open", place};
    command.inherited = Inherited::all_but_secrets;
    std::vector<std::string> variables = process::child_environment(command);
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> all;
      for (std::string& text : texts) all.push_back(text.data());
      all.push_back(nullptr);
      return all;
    };
    std::fflush(stdout);
    ::execvpe("xdg-open", pointers(command.arguments).data(), pointers(variables).data());
  }
  fmt::print("{}\n", place);
}

}  // namespace tbci::daemon
