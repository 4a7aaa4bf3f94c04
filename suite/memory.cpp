#include "suite/memory.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace tbci::suite {
namespace {

// A field of /proc/self/status in kilobytes.
std::int64_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.compare(0, field.size(), field) == 0) return std::stoll(line.substr(field.size())) * 1024;
  }
  return 0;
}

}  // namespace

bool reset_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5";
  clear.flush();
  return clear.good();
}

std::int64_t peak_bytes() {
  return status_bytes("VmHWM:");
}

void settle_allocator() {
  // 16 chunks of each size that a thread caches (24, 40, ... 1032 bytes): its cache holds fewer of each.
  constexpr std::size_t chunks = 16;
  for (std::size_t size = 24; size <= 1032; size += 16) {
    void* taken[chunks];
    for (void*& chunk : taken) chunk = std::malloc(size);
    for (void* chunk : taken) std::free(chunk);
  }
}

std::int64_t in_use_bytes() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 use = ::mallinfo2();
  return static_cast<std::int64_t>(use.uordblks + use.hblkhd);
#else
  return resident_bytes();
#endif
}

std::int64_t resident_bytes() {
  char text[128] = {};  // seven numbers, the second counts pages
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = ::read(file, text, sizeof text - 1);
  ::close(file);
  const char* second = length > 0 ? std::strchr(text, ' ') : nullptr;
  return second != nullptr ? std::strtoll(second, nullptr, 10) * ::sysconf(_SC_PAGESIZE) : 0;
}

ResidentPages resident_pages() {
  return {status_bytes("RssAnon:"), status_bytes("RssFile:") + status_bytes("RssShmem:")};
}

}  // namespace tbci::suite
