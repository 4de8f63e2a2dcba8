# ccache where it is installed. The settings let it work from any folder and beside precompiled headers.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(settings CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${settings} ${CCACHE})
  # For precompiled headers. ccache compares what the preprocessor makes of a file, without comments, but g++ recognises a
  # header in them by its whole text: after an edit of a comment it would read that header twice. This compares files.
  set(LIPS_CCACHE_BY_FILES ${CMAKE_COMMAND} -E env ${settings} CCACHE_DEPEND=1 ${CCACHE})
endif()

# ccache asks for these two beside precompiled headers.
add_library(lips_ccache_options INTERFACE)
target_compile_options(lips_ccache_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
