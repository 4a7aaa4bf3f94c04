// Internal to base: the start of a child process, and the pipes that it writes to.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "base/process.hpp"

namespace tbci::process {

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

/// A child that runs below its guard (base/process_guard.hpp). The guard must be reaped.
struct Child {
  pid_t guard = -1;
  Descriptor connection;  ///< to the guard: a byte asks it to end the child, it answers with a GuardReport
  Stream output, error;
};

/// Starts the command, in a session of its own, with its output and errors in pipes. Errors:
/// `usage` (an empty command, a CPU that is not there), `machine` (no such program, a folder that it may write does
/// not exist, or the system refused).
Result<Child> start(const Command& command);

}  // namespace tbci::process
