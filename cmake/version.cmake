# Writes OUT, a header with VERSION and the commit of SOURCE ("" without git or outside a clone), unless it says so already.
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND git -C ${SOURCE} describe --always --dirty --tags --abbrev=10
  OUTPUT_VARIABLE revision ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  set(revision "")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "// Which LiPS this is. Written by the build.
#pragma once

#include <string_view>

namespace lips {

inline constexpr std::string_view version = \"${VERSION}\";
inline constexpr std::string_view revision = \"${revision}\";  // of the clone it was built in; empty when not known

}  // namespace lips
")
