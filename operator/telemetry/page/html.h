// Pieces of HTML: escaped text, tables, figures. Knows nothing of reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lips::page {

// Safe as text and in a quoted attribute: markup, control characters and broken UTF-8 are replaced.
std::string escape(std::string_view text);

struct Cell {
  std::string text;  // not yet escaped
  bool best = false;
  bool words = false;     // no number
  std::string link = {};  // where a click on it leads, with query_value where it needs that; empty: it is no link
};

// Safe as the value of a query in a link.
std::string query_value(std::string_view text);

// The first column names the row; the others are numbers unless `text_columns` is set, or the cells of the first row
// are words.
struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  bool text_columns = false;
};

std::string render_table(const Table& table);

struct Figure {
  std::string title;
  std::string note;  // one sentence on how to read it
  std::string body;  // HTML
  Table data;        // the data of the drawing, behind a fold
};

std::string render_figure(const Figure& figure);

// One entry of a legend; css_class says fill and stroke, pattern ("" or "p1".."p5") is laid over it.
struct Series {
  std::string name;
  std::string css_class;
  std::string pattern;
};

// The i-th of a set of unordered things (cost terms, pools): six colours, then grey.
Series categorical(std::string name, std::size_t index);

std::string render_legend(const std::vector<Series>& series);

// The patterns that Series names; include it once per page.
std::string pattern_definitions();

// "12.34%": a place along an axis for an SVG attribute or a style.
std::string along(double fraction);

}  // namespace lips::page
