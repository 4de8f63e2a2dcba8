# Functions that every CMakeLists.txt here uses.
find_package(Threads REQUIRED)
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(lips_options INTERFACE)
target_compile_options(lips_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(LIPS_WERROR)
  target_compile_options(lips_options INTERFACE -Werror)
endif()
if(LIPS_SANITIZE)
  target_compile_options(lips_options INTERFACE -fsanitize=${LIPS_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(lips_options INTERFACE -fsanitize=${LIPS_SANITIZE})
endif()

# lips_library(NAME): the library lips_NAME of all .cpp files in this folder.
function(lips_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  if(NOT sources)  # a folder of headers only, so far: one empty source keeps the PRIVATE links legal
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/headers_only.cpp)
    file(WRITE ${sources} "")
  endif()
  add_library(lips_${name} STATIC ${sources})
  target_include_directories(lips_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/operator)
  target_link_libraries(lips_${name} PRIVATE lips_options)
endfunction()
