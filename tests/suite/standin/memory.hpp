// The stand-in's memory is the host's. A tensor of it has a storage of its own, on the device, which holds a storage of
// the host with the same bytes: so a kernel of the CPU can be given the bytes, and a view stays a view.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace tbci::suite::standin {

// The device has CUDA's type: LibTorch and the models decide by that type, and a LibTorch without CUDA has no kernel
// for it, so the type is free.
inline const torch::Device device{torch::kCUDA, 0};

bool is_on_standin(const at::Tensor& tensor);

// The tensors of one call of an operator: each of the stand-in's, with the host's tensor that stands for it.
class Twins {
 public:
  // The host's tensor with the same bytes; always the same one for the same tensor.
  at::Tensor host_of(const at::Tensor& ours);

  // The stand-in's tensor for what a kernel of the CPU has returned: the argument itself, a view of one, or a new one.
  at::Tensor ours_of(const at::Tensor& host);

  // A kernel may have changed the shape or the storage of what it writes: the stand-in's tensors follow.
  void follow();

  // Whether it is, or looks at, the memory of an argument.
  bool shares_memory(const at::Tensor& host) const;

 private:
  struct Pair {
    at::Tensor ours, host;
  };
  at::Tensor sparse_host_of(const at::Tensor& ours);
  at::Tensor sparse_ours_of(const at::Tensor& host);
  c10::Storage storage_over(const c10::Storage& host);

  std::vector<Pair> pairs_;
  std::vector<c10::Storage> made_;  // storages of the stand-in that this call has made
};

}  // namespace tbci::suite::standin
