# A family of models is a file models/FOLDER/NAME.cpp that defines `std::vector<Benchmark> models::NAME()`. So the
# registry's list of them follows from the files that are there.

# choose_families(LIST CHOSEN): takes the families that are not chosen out of LIST (none chosen: all stay), and writes
# the table of those that stay for registry.cpp. An unknown name ends the configuration.
function(choose_families list chosen)
  set(sources ${${list}})
  set(names)
  foreach(source IN LISTS sources)
    if(source MATCHES "/suite/models/[a-z0-9_]+/([a-z0-9_]+)\\.cpp$")
      set(name ${CMAKE_MATCH_1})
      if(name IN_LIST names)
        message(FATAL_ERROR "two files in models/ are named ${name}.cpp: rename one")
      endif()
      if(chosen STREQUAL "" OR name IN_LIST chosen)
        list(APPEND names ${name})
      else()
        list(REMOVE_ITEM sources ${source})
      endif()
    endif()
  endforeach()
  foreach(name IN LISTS chosen)
    if(NOT name IN_LIST names)
      message(FATAL_ERROR "TBCI_SUITE_FAMILIES: there is no models/*/${name}.cpp")
    endif()
  endforeach()

  set(text "#include \"suite/benchmark.hpp\"\n\nnamespace tbci::suite::models {\n\n")
  foreach(name IN LISTS names)
    string(APPEND text "std::vector<Benchmark> ${name}();\n")
  endforeach()
  list(JOIN names ", " row)
  string(APPEND text "\ninline constexpr std::vector<Benchmark> (*families[])() = {${row}};\n\n}  // namespace tbci::suite::models\n")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/suite/models/families.inc CONTENT "${text}" @ONLY)
  set(${list} ${sources} PARENT_SCOPE)
endfunction()

# choose_tests(LIST CHOSEN): takes tests/suite/models/NAME_test.cpp of families that are not chosen out of LIST, and the
# tests that speak of the whole list.
function(choose_tests list chosen)
  set(tests ${${list}})
  foreach(test IN LISTS tests)
    if(chosen STREQUAL "")
      continue()
    endif()
    if(test MATCHES "/registry_test\\.cpp$" OR test MATCHES "/protocol_test\\.cpp$" OR
       (test MATCHES "/models/([a-z0-9_]+)_test\\.cpp$" AND NOT CMAKE_MATCH_1 IN_LIST chosen))
      list(REMOVE_ITEM tests ${test})
    endif()
  endforeach()
  set(${list} ${tests} PARENT_SCOPE)
endfunction()
