#include "series_io/json_handler.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::series_io {

namespace {

constexpr std::array<std::string_view, 9> key_names = {"",      "series", "unit",    "metric", "nights",
                                                       "pairs", "build",  "samples", ""};
const std::vector<std::string> line_keys = {"series", "unit", "metric", "nights", "pairs"};
const std::vector<std::string> night_keys = {"build", "samples"};

constexpr std::size_t shortest_typo = 4;  // shorter words are near to too many others
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool LineHandler::stop(std::string why) {
  error_ = std::move(why);
  return false;
}

std::string LineHandler::night_name() const {
  const auto& nights = *line_.nights;
  const std::string number = fmt::format("night {}", nights.size());
  return nights.back().build.empty() ? number : fmt::format("{} ('{}')", number, one_line(nights.back().build, 40));
}

bool LineHandler::wrong_type(std::string_view what) {
  switch (places_.empty() ? Place::skipped : places_.back()) {
    case Place::line:
    case Place::night: {
      const std::string name(key_names.at(static_cast<std::size_t>(key_)));
      const bool is_list = key_ == Key::nights || key_ == Key::pairs || key_ == Key::samples;
      return stop(fmt::format("'{}' is {}: it must be a {}", name, what, is_list ? "list" : "text"));
    }
    case Place::nights:
      return stop(
          fmt::format("night {} is {}: write {{\"build\": ..., \"samples\": [...]}}", line_.nights->size() + 1, what));
    case Place::samples:
      return stop(fmt::format("{}: sample {} is {}: it must be a number", night_name(), numbers_.size() + 1, what));
    case Place::pairs:
    case Place::pair:
      return stop(fmt::format("pair {} contains {}: write [old, new]", line_.pairs->size() + 1, what));
    case Place::skipped:
      break;
  }
  return stop(fmt::format("the line is {}: it must be an object, {{\"series\": ..., ...}}", what));
}

bool LineHandler::null() {
  if (places_.empty()) return wrong_type("null");
  if (at(Place::samples) || at(Place::pair)) return number(no_number);
  // As if the key were not there.
  if (at(Place::line) || at(Place::night) || is_skipped()) return true;
  return wrong_type("null");
}

bool LineHandler::boolean(bool value) {
  if (!places_.empty() && is_skipped()) return true;
  return wrong_type(value ? "true" : "false");
}

bool LineHandler::number_float(double value, const std::string& /*text*/) {
  return number(value);
}

bool LineHandler::number(double value) {
  if (at(Place::samples)) {
    if (numbers_.size() == limits_.samples) {
      return stop(fmt::format("{} has more than {} samples", night_name(), limits_.samples));
    }
    numbers_.push_back(value);
    return true;
  }
  if (at(Place::pair)) {
    if (numbers_.size() == 2) {
      return stop(fmt::format("pair {} has more than two numbers: write [old, new]", line_.pairs->size() + 1));
    }
    numbers_.push_back(value);
    return true;
  }
  if (!places_.empty() && is_skipped()) return true;
  return wrong_type("a number");
}

bool LineHandler::string(std::string& value) {
  if (!places_.empty() && is_skipped()) return true;
  if (value.size() > limits_.text_bytes) {
    return stop(fmt::format("the text has {} bytes: a name may have {} at most", value.size(), limits_.text_bytes));
  }
  if (at(Place::line) && key_ == Key::series) {
    line_.series = value;
  } else if (at(Place::line) && key_ == Key::unit) {
    line_.unit = value;
  } else if (at(Place::line) && key_ == Key::metric) {
    line_.metric = value;
  } else if (at(Place::night) && key_ == Key::build) {
    line_.nights->back().build = value;
  } else {
    return wrong_type("a text");
  }
  return true;
}

bool LineHandler::binary(nlohmann::json::binary_t& /*value*/) {
  return stop("binary data");
}

bool LineHandler::enter(Place place) {
  if (places_.size() == static_cast<std::size_t>(limits_.depth)) {
    return stop(fmt::format("lists and objects are nested deeper than {}", limits_.depth));
  }
  places_.push_back(place);
  return true;
}

bool LineHandler::start_object(std::size_t /*elements*/) {
  if (places_.empty()) return enter(Place::line);
  if (is_skipped()) return enter(Place::skipped);
  if (!at(Place::nights)) return wrong_type("an object");
  if (line_.nights->size() == limits_.nights) return stop(fmt::format("more than {} nights", limits_.nights));
  line_.nights->emplace_back();
  seen_in_night_ = 0;
  return enter(Place::night);
}

bool LineHandler::know(std::string_view name) {
  const bool in_line = at(Place::line);
  const auto& known = in_line ? line_keys : night_keys;
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) {
    const auto nearest = nearest_name(one_line(name, 40), known);
    if (name.size() >= shortest_typo && nearest) {
      return stop(fmt::format("unknown key '{}' (did you mean '{}'?)", one_line(name, 40), *nearest));
    }
    key_ = Key::other;
    return true;
  }
  const auto named = std::find(key_names.begin() + 1, key_names.end() - 1, name);
  key_ = static_cast<Key>(named - key_names.begin());
  unsigned& seen = in_line ? seen_in_line_ : seen_in_night_;
  const unsigned bit = 1U << static_cast<unsigned>(key_);
  if ((seen & bit) != 0) return stop(fmt::format("'{}' occurs twice: remove one", name));
  seen |= bit;
  return true;
}

