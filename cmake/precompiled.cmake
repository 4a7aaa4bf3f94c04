# The headers that nearly every file includes, compiled once for all of them. Only by clang, and only where nothing is
# optimised (quick, sanitizers): clang takes no precompiled header of another optimisation. Each file still includes what
# it needs: `separate` builds without.
set(TBCI_PRECOMPILE FALSE)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_FLAGS_${build_type} MATCHES "-O0" AND CMAKE_UNITY_BUILD)
  set(TBCI_PRECOMPILE TRUE)
  if(TBCI_CCACHE)  # keeps nothing of a file that begins with a precompiled header, unless this allows it
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
endif()

# tbci_precompiled_headers(<target> <headers>...): an object library that holds them.
function(tbci_precompiled_headers target)
  if(TBCI_PRECOMPILE)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp CONTENT "")
    add_library(${target} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
    target_link_libraries(${target} PRIVATE tbci_options fmt::fmt tl::expected Threads::Threads nlohmann_json::nlohmann_json)
    # Without the time, so that ccache finds the same header again.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# tbci_begin_with(<precompiled> <target>)
function(tbci_begin_with precompiled target)
  if(TBCI_PRECOMPILE)
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
endfunction()
