# Finds LibTorch: Torch_VERSION, TORCH_CXX_FLAGS, TORCH_INCLUDE_DIRS, TORCH_LIBRARIES, Torch_DIR. And what its half for the GPU
# is built with (cuda.cmake): TBCI_CUDA_INCLUDES, or TBCI_WHY_NO_GPU.
#
# A LibTorch with CUDA wants a whole CUDA Toolkit as soon as CMake looks for it, also where nothing is compiled for a GPU. The
# worker is plain C++, and so it takes the libraries as they lie: the worker itself LibTorch's half for the CPU, which loads no
# library of CUDA but libcudart and libcupti; and libtbci-gpu.so the rest.

# Through a link in the build folder: the programs find LibTorch by it, so that tbci can give a copy of the worker another
# LibTorch with the same headers (runner/worker_reuse.hpp); and the compiler's cache knows what it compiled for one LibTorch
# from what it compiles for another, as the link has the same name in each build folder.
find_path(TBCI_TORCH_FOUND share/cmake/Torch/TorchConfig.cmake)
if(NOT TBCI_TORCH_FOUND)
  message(FATAL_ERROR "there is no LibTorch: name the folder that has share/cmake/Torch by CMAKE_PREFIX_PATH")
endif()
set(TBCI_TORCH_PREFIX "${CMAKE_CURRENT_BINARY_DIR}/torch")
file(CREATE_LINK "${TBCI_TORCH_FOUND}" "${TBCI_TORCH_PREFIX}" SYMBOLIC)
if(TBCI_TORCH_FOUND STREQUAL "/usr")  # a distribution's: the compiler must know its folder as the one of the system
  set(TBCI_TORCH_PREFIX "/usr")
else()
  list(PREPEND CMAKE_PREFIX_PATH "${TBCI_TORCH_PREFIX}")
endif()
set(CMAKE_BUILD_RPATH "$ORIGIN/torch/lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(TBCI_WHY_NO_GPU "this LibTorch was built without CUDA")
if(NOT EXISTS "${TBCI_TORCH_PREFIX}/lib/libtorch_cuda.so")
  find_package(Torch REQUIRED)
  return()
endif()

set(Torch_DIR "${TBCI_TORCH_PREFIX}/share/cmake/Torch")
file(READ "${Torch_DIR}/TorchConfigVersion.cmake" text)
if(NOT text MATCHES "PACKAGE_VERSION \"([0-9.]+)")
  message(FATAL_ERROR "${Torch_DIR}/TorchConfigVersion.cmake names no version")
endif()
set(Torch_VERSION "${CMAKE_MATCH_1}")
file(READ "${Torch_DIR}/TorchConfig.cmake" text)
set(TORCH_CXX_FLAGS "")
if(text MATCHES "set\\(TORCH_CXX_FLAGS \"(-D_GLIBCXX_USE_CXX11_ABI=[01])\"")  # releases before 2.8
  set(TORCH_CXX_FLAGS "${CMAKE_MATCH_1}")
endif()
set(TORCH_INCLUDE_DIRS "${TBCI_TORCH_PREFIX}/include" "${TBCI_TORCH_PREFIX}/include/torch/csrc/api/include")
# All of them, whatever the worker names: a library registers its operators when it is loaded.
set(TORCH_LIBRARIES -Wl,--no-as-needed "${TBCI_TORCH_PREFIX}/lib/libtorch_cpu.so" "${TBCI_TORCH_PREFIX}/lib/libc10.so"
  -Wl,--as-needed)
