#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "runner/environment/facts.hpp"

namespace tbci::runner {

void add_memory_facts(FactReader& reader) {
  const std::string total = field_of(reader.text("proc/meminfo"), "MemTotal");
  double kib = 0;
  std::from_chars(total.data(), total.data() + total.size(), kib);
  // Rounded, because the memory that the kernel reserves differs by a few MiB from boot to boot.
  if (kib > 0) reader.add("memory", fmt::format("{:.1f} GiB", std::round(kib / (1 << 19)) / 2));
  reader.add_chosen("huge_pages", "sys/kernel/mm/transparent_hugepage/enabled");
  reader.add_chosen("huge_pages_defrag", "sys/kernel/mm/transparent_hugepage/defrag");
  reader.add_file("swappiness", "proc/sys/vm/swappiness");
  reader.add_file("aslr", "proc/sys/kernel/randomize_va_space");
}

}  // namespace tbci::runner
