#include "telemetry/page/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/visible_text.h"

namespace lips::page {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// Bytes of the well-formed UTF-8 sequence that starts at `at`; 0 where there is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0) == 0xE0        ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text, at + i)) return 0;
  }
  if (length < 3) return length;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool outside = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const auto length = sequence_length(text, at);
    if (length != 1) {
      out += length == 0 || control_length(text, at) > 0 ? replacement : text.substr(at, length);
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if ((c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f') {
      out += replacement;
    } else {
      out += c;
    }
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string query_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string render_table(const Table& table) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escape(table.caption) +
                    "\"><table" + (table.text_columns ? " class=\"prose\"" : "") + "><caption><span>" +
                    escape(table.caption) + "</span></caption><thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool words = !table.rows.empty() && i < table.rows[0].size() && table.rows[0][i].words;
    out += (words ? "<th scope=\"col\" class=\"words\">" : "<th scope=\"col\">") + escape(table.columns[i]) + "</th>";
  }
  out += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Cell& cell = row[i];
      const std::string text =
          cell.link.empty() ? escape(cell.text) : "<a href=\"" + escape(cell.link) + "\">" + escape(cell.text) + "</a>";
      if (i == 0) {
        out += "<th scope=\"row\">" + text + "</th>";
      } else if (cell.best) {
        out += "<td><strong>" + text + "</strong></td>";
      } else if (cell.words) {
        out += "<td class=\"words\">" + text + "</td>";
      } else {
        out += "<td>" + text + "</td>";
      }
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string render_figure(const Figure& figure) {
  std::string out = "<figure><figcaption><h3>" + escape(figure.title) + "</h3>";
  if (!figure.note.empty()) out += "<p>" + escape(figure.note) + "</p>";
  out += "</figcaption>\n" + figure.body;
  if (!figure.data.rows.empty()) {
    out += "<details class=\"data\"><summary>The same as a table</summary>" + render_table(figure.data) + "</details>";
  }
  return out + "</figure>\n";
}

Series categorical(std::string name, std::size_t index) {
  if (index >= 6) return {std::move(name), "c0", ""};
  return {std::move(name), fmt::format("c{}", index + 1), index == 0 ? "" : fmt::format("p{}", index)};
}

std::string render_legend(const std::vector<Series>& series) {
  std::string out = "<ul class=\"legend\">";
  for (const auto& entry : series) {
    out += "<li><svg aria-hidden=\"true\"><rect width=\"14\" height=\"14\" class=\"" + entry.css_class + "\"></rect>";
    if (!entry.pattern.empty()) out += "<rect width=\"14\" height=\"14\" fill=\"url(#" + entry.pattern + ")\"></rect>";
    out += "</svg>" + escape(entry.name) + "</li>";
  }
  return out + "</ul>\n";
}

std::string pattern_definitions() {
  const auto pattern = [](std::string_view id, std::string_view path) {
    return fmt::format(
        "<pattern id=\"{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path class=\"hatch\" "
        "d=\"{}\"></path></pattern>",
        id, path);
  };
  return "<svg class=\"defs\" aria-hidden=\"true\"><defs>" + pattern("p1", "M-2 2L2-2M0 8L8 0M6 10L10 6") +
         pattern("p2", "M1 2h2M5 6h2") + pattern("p3", "M-2 6L2 10M0 0L8 8M6-2L10 2") + pattern("p4", "M0 2h8M0 6h8") +
         pattern("p5", "M2 0v8M6 0v8") + "</defs></svg>\n";
}

std::string along(double fraction) {
  auto text = fmt::format("{:.2f}", (fraction > 0 ? std::min(fraction, 1.0) : 0.0) * 100);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text + "%";
}

}  // namespace lips::page
