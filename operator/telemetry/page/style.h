// The report page's style sheet, page.css, which the build turns into a string.
#pragma once

#include <string_view>

namespace lips::page {

extern const std::string_view style;

}  // namespace lips::page
