// What an iteration would have a GPU do: counted by the operators that reach the stand-in.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace tbci::suite::standin {

struct Counts {
  std::int64_t launches = 0;                  // operators that compute: one each, however many kernels CUDA has for it
  std::int64_t to_device = 0;                 // tensors copied from the host
  std::int64_t to_host = 0;                   // tensors copied to the host, without single numbers by item()
  std::map<std::string, std::int64_t> waits;  // for which the host waits until the GPU has done all before: by operator

  std::int64_t all_waits() const;
};

// Of `work`, on all threads. Not to be nested.
Counts counts_of(const std::function<void()>& work);

// Called by the stand-in, from any thread.
void note_launch();
void note_copy_to_device(bool waits);
void note_copy_to_host();
void note_wait(const std::string& reason, std::int64_t times = 1);

}  // namespace tbci::suite::standin
