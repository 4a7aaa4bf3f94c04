// The subject for a GPU. It is written once, for the CPU, and translated: LibTorch gives the kernels of both the same
// names and signatures, so what differs is the namespace, the header, the key of the dispatcher and the libraries.
#pragma once

#include "miniature/change.hpp"

namespace tbci::miniature {

/// The files for a GPU, made of those for the CPU.
Tree for_gpu(const Tree& tree);

/// The change that does to the files for a GPU what `change` does to those for the CPU.
Change for_gpu(Change change);

}  // namespace tbci::miniature