bool LineHandler::key(std::string& name) {
  return at(Place::skipped) || know(name);
}

bool LineHandler::end_object() {
  const bool night = at(Place::night);
  places_.pop_back();
  key_ = Key::none;
  return !night || finish_night();
}

bool LineHandler::start_array(std::size_t /*elements*/) {
  if (places_.empty()) return wrong_type("a list");
  if (is_skipped()) return enter(Place::skipped);
  numbers_.clear();
  if (at(Place::line) && key_ == Key::nights) {
    line_.nights.emplace();
    return enter(Place::nights);
  }
  if (at(Place::line) && key_ == Key::pairs) {
    line_.pairs.emplace();
    return enter(Place::pairs);
  }
  if (at(Place::night) && key_ == Key::samples) return enter(Place::samples);
  if (!at(Place::pairs)) return wrong_type("a list");
  if (line_.pairs->size() == limits_.pairs) return stop(fmt::format("more than {} pairs", limits_.pairs));
  return enter(Place::pair);
}

bool LineHandler::end_array() {
  const Place ended = places_.back();
  places_.pop_back();
  key_ = Key::none;
  if (ended == Place::samples) return finish_samples();
  return ended != Place::pair || finish_pair();
}

bool LineHandler::finish_samples() {
  RawNight& night = line_.nights->back();
  night.samples = numbers_.size();
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const double value = numbers_[i];
    if (!std::isfinite(value) && !night.not_finite) night.not_finite = {i, value};
    if (value <= 0 && !night.not_positive) night.not_positive = {i, value};
  }
  if (!numbers_.empty() && !night.not_finite) night.median = model::median(std::move(numbers_));
  numbers_ = {};
  return true;
}

bool LineHandler::finish_pair() {
  if (numbers_.size() != 2) {
    return stop(fmt::format("pair {} has {} numbers: write [old, new]", line_.pairs->size() + 1, numbers_.size()));
  }
  line_.pairs->push_back({numbers_[0], numbers_[1]});
  return true;
}

bool LineHandler::finish_night() {
  const auto lacks = [&](Key key) { return (seen_in_night_ & (1U << static_cast<unsigned>(key))) == 0; };
  if (lacks(Key::build)) return stop(night_name() + " has no 'build': name the build that was measured");
  if (lacks(Key::samples)) return stop(night_name() + " has no 'samples': write [] for a night without any");
  return true;
}

bool LineHandler::parse_error(std::size_t position, const std::string& /*token*/,
                              const nlohmann::json::exception& error) {
  constexpr int number_overflow = 406;
  if (error.id == number_overflow) {
    return stop(fmt::format("the number that ends at byte {} is out of range", position));
  }
  if (text_.find_first_not_of(" \t") == std::string_view::npos) return stop("the line is empty");
  if (position > text_.size()) return stop("the line ends in the middle: was the file cut off?");
  const std::size_t from = position > 12 ? position - 12 : 0;
  return stop(fmt::format("not JSON at byte {}, near '{}': write one object a line", position,
                          one_line(text_.substr(from, 24), 40)));
}

}  // namespace tbci::series_io
