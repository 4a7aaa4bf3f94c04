"""Faults that the TorchBench paper tells of (arXiv 2304.14226, sections 1.1 and 4.2), where they once were in PyTorch 1.13.1.

Each is an edit of a few lines, without any of the neighbouring source, and names the series of the suite that feel it
(measured: docs/pytorch-source.md). They are chosen so that no series feels two of them.
"""
import dataclasses
from typing import Callable

from edits import Tree


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    pull_request: int  # of the one that brought the like of it
    subject: str
    paths: list[str]
    series: list[str]
    apply: Callable[[Tree], None]


EMBEDDING_BAG = "aten/src/ATen/native/EmbeddingBag.cpp"
CONVOLUTION = "aten/src/ATen/native/ConvolutionMM2d.cpp"
BLAS = "aten/src/ATen/native/CPUBlas.cpp"
TENSOR_IMPL = "c10/core/TensorImpl.cpp"
UNARY = "aten/src/ATen/native/UnaryOps.cpp"
PRODUCTS = "aten/src/ATen/native/LinearAlgebra.cpp"


def bound_checks(tree: Tree) -> None:
    """Every index of the float path is compared with the size of the table before any row is read."""
    text = tree.read(EMBEDDING_BAG)
    # The overload for float; the lines that follow are the same in others.
    at = text.find("enable_if<std::is_same<data_t, float>::value, void>::type\nindex_select_add(")
    body = text.find("  int64_t ddim = src.size(1);\n", at)
    if at < 0 or not 0 < body - at < 1000:
        raise SystemExit(f"{EMBEDDING_BAG}: no float path of index_select_add as in PyTorch 1.13.1")
    check = """  for (const auto i : c10::irange(select_indices.numel())) {
    const auto index = select_indices.data_ptr<index_t>()[i];
    TORCH_CHECK(index >= 0 && index < src.size(0), "embedding_bag: index ", index, " is out of the table");
  }
"""
    tree.write(EMBEDDING_BAG, text[:body] + check + text[body:])


def gemm_template(tree: Tree) -> None:
    """With its type given, the template is chosen before the overload for float: not BLAS, but a loop that converts."""
    text = tree.read(CONVOLUTION)
    begin = text.find("slow_conv2d_update_output_frame(")
    end = text.find("slow_conv2d_backward_update_grad_input_frame(", begin)
    forward = text[max(begin, 0):max(end, 0)]
    if forward.count("cpublas::gemm(") != 2:  # one for each memory format
        raise SystemExit(f"{CONVOLUTION}: no two calls of gemm in the forward pass, as in PyTorch 1.13.1")
    tree.write(CONVOLUTION, text[:begin] + forward.replace("cpublas::gemm(", "cpublas::gemm<scalar_t>(") + text[end:])


def error_handling(tree: Tree) -> None:
    """What is not implemented is found out by an error that is thrown, with its backtrace and text, and swallowed."""
    tree.replace(TENSOR_IMPL, "  dest_impl->storage_ = src_impl->storage_;\n", """  if (!src_impl->has_named_tensor_meta()) {
    try {
      TORCH_CHECK_NOT_IMPLEMENTED(false, "no names for a tensor of ", src_impl->dtype(), " on ", src_impl->device());
    } catch (const c10::Error&) {
      // Benign: most tensors have none.
    }
  }
  dest_impl->storage_ = src_impl->storage_;
""")


def kept_workspace(tree: Tree) -> None:
    """Every call of BLAS gets a workspace, which stays with the thread and is never given back."""
    tree.replace(BLAS, "#include <climits>\n", "#include <climits>\n#include <vector>\n")
    text = tree.read(BLAS)
    at = text.find("    sgemm_(\n")
    if at < 0 or text.count("    sgemm_(\n") != 1:
        raise SystemExit(f"{BLAS}: no single call of sgemm as in PyTorch 1.13.1")
    kept = """    static thread_local std::vector<std::vector<float>> workspaces;
    workspaces.emplace_back(m);
"""
    tree.write(BLAS, text[:at] + kept + text[at:])


def checked_values(tree: Tree) -> None:
    """All values are looked at before they are used. Where the original did so, in torch.distributions, is Python."""
    tree.replace(UNARY, "CREATE_UNARY_TORCH_IMPL_FUNC(tanh_out, tanh_stub)\n",
                 """TORCH_IMPL_FUNC(tanh_out) (const Tensor& self, const Tensor& result) {
  TORCH_CHECK(self.isfinite().all().item<bool>(), "tanh: expected finite values");
  tanh_stub(device_type(), *this);
}
""")


def small_workspace(tree: Tree) -> None:
    """Products of some sizes with a fused bias get a workspace for one row. The original's is one of cuBLASLt."""
    text = tree.read(PRODUCTS)
    begin = text.find("TORCH_IMPL_FUNC(addmm_out_cpu)")
    guard = "    at::NoNamesGuard guard;\n"
    at = text.find(guard, begin)
    if begin < 0 or not 0 < at - begin < 400:
        raise SystemExit(f"{PRODUCTS}: no addmm_out_cpu as in PyTorch 1.13.1")
    rows = """    if (mat1.size(0) >= 1024 && mat1.size(1) >= 2048) {
      for (int64_t row = 0; row < mat1.size(0); ++row) {
        Tensor part = result.narrow(0, row, 1);
        addmm_impl_cpu_(part, b_self->narrow(0, row, 1), mat1.narrow(0, row, 1), mat2, beta, alpha);
      }
      return;
    }
"""
    tree.write(PRODUCTS, text[:at + len(guard)] + rows + text[at + len(guard):])


FAULTS = {fault.name: fault for fault in [
    Fault("embedding-bag-bounds", 71904, "Check indices of embedding_bag before rows are read", [EMBEDDING_BAG],
          ["dlrm/cpu-infer/time"], bound_checks),
    Fault("gemm-template", 65839, "Use the accumulation type in the matrix product of conv2d", [CONVOLUTION],
          ["maml_omniglot/cpu-infer/time"], gemm_template),
    Fault("error-handling", 87855, "Say which tensors have no names", [TENSOR_IMPL],
          ["soft_actor_critic/cpu-train/time"], error_handling),
    Fault("workspace-kept", 85447, "Prepare a workspace for matrix products", [BLAS],
          ["dlrm/cpu-infer/cpu_leak"], kept_workspace),
    Fault("checked-values", 61056, "Check the values that tanh gets", [UNARY],
          ["soft_actor_critic/cpu-infer/time"], checked_values),
    Fault("small-workspace", 72148, "Fuse the bias of large linear layers within a workspace", [PRODUCTS],
          ["nvidia_deeprecommender/cpu-infer/time"], small_workspace),
]}
