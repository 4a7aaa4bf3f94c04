// The input and the output of `tbci detect`: files, pipes, standard input and output.
#pragma once

#include <cstdio>
#include <filesystem>
#include <istream>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::series_io {

/// A stream over a file or, for `-`, standard input. It ends when a stop is requested, even while nothing comes.
class InputFile {
 public:
  /// Errors (usage): there is no such file, it is a folder, it may not be read.
  static Result<InputFile> open(const std::string& path, std::stop_token stop);
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  std::istream& stream() { return *stream_; }
  /// Whether all of it could be read so far.
  Status status() const;
  bool is_empty() const;  ///< nothing came at all

 private:
  class Buffer;
  explicit InputFile(std::unique_ptr<Buffer> buffer);
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<std::istream> stream_;
};

/// Standard output for `-`; else a file that appears under its name once it is complete (devices and pipes are written
/// to directly). Each line is handed on at once, so that a program at the other end can react to it.
class OutputFile {
 public:
  /// Error (machine): the file cannot be made.
  static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  ///< removes the file unless it was finished

  Status write_line(std::string_view line);
  Status finish();

 private:
  OutputFile() = default;
  std::FILE* file_ = nullptr;
  std::filesystem::path target_;  // empty: nothing to rename
  std::filesystem::path partial_;
};

}  // namespace tbci::series_io
