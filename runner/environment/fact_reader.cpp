#include "runner/environment/fact_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tbci::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_numbers = 4096;

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::string field_of(std::string_view text, std::string_view name) {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trim(std::string_view(line).substr(0, colon)) == name)
      return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

std::string as_list(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    parts.push_back(end == i ? std::to_string(numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end]));
    i = end + 1;
  }
  return join(parts, ",");
}

std::vector<int> from_list(std::string_view text) {
  std::vector<int> numbers;
  for (const std::string& part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = whole(std::string_view(part).substr(0, dash));
    const auto last = dash == std::string::npos ? first : whole(std::string_view(part).substr(dash + 1));
    if (!first || !last) continue;
    for (int number = *first; number <= *last && numbers.size() < most_numbers; ++number) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

void FactReader::add(const std::string& name, std::string_view value) {
  const std::string line = one_line(value, 200);
  if (!line.empty()) facts_[name] = line;
}

std::string FactReader::text(const std::string& path) const {
  return read_file(root_ / path).value_or(std::string());
}

void FactReader::add_file(const std::string& name, const std::string& path) {
  add(name, text(path));
}

void FactReader::add_chosen(const std::string& name, const std::string& path) {
  const std::string choices = text(path);
  const std::size_t begin = choices.find('['), end = choices.find(']');
  if (begin < end && end != std::string::npos) add(name, choices.substr(begin + 1, end - begin - 1));
}

void FactReader::add_per_cpu(const std::string& name, const std::string& path) {
  std::map<std::string, std::vector<int>> cpus_by_value;
  std::error_code ignored;
  for (fs::directory_iterator at(root_ / "sys/devices/system/cpu", ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const std::string folder = at->path().filename().string();
    const auto cpu = folder.starts_with("cpu") ? whole(std::string_view(folder).substr(3)) : std::nullopt;
    if (!cpu) continue;
    const std::string value = one_line(read_file(at->path() / path).value_or(std::string()), 80);
    if (!value.empty()) cpus_by_value[value].push_back(*cpu);
  }
  if (cpus_by_value.size() == 1) return add(name, cpus_by_value.begin()->first);
  std::vector<std::string> parts;
  for (const auto& [value, cpus] : cpus_by_value)
    parts.push_back(fmt::format("{} on CPU{} {}", value, cpus.size() == 1 ? "" : "s", as_list(cpus)));
  add(name, join(parts, ", "));
}

Result<std::string> output_of_two_tries(ProcessRunner& processes, const Command& command, std::stop_token stop) {
  for (int tries = 0; tries < 2; ++tries) {
    auto outcome = processes.run(command, stop);
    if (outcome && outcome->interrupted) return fail(ErrorKind::interrupted, "{}: stopped", describe(command));
    if (outcome && outcome->succeeded()) return std::move(outcome->output);
  }
  return std::string();
}

}  // namespace tbci::runner
