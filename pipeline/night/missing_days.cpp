#include "pipeline/night/missing_days.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace tbci::pipeline {

namespace {

using std::chrono::sys_days;

constexpr std::string_view marker = ".dev";
constexpr std::size_t date_digits = 8;

// Where the date begins: eight digits, and no ninth.
std::optional<std::size_t> place_of_date(std::string_view version) {
  const std::size_t at = version.find(marker);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at + marker.size();
  const std::size_t end = std::min(version.find_first_not_of("0123456789", begin), version.size());
  return end - begin == date_digits ? std::optional(begin) : std::nullopt;
}

unsigned number_of(std::string_view digits) {
  unsigned number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::string with_day(const std::string& version, sys_days day) {
  const std::chrono::year_month_day date(day);
  std::string other = version;
  const auto place = place_of_date(version);
  if (!place) return other;
  other.replace(*place, date_digits,
                fmt::format("{:04}{:02}{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                            static_cast<unsigned>(date.day())));
  return other;
}

}  // namespace

std::optional<sys_days> day_of_version(std::string_view version) {
  const auto begin = place_of_date(version);
  if (!begin) return std::nullopt;
  const unsigned date = number_of(version.substr(*begin, date_digits));
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(date / 10000)),
                                        std::chrono::month(date / 100 % 100), std::chrono::day(date % 100)};
  return day.ok() ? std::optional(sys_days(day)) : std::nullopt;
}

std::string day_name(sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::vector<MissingDay> missing_days(const std::vector<std::string>& versions) {
  std::set<sys_days> there;
  for (const std::string& version : versions) {
    if (const auto day = day_of_version(version)) there.insert(*day);
  }
  std::vector<MissingDay> missing;
  const std::string* before = nullptr;
  for (const std::string& version : versions) {
    const auto day = day_of_version(version);
    if (!day) continue;
    const auto first = before == nullptr ? *day : *day_of_version(*before) + std::chrono::days(1);
    if ((*day - first).count() <= most_missing_days) {
      for (auto each = first; each < *day; each += std::chrono::days(1)) {
        if (there.insert(each).second) missing.push_back({.day = each, .version = with_day(*before, each)});
      }
    }
    before = &version;
  }
  return missing;
}

}  // namespace tbci::pipeline
