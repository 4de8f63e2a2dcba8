# Functions that every CMakeLists.txt here uses.
find_package(Threads REQUIRED)

include(${CMAKE_CURRENT_LIST_DIR}/ccache.cmake)

add_library(lips_options INTERFACE)
target_compile_options(lips_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# g++ 12 sees overlaps and overruns in std::string's + that are not there (GCC bugs 105329 and 105651); they stay warnings.
if(LIPS_WERROR)
  target_compile_options(lips_options INTERFACE -Werror
    $<$<CXX_COMPILER_ID:GNU>:-Wno-error=array-bounds -Wno-error=restrict -Wno-error=stringop-overflow -Wno-error=stringop-overread
    -Wno-error=maybe-uninitialized>)
endif()
target_link_libraries(lips_options INTERFACE lips_ccache_options)
if(LIPS_SANITIZE)
  target_compile_options(lips_options INTERFACE -fsanitize=${LIPS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(lips_options INTERFACE -fsanitize=${LIPS_SANITIZE})
endif()
if(LIPS_FUZZ)
  target_compile_options(lips_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# All that the build writes and the code includes: a target that editors and checkers can ask for before they read the code.
add_custom_target(lips_generated)

# lips_version: "version.h" with the release and, in a clone with git at hand, the commit. Looked up at each build, because the
# commit changes without any file of the build changing; written only when it differs.
set(LIPS_VERSION_DIR ${PROJECT_BINARY_DIR}/generated/version)
add_custom_target(lips_version_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DOUT=${LIPS_VERSION_DIR}/version.h
          -P ${PROJECT_SOURCE_DIR}/cmake/version.cmake
  BYPRODUCTS ${LIPS_VERSION_DIR}/version.h
  COMMENT "Looking up the version" VERBATIM)
add_dependencies(lips_generated lips_version_header)
add_library(lips_version INTERFACE)
target_include_directories(lips_version INTERFACE ${LIPS_VERSION_DIR})
add_dependencies(lips_version lips_version_header)

# lips_unity(TARGET [ALONE FOLDER_OR_FILE...]): compiles the .cpp of a folder together, because most of a file's time goes into the headers that
# its neighbours read too. Names in anonymous namespaces then have to differ within a folder; folders and files in which they do not are left out.
# Presets that look for a missing include compile each file alone (LIPS_UNITY=OFF).
option(LIPS_UNITY "Compile the sources of a folder together" OFF)
set(LIPS_UNITY_FILES 8)  # at most so many at once: memory, and work for every core
function(lips_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 unity "" "" ALONE)
  if(NOT LIPS_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(base ${target} SOURCE_DIR)
  set(previous "")
  foreach(source ${sources})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${base} OUTPUT_VARIABLE relative)
    cmake_path(GET relative PARENT_PATH folder)
    if(folder STREQUAL "")
      set(folder .)
    endif()
    if(NOT folder STREQUAL previous)
      set(previous ${folder})
      set(count 0)
    endif()
    if(NOT folder IN_LIST unity_ALONE AND NOT relative IN_LIST unity_ALONE)
      math(EXPR part "${count} / ${LIPS_UNITY_FILES}")
      math(EXPR count "${count} + 1")
      string(MAKE_C_IDENTIFIER "${folder}_${part}" group)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes every .cpp but the one it was given for a header, in which such a member would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# lips_precompiled(TARGET HEADER...): an object library that carries these headers precompiled; others reuse them. Headers as between
# #include's marks and with them: a path of this machine in the file that lists them would keep ccache from finding it for another folder.
function(lips_precompiled target)
  add_library(${target} OBJECT ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/precompiled.cpp)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(LIPS_CCACHE_BY_FILES)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${LIPS_CCACHE_BY_FILES}")
  endif()
endfunction()

# lips_library(NAME [ALONE FOLDER_OR_FILE...]): the library lips_NAME of all .cpp files in this folder and below.
function(lips_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  if(NOT sources)  # a folder of headers alone still is a library that others link
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/lips_${name}_headers.cpp)
    file(CONFIGURE OUTPUT ${sources} CONTENT "")
  endif()
  add_library(lips_${name} STATIC ${sources})
  target_include_directories(lips_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/operator)
  target_link_libraries(lips_${name} PRIVATE lips_options)
  if(TARGET lips_precompiled)
    target_precompile_headers(lips_${name} REUSE_FROM lips_precompiled)
  endif()
  lips_unity(lips_${name} ${ARGN})
endfunction()
