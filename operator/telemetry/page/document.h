// A whole page around its content: self-contained HTML without script, nothing fetched. Knows nothing of reports.
#pragma once

#include <string>

namespace lips::page {

// The content is HTML.
std::string render_document(const std::string& title, const std::string& content);

}  // namespace lips::page
