#include "tests/suite/standin/golden.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tbci::suite::standin {
namespace {

constexpr const char* head =
    "# One iteration of each GPU case in ci size, after one to warm up, on the stand-in for a GPU with LibTorch 2.13:\n"
    "#   case | launches copies_to_device copies_to_host waits | who waits or copies | waits by operator\n"
    "# launches: operators that compute, below autograd. A copy to or from the device also counts as a wait.\n"
    "# Who: `original` (the original does so too, at the same place), `partly` (at some of the places), `ours` (only "
    "the\n"
    "# model here), `unknown` (not judged), - (nobody waits or copies). docs/suite.md says why.\n"
    "# TBCI_UPDATE_GOLDEN=1 suite-standin '[models]' rewrites all but that column, which is written by hand.\n";

constexpr const char* between = " | ";

Entry parsed(const std::string& line, std::string& name) {
  std::string parts[4];
  std::size_t begin = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t end = i == 3 ? std::string::npos : line.find(between, begin);
    if (i < 3 && end == std::string::npos) throw std::runtime_error("a line of the golden list is cut off: " + line);
    parts[i] = line.substr(begin, end - begin);
    begin = end + 3;
  }
  name = parts[0];
  return {parts[1], parts[2], parts[3]};
}

}  // namespace

Entry entry_of(const Counts& counts) {
  std::ostringstream numbers, detail;
  numbers << counts.launches << ' ' << counts.to_device << ' ' << counts.to_host << ' ' << counts.all_waits();
  for (const auto& [reason, times] : counts.waits) {
    detail << (detail.tellp() > 0 ? ", " : "") << reason << ' ' << times;
  }
  const bool nobody = counts.waits.empty() && counts.to_device == 0;
  return {numbers.str(), nobody ? "-" : "unknown", nobody ? "-" : detail.str()};
}

Entry unsupported(const std::string& why) {
  return {"unsupported", "-", why};
}

Golden read_golden(const std::string& path) {
  std::ifstream file(path);
  Golden golden;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::string name;
    const Entry entry = parsed(line, name);
    golden[name] = entry;
  }
  return golden;
}

void update_golden(const std::string& path, const Golden& entries) {
  Golden golden = read_golden(path);
  for (const auto& [name, entry] : entries) {
    const std::string before = golden[name].origin;
    golden[name] = entry;
    if (entry.origin != "-" && !before.empty() && before != "-") golden[name].origin = before;
  }
  std::ofstream file(path);
  file << head;
  for (const auto& [name, entry] : golden) {
    file << name << between << entry.counts << between << entry.origin << between << entry.detail << '\n';
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace tbci::suite::standin
