// The CPUs that a process may use: each rank gets its own of them.
#pragma once

#include <string>
#include <vector>

namespace tbci::suite::ranks {

std::vector<int> allowed_cpus();  // of the calling thread, ascending

// The calling thread, and those that it starts later. Without effect where the kernel refuses.
void pin_to(const std::vector<int>& cpus);

// While it lives, the calling thread uses these CPUs alone.
class Pinned {
 public:
  explicit Pinned(const std::vector<int>& cpus) : before_(allowed_cpus()) { pin_to(cpus); }
  ~Pinned() { pin_to(before_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::vector<int> before_;
};

// The CPUs of a rank: as many as it has threads. Where the ranks share CPUs (`cpus_are_shared`), all of them.
std::vector<int> cpus_of(int rank, int threads, const std::vector<int>& allowed);

// Empty if each thread of each rank gets a CPU, else the reason in one line.
std::string why_too_few_cpus(int ranks, int threads, const std::vector<int>& allowed);

// TBCI_RANKS_SHARE_CPUS=1: for tests of more ranks than there are CPUs. What is measured so says nothing.
bool cpus_are_shared();

}  // namespace tbci::suite::ranks
