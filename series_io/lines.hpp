// Lines of an input that may contain anything.
#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace tbci::series_io {

struct Line {
  std::size_t number = 0;  ///< from 1
  std::string text;        ///< without its end (LF or CR LF); of a line that is too long, nothing
  bool too_long = false;
};

/// Reads line by line and holds one of them; a byte order mark before the first is left out. The stream must outlive
/// it.
class LineReader {
 public:
  LineReader(std::istream& stream, std::size_t most_bytes) : stream_(stream), most_bytes_(most_bytes) {}
  /// False at the end of the text, or where it can't be read any further (the stream is bad() then).
  bool next(Line& line);

 private:
  std::istream& stream_;
  std::size_t most_bytes_;
  std::size_t number_ = 0;
};

/// What is wrong with a line of any format: too long, or not text (a NUL byte). Empty: nothing.
std::string why_no_text(const Line& line, std::size_t most_bytes);

}  // namespace tbci::series_io
