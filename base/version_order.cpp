#include "base/version_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace tbci {

namespace {

// What may follow a part of a name, the oldest first: `2.0` ends where `2.0.1` has a number.
struct Part {
  static constexpr char dev = 'A', alpha = 'B', beta = 'C', candidate = 'D', end = 'E', word = 'F', local = 'G';
  static constexpr char post = 'H', number = 'N';
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_separator(char c) {
  return c == '.' || c == '-' || c == '_' || c == ' ' || c == '/' || c == '!';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Takes the characters of which `belongs` is true from the front.
template <typename Belongs>
std::string_view take(std::string_view& rest, Belongs belongs) {
  const auto first = std::find_if_not(rest.begin(), rest.end(), belongs);
  const std::string_view taken = rest.substr(0, static_cast<std::size_t>(first - rest.begin()));
  rest.remove_prefix(taken.size());
  return taken;
}

// With its length before it, a number sorts as text. Of a hundred digits and more any order will do.
std::string number_key(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return fmt::format("{}{:02}{}", Part::number, std::min<std::size_t>(digits.size(), 99), digits);
}

std::string word_key(std::string_view letters, std::string_view rest) {
  std::string text;
  std::transform(letters.begin(), letters.end(), std::back_inserter(text), lower);
  // A letter alone is a stage where its number follows, and a name's own suffix elsewhere.
  const bool stage = text.size() > 1 || (!rest.empty() && is_digit(rest.front()));
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return stage && std::find(words.begin(), words.end(), text) != words.end();
  };
  if (is_one_of({"dev"})) return {Part::dev};
  if (is_one_of({"a", "alpha"})) return {Part::alpha};
  if (is_one_of({"b", "beta"})) return {Part::beta};
  if (is_one_of({"c", "rc", "pre", "preview"})) return {Part::candidate};
  if (is_one_of({"post", "rev", "r"})) return {Part::post};
  return Part::word + text + ' ';
}

}  // namespace

std::string version_key(std::string_view name) {
  std::string_view rest = name;
  if (rest.size() > 1 && lower(rest.front()) == 'v' && is_digit(rest[1])) rest.remove_prefix(1);
  std::string key;
  bool in_release = true;         // the numbers at the front
  std::size_t without_zeros = 0;  // of them, so that 1.0.dev1 is older than 1
  const auto leave_release = [&] {
    if (in_release) key.resize(without_zeros);
    in_release = false;
  };
  while (!rest.empty()) {
    const char first = rest.front();
    if (is_digit(first)) {
      const std::string_view digits = take(rest, is_digit);
      key += number_key(digits);
      if (in_release && digits.find_first_not_of('0') != std::string_view::npos) without_zeros = key.size();
    } else if (is_separator(first)) {
      rest.remove_prefix(1);
    } else if (first == '+') {
      leave_release();
      key += Part::local;
      rest.remove_prefix(1);
    } else {
      leave_release();
      const std::string_view letters = take(rest, [](char c) { return !is_digit(c) && !is_separator(c) && c != '+'; });
      key += word_key(letters, rest);
    }
  }
  leave_release();
  return key + Part::end + ' ' + std::string(name);
}

std::strong_ordering compare_versions(std::string_view one, std::string_view other) {
  return version_key(one) <=> version_key(other);
}

bool is_older(std::string_view one, std::string_view other) {
  return std::is_lt(compare_versions(one, other));
}

}  // namespace tbci
