#include "runner/source/machine_trouble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace tbci::runner {

namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// Whether it ends with a place in a file: `a.cpp:3:1`, `a.cu(12)`. Not `collect2` or `clang-14`: a digit alone is not
// one.
bool ends_with_place(std::string_view text) {
  if (text.ends_with(')')) return text.size() >= 2 && is_digit(text[text.size() - 2]);
  const std::size_t before = text.find_last_not_of("0123456789");
  return before != std::string_view::npos && before + 1 < text.size() && text[before] == ':';
}

// `a.cpp:3:1: error: ...`, `a.cu(12): error: ...`: an error at a place in the source.
bool is_source_error(std::string_view line) {
  for (const std::string_view word : {": error:", ": fatal error:"}) {
    const std::size_t at = line.find(word);
    if (at != std::string_view::npos && ends_with_place(line.substr(0, at))) return true;
  }
  return false;
}

// What a linker says of symbols is the source's fault too.
bool is_link_error(std::string_view line) {
  return contains(line, "undefined reference to") || contains(line, "undefined symbol:") ||
         contains(line, "multiple definition of");
}

// `   12 | int x;`: a line of source code quoted by a compiler.
bool is_excerpt(std::string_view line) {
  const std::string_view text = trim(line);
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits > 0 && trim(text.substr(digits)).starts_with('|');
}

// A word of a tool, and what it means. `sure`: it counts although a compiler found an error in the source.
struct Sign {
  std::string_view words, meaning;
  bool sure = false;
};

constexpr std::string_view killed = "a process was killed, as when memory runs out; use fewer jobs";
constexpr std::string_view memory = "memory ran out; use fewer jobs";
constexpr std::string_view disk = "no space left on the device";
constexpr std::string_view broken_disk = "the disk cannot be read or written";
constexpr std::string_view network = network_trouble;
constexpr std::string_view tool = "a tool is missing";
constexpr std::string_view no_more_processes = "processes or memory ran out; use fewer jobs";
constexpr std::string_view gpu = "the GPU does not work";
constexpr std::string_view no_more_files = "too many files are open";

constexpr Sign signs[] = {
    {"Killed signal terminated program", killed, true},   // gcc
    {"internal compiler error: Killed", killed, true},    // gcc before 8
    {"terminated with signal 9", killed, true},           // collect2, of any linker
    {"unable to execute command: Killed", killed, true},  // clang
    {"died due to signal 9", killed, true},               // nvcc
    {"died with <Signals.SIGKILL: 9>", killed, true},     // Python's subprocess
    {"Error 137", killed, true},                          // make: 128 + SIGKILL
    {"code=137", killed, true},                           // ninja
    {"exit status 137", killed, true},
    {"exit code: 137", killed, true},
    {"No space left on device", disk, true},
    {"terminated with signal 7 [Bus error]", disk, true},  // a linker whose output file has no room on the disk
    {"Disk quota exceeded", "the disk quota is used up", true},
    {"Read-only file system", broken_disk, true},
    {"Input/output error", broken_disk, true},
    {"PytorchStreamWriter failed writing file", broken_disk, true},  // torch says no more of a full disk
    {"unexpected pos ", broken_disk, true},                          // nor does its archive
    {python_trouble, "the Python of [subject.aoti] or of the nightly", true},
    {"virtual memory exhausted", memory},
    {"memory exhausted", memory},
    {"Memory exhausted", memory},
    {"Cannot allocate memory", memory},
    {"out of memory allocating", memory},
    {"LLVM ERROR: out of memory", memory},
    {"std::bad_alloc", memory},
    {"Resource temporarily unavailable", no_more_processes},
    {"Too many open files", no_more_files},
    {"out of file descriptors", no_more_files},
    {"command not found", tool},
    {"CMAKE_CXX_COMPILER not set", "no compiler is installed"},
    {"unable to find a build program", "ninja or make is not installed"},
    {"Error 127", tool},
    {"ccache: error: ", "the compiler's cache does not work", true},
    {"Temporary failure in name resolution", network},
    {"Could not resolve host", network},
    {"Couldn't resolve host", network},
    {"Max retries exceeded", network},
    {"ReadTimeoutError", network},
    {"Connection refused", network},
    {"Connection reset", network},
    {"Connection timed out", network},
    {"Operation timed out", network},
    {"Timeout was reached", network},
    {"connection broken by", network},
    {"Failed to connect", network},
    {"Couldn't connect to server", network},
    {"Network is unreachable", network},
    {"No route to host", network},
    {"HTTP error 5", network},
    {"HTTP Error 5", network},
    {"returned error: 5", network},  // git and curl: 503
    {"HTTP error 429", network},     // too many requests
    {"HTTP Error 429", network},
    {"returned error: 429", network},
    {"(from versions: none)", network},  // all that pip says where the index answers with 503
    {"the remote end hung up unexpectedly", network},
    {"unexpected disconnect while reading", network},
    {"early EOF", network},
    {"RPC failed", network},
    {"SSL_ERROR_SYSCALL", network},
    {"gnutls_handshake() failed", network},
    {"CUDA finds no GPU: ", gpu},  // suite/gpu/half.cpp, with CUDA's own words
    {"uncorrectable ECC error", gpu},
    {"CUDA-capable device(s) is/are busy or unavailable", gpu},
    {"GPU is lost", gpu},
    {"cannot be killed and was left behind", "a process hangs in the kernel"},  // base/process.cpp
};

// `Error 137`, but not `Error 1370`.
bool says(std::string_view line, const Sign& sign) {
  const std::size_t at = line.find(sign.words);
  if (at == std::string_view::npos) return false;
  const std::size_t end = at + sign.words.size();
  const bool whole_number = is_digit(sign.words.back()) && sign.words.back() == '7';
  return !whole_number || end == line.size() || !is_digit(line[end]);
}

// A shell's own word for a child that was killed: `Killed`, `sh: line 1: 4711 Killed  cc1plus`.
bool is_shells_killed(std::string_view line) {
  return trim(line) == "Killed" || (contains(line, ": line ") && contains(line, " Killed "));
}

bool is_own_doing_of_a_worker(const Sign& sign) {
  return sign.meaning == memory || sign.meaning == no_more_processes || sign.meaning == no_more_files ||
         sign.meaning == tool;
}

template <typename Counts>
std::string first_trouble(std::string_view log, Counts counts) {
  const std::vector<std::string> lines = split(log, '\n');
  const bool source_at_fault =
      std::ranges::any_of(lines, [](const std::string& line) { return is_source_error(line) || is_link_error(line); });
  for (const std::string& line : lines) {
    if (is_shells_killed(line)) return fmt::format("{} ({})", killed, one_line(line, 160));
    // Only messages of tools: source code that does not compile may contain such words.
    const bool quotes_source = line.find(": error:") != std::string::npos && is_source_error(line);
    if (line.starts_with("$ ") || quotes_source || is_excerpt(line)) continue;
    for (const Sign& sign : signs) {
      if (counts(sign) && (sign.sure || !source_at_fault) && says(line, sign))
        return fmt::format("{} ({})", sign.meaning, one_line(line, 160));
    }
  }
  return {};
}

}  // namespace

std::string machine_trouble(std::string_view log) {
  return first_trouble(log, [](const Sign&) { return true; });
}

std::string machine_trouble_of_worker(std::string_view log) {
  return first_trouble(log, [](const Sign& sign) { return !is_own_doing_of_a_worker(sign); });
}

}  // namespace tbci::runner
