# Finds LibTorch: Torch_VERSION, TORCH_CXX_FLAGS, TORCH_INCLUDE_DIRS, TORCH_LIBRARIES, Torch_DIR, and TBCI_GPU: `cuda`,
# `none`, or `no toolkit`.
#
# A LibTorch with CUDA wants a whole CUDA Toolkit as soon as CMake looks for it, also where nothing is compiled for a GPU. The
# worker is plain C++: the headers and libcudart that the nvidia packages lay beside a torch wheel serve it, with the few
# headers that belong to the compiler (crt/) from a Toolkit of the same version, whole or not. Where they are missing,
# LibTorch's half for the CPU serves: it loads no library of CUDA but libcudart and libcupti, which it finds itself.

# LibTorch as it lies, without its own CMake files: the libraries named in ARGN.
macro(tbci_use_torch_as_it_lies)
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
  set(TORCH_LIBRARIES -Wl,--no-as-needed)
  foreach(library ${ARGN})
    list(APPEND TORCH_LIBRARIES "${TBCI_TORCH_PREFIX}/lib/lib${library}.so")
  endforeach()
  list(APPEND TORCH_LIBRARIES -Wl,--as-needed)
endmacro()

find_path(TBCI_TORCH_PREFIX share/cmake/Torch/TorchConfig.cmake)
set(TBCI_GPU none)
if(TBCI_TORCH_PREFIX AND EXISTS "${TBCI_TORCH_PREFIX}/lib/libtorch_cuda.so")
  set(TBCI_GPU cuda)
  find_package(CUDAToolkit QUIET)
  # One folder for all of CUDA 13, one for each of its libraries before that.
  file(GLOB nvidia_includes "${TBCI_TORCH_PREFIX}/../nvidia/*/include")
  file(GLOB nvidia_cudart "${TBCI_TORCH_PREFIX}/../nvidia/*/lib/libcudart.so.[0-9]*")
  set(cuda_includes ${nvidia_includes})
  if(CUDAToolkit_FOUND AND nvidia_cudart MATCHES "libcudart\\.so\\.${CUDAToolkit_VERSION_MAJOR}")
    list(APPEND cuda_includes ${CUDAToolkit_INCLUDE_DIRS})
  endif()
  foreach(header cuda_runtime_api.h cusparse.h crt/host_config.h)
    string(MAKE_C_IDENTIFIER "TBCI_HAS_${header}" found)
    find_path(${found} ${header} PATHS ${cuda_includes} NO_DEFAULT_PATH)
    if(NOT ${found})
      set(TBCI_GPU "no toolkit")
    endif()
  endforeach()
endif()

if(TBCI_GPU STREQUAL "none" OR (CUDAToolkit_FOUND AND NOT nvidia_cudart))
  find_package(Torch REQUIRED)
  if(TARGET torch_cuda)
    set(TBCI_GPU cuda)
  endif()
elseif(TBCI_GPU STREQUAL "cuda")
  tbci_use_torch_as_it_lies(torch torch_cpu torch_cuda c10 c10_cuda)
  list(APPEND TORCH_INCLUDE_DIRS ${cuda_includes})
  list(APPEND TORCH_LIBRARIES ${nvidia_cudart})
  message(STATUS "CUDA: the headers and libraries of the nvidia packages beside LibTorch")
else()
  tbci_use_torch_as_it_lies(torch_cpu c10)
  message(STATUS "no CUDA Toolkit: the worker has the configurations of the CPU alone")
endif()
