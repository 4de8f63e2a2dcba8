#include "records/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/check.h"

namespace lips {

void JsonText::value(double content) {
  LIPS_CHECK(std::isfinite(content), "a snapshot holds finite numbers");
  fmt::format_to(std::back_inserter(out_), "{}", content);  // the shortest text that reads back as the same number
  if (content == 0 && std::signbit(content)) out_ += ".0";  // "-0" is a whole number, which has no sign
}

void JsonText::value(std::int64_t content) { fmt::format_to(std::back_inserter(out_), "{}", content); }

void JsonText::text(std::string_view content) {
  out_ += '"';
  for (char c : content) {
    if (c == '"' || c == '\\')
      out_ += '\\', out_ += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned>(c));
    else
      out_ += c;
  }
  out_ += '"';
}

}  // namespace lips
