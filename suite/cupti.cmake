# NVIDIA's tracing library, for the split of a GPU's time. It lies in the CUDA toolkit, or beside LibTorch where both came
# as wheels. Without it the worker is built all the same and tells no split.
function(use_cupti target torch_prefix)
  set(places "${CUDA_TOOLKIT_ROOT_DIR}/extras/CUPTI" "${CUDA_TOOLKIT_ROOT_DIR}" "${CUDAToolkit_ROOT}/extras/CUPTI"
    "/usr/local/cuda/extras/CUPTI" "${torch_prefix}/../nvidia/cuda_cupti")
  file(GLOB together "${torch_prefix}/../nvidia/cu[0-9]*")  # wheels of CUDA 13 and newer share one folder
  find_path(TBCI_CUPTI_INCLUDE cupti.h HINTS ${places} ${together} PATH_SUFFIXES include)
  find_library(TBCI_CUPTI_LIBRARY NAMES cupti libcupti.so.12 libcupti.so.13 libcupti.so.11.8 HINTS ${places} ${together}
    PATH_SUFFIXES lib lib64)
  if(NOT TBCI_CUPTI_INCLUDE OR NOT TBCI_CUPTI_LIBRARY)
    message(STATUS "CUPTI was not found: the worker does not report the split of a GPU's time")
    return()
  endif()
  message(STATUS "CUPTI: ${TBCI_CUPTI_LIBRARY}")
  target_include_directories(${target} SYSTEM PRIVATE ${TBCI_CUPTI_INCLUDE})
  target_link_libraries(${target} PUBLIC ${TBCI_CUPTI_LIBRARY})
  set_property(SOURCE gpu_trace.cpp APPEND PROPERTY COMPILE_DEFINITIONS TBCI_WITH_CUPTI)
endfunction()
