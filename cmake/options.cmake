# What every target of ours is compiled with. Link `tbci_options` privately.
add_library(tbci_options INTERFACE)
target_include_directories(tbci_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tbci_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees uninitialised values where there are none: std::optional when optimising, Catch2 under sanitizers.
  target_compile_options(tbci_options INTERFACE -Wno-maybe-uninitialized)
  if(CMAKE_UNITY_BUILD)
    # Takes a file that a unity file includes for a header.
    target_compile_options(tbci_options INTERFACE -Wno-subobject-linkage)
    # The compiler's own garbage collection takes about an eighth of the time of a large unit, and saves a quarter of
    # its memory: docs/building.md.
    target_compile_options(tbci_options INTERFACE --param=ggc-min-expand=400 --param=ggc-min-heapsize=400000)
  endif()
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # The initialisers of libgit2's structures leave fields out.
  target_compile_options(tbci_options INTERFACE -Wno-missing-field-initializers)
endif()

if(TBCI_SANITIZE)
  target_compile_options(tbci_options INTERFACE -fsanitize=${TBCI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(TBCI_SANITIZE MATCHES "undefined")
    # A third of the time it takes to compile, for what AddressSanitizer or the processor shows as well, and for wrong casts.
    target_compile_options(tbci_options INTERFACE -fno-sanitize=null,alignment,vptr,object-size)
  endif()
  target_link_options(tbci_options INTERFACE -fsanitize=${TBCI_SANITIZE})
  if(TBCI_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Boost.Asio has fences, which GCC warns that this sanitizer does not see. Its queues are locked besides.
    target_compile_options(tbci_options INTERFACE -Wno-tsan)
  endif()
endif()

find_program(TBCI_CCACHE ccache)
if(TBCI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TBCI_CCACHE})
endif()
find_program(TBCI_MOLD mold)
if(TBCI_MOLD)
  target_link_options(tbci_options INTERFACE -fuse-ld=mold)
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)

# tbci_library(<folder>): the library of a folder, made of all its .cpp files.
function(tbci_library folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(tbci_${folder} STATIC ${sources})
  target_link_libraries(tbci_${folder} PUBLIC tbci_options)
  tbci_begin_with(tbci_common_headers tbci_${folder})
endfunction()

# tbci_optimise(<file>...): these files of the folder compute for long, and are optimised further than the rest, also
# under a sanitizer; not by `quick`, as a demo's search computes for a few seconds.
function(tbci_optimise)
  if(CMAKE_CXX_FLAGS_${build_type} MATCHES "-O0" AND NOT TBCI_SANITIZE)
    return()
  endif()
  foreach(file IN LISTS ARGN)
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt optimises ${file}, which is not there")
    endif()
    set_source_files_properties(${file} PROPERTIES
      COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()
