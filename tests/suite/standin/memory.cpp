#include "tests/suite/standin/memory.hpp"

#include <ATen/SparseTensorImpl.h>
#include <c10/core/StorageImpl.h>

namespace tbci::suite::standin {
namespace {

void release(void* held) {
  delete static_cast<c10::Storage*>(held);
}

c10::DataPtr pointer_to(const c10::Storage& host) {
  return {host.mutable_data(), new c10::Storage(host), &release, device};
}

const c10::Storage& host_storage(const c10::Storage& ours) {
  const c10::DataPtr& pointer = ours.data_ptr();
  TORCH_CHECK(pointer.get_deleter() == &release, "a storage of the stand-in that the stand-in has not made");
  return *static_cast<const c10::Storage*>(pointer.get_context());
}

bool same(const c10::Storage& a, const c10::Storage& b) {
  return a.unsafeGetStorageImpl() == b.unsafeGetStorageImpl();
}

// A tensor over the storage, which looks at it as the pattern does.
at::Tensor over(c10::Storage storage, c10::DispatchKey key, const at::Tensor& pattern) {
  using c10::DispatchKey;
  const auto bits = pattern.key_set() & c10::DispatchKeySet({DispatchKey::Conjugate, DispatchKey::Negative});
  auto tensor =
      at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key) | bits, pattern.dtype());
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(pattern.sizes(), pattern.strides(), pattern.storage_offset());
  if (pattern.unsafeGetTensorImpl()->is_wrapped_number()) tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

at::SparseTensorImpl* sparse_impl(const at::Tensor& tensor) {
  return static_cast<at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
}

at::Tensor sparse_tensor(c10::DispatchKey key, const at::Tensor& pattern, const at::Tensor& indices,
                         const at::Tensor& values) {
  auto tensor = at::detail::make_tensor<at::SparseTensorImpl>(c10::DispatchKeySet(key), pattern.dtype());
  const auto* like = sparse_impl(pattern);
  auto* made = sparse_impl(tensor);
  made->raw_resize_(like->sparse_dim(), like->dense_dim(), pattern.sizes());
  made->set_indices_and_values_unsafe(indices, values);
  made->set_coalesced(like->coalesced());
  return tensor;
}

void follow_shape(const at::Tensor& ours, const at::Tensor& host) {
  if (ours.sizes() == host.sizes() && ours.strides() == host.strides() &&
      ours.storage_offset() == host.storage_offset())
    return;
  ours.unsafeGetTensorImpl()->set_sizes_and_strides(host.sizes(), host.strides(), host.storage_offset());
}

// After a resize the host's storage has other bytes.
void follow_bytes(const c10::Storage& ours) {
  const c10::Storage host = host_storage(ours);  // a copy, as the pointer that holds it is replaced
  if (ours.data() == host.data() && ours.nbytes() == host.nbytes()) return;
  ours.unsafeGetStorageImpl()->set_data_ptr_noswap(pointer_to(host));
  ours.unsafeGetStorageImpl()->set_nbytes(host.nbytes());
}

}  // namespace

bool is_on_standin(const at::Tensor& tensor) {
  return tensor.defined() && tensor.is_cuda();
}

at::Tensor Twins::host_of(const at::Tensor& ours) {
  for (const Pair& pair : pairs_) {
    if (pair.ours.is_same(ours)) return pair.host;
  }
  at::Tensor host =
      ours.is_sparse() ? sparse_host_of(ours) : over(host_storage(ours.storage()), c10::DispatchKey::CPU, ours);
  pairs_.push_back({ours, host});
  return host;
}

at::Tensor Twins::sparse_host_of(const at::Tensor& ours) {
  const auto* made = sparse_impl(ours);
  return sparse_tensor(c10::DispatchKey::SparseCPU, ours, host_of(made->indices()), host_of(made->values()));
}

at::Tensor Twins::sparse_ours_of(const at::Tensor& host) {
  const auto* made = sparse_impl(host);
  return sparse_tensor(c10::DispatchKey::SparseCUDA, host, ours_of(made->indices()), ours_of(made->values()));
}

at::Tensor Twins::ours_of(const at::Tensor& host) {
  if (!host.defined()) return host;
  for (const Pair& pair : pairs_) {
    if (pair.host.is_same(host)) return pair.ours;
  }
  if (host.is_sparse()) return sparse_ours_of(host);
  return over(storage_over(host.storage()), c10::DispatchKey::CUDA, host);
}

c10::Storage Twins::storage_over(const c10::Storage& host) {
  for (const Pair& pair : pairs_) {
    if (!pair.ours.is_sparse() && same(host_storage(pair.ours.storage()), host)) return pair.ours.storage();
  }
  for (const c10::Storage& made : made_) {
    if (same(host_storage(made), host)) return made;
  }
  made_.emplace_back(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), host.nbytes(),
                                                           pointer_to(host), nullptr, false));
  return made_.back();
}

bool Twins::shares_memory(const at::Tensor& host) const {
  if (!host.defined() || host.is_sparse()) return false;
  for (const Pair& pair : pairs_) {
    if (!pair.ours.is_sparse() && same(pair.host.storage(), host.storage())) return true;
  }
  return false;
}

void Twins::follow() {
  const auto pairs = pairs_;  // not those that come below
  for (const Pair& pair : pairs) {
    if (pair.ours.is_sparse()) {
      auto* ours = sparse_impl(pair.ours);
      const auto* host = sparse_impl(pair.host);
      ours->raw_resize_(host->sparse_dim(), host->dense_dim(), host->sizes());
      ours->set_indices_and_values_unsafe(ours_of(host->indices()), ours_of(host->values()));
      ours->set_coalesced(host->coalesced());
      continue;
    }
    if (!same(host_storage(pair.ours.storage()), pair.host.storage()))
      pair.ours.unsafeGetTensorImpl()->set_storage_keep_dtype(storage_over(pair.host.storage()));
    follow_bytes(pair.ours.storage());
    follow_shape(pair.ours, pair.host);
  }
}

}  // namespace tbci::suite::standin
