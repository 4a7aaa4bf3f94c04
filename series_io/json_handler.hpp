// Takes a line of JSON apart while it is parsed, so that its text is never a tree in memory. Internal to
// series_io.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "series_io/record.hpp"

namespace tbci::series_io {

struct SuspiciousSample {
  std::size_t position = 0;
  double value = 0;
};

/// A night before its metric is known. The metric decides whether 0 is possible.
struct RawNight {
  std::string build;
  std::size_t samples = 0;
  double median = 0;                                         ///< where all are finite
  std::optional<SuspiciousSample> not_finite, not_positive;  ///< the first of each
};

struct RawLine {
  std::string series, unit, metric;
  std::optional<std::vector<RawNight>> nights;
  std::optional<std::vector<detect::Pair>> pairs;
};

class LineHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// `text`, for what an error shows of it, must outlive the handler.
  LineHandler(std::string_view text, const Limits& limits) : text_(text), limits_(limits) {}

  RawLine line() && { return std::move(line_); }
  /// Why the parser was stopped; empty: it was not.
  const std::string& error() const { return error_; }

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(std::int64_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string& text) override;
  bool string(std::string& value) override;
  bool binary(nlohmann::json::binary_t& value) override;
  bool start_object(std::size_t elements) override;
  bool key(std::string& name) override;
  bool end_object() override;
  bool start_array(std::size_t elements) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) override;

 private:
  enum class Place { line, nights, night, samples, pairs, pair, skipped };
  /// The keys that we know, of a line and of a night; `other` is skipped with all that is in it.
  enum class Key { none, series, unit, metric, nights, pairs, build, samples, other };

  bool number(double value);
  bool stop(std::string why);
  bool wrong_type(std::string_view what);
  bool enter(Place place);
  bool is_skipped() const { return places_.back() == Place::skipped || key_ == Key::other; }
  bool at(Place place) const { return !places_.empty() && places_.back() == place; }
  bool know(std::string_view name);
  bool finish_night();
  bool finish_samples();
  bool finish_pair();
  std::string night_name() const;

  std::string_view text_;
  const Limits& limits_;
  RawLine line_;
  std::string error_;
  std::vector<Place> places_;
  Key key_ = Key::none;
  unsigned seen_in_line_ = 0, seen_in_night_ = 0;  // bits of the keys
  std::vector<double> numbers_;                    // of the samples or of the pair that is read
};

}  // namespace tbci::series_io
