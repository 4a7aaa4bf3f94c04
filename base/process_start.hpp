// Internal to base: the start of a child process, and the pipes that it writes to.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/process.hpp"

namespace tbci::process {

/// A file descriptor, closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return value_; }
  bool open() const { return value_ >= 0; }
  void reset() {
    if (value_ >= 0) ::close(value_);
    value_ = -1;
  }

 private:
  int value_;
};

/// A stream of the child: hands on whole lines and keeps the end.
class Stream {
 public:
  Stream(Descriptor source, std::function<void(std::string_view)> on_line, std::size_t kept_bytes)
      : source_(std::move(source)), on_line_(std::move(on_line)), kept_bytes_(kept_bytes) {}

  int descriptor() const { return source_.get(); }
  bool open() const { return source_.open(); }

  void read_some();
  void close();
  std::string take_kept();

 private:
  static constexpr std::size_t longest_line_bytes = 1 << 20;

  void take(std::string_view text);

  Descriptor source_;
  std::function<void(std::string_view)> on_line_;
  std::size_t kept_bytes_;
  std::string line_, kept_;
};

/// A child that runs. It must be reaped.
struct Child {
  pid_t pid = -1;
  Descriptor pidfd;
  Stream output, error;
};

/// Starts the command, in a process group of its own, with its streams in pipes and its standard input at /dev/null.
/// Errors: `usage` (an empty command, a CPU that is not there), `environment` (no such program, or the system refused).
Result<Child> start(const Command& command);

}  // namespace tbci::process
