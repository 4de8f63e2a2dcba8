#include "solver/mps.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

namespace lips::solver {
namespace {

// ---- writing

class MpsWriter {
 public:
  std::string take() { return std::move(text_); }
  void line(std::initializer_list<std::string_view> fields) {
    for (const auto field : fields) text_.append(field).push_back(' ');
    text_.back() = '\n';
  }
  void section(std::string_view name) { text_.append(name).push_back('\n'); }
  // Writes an indented data line whose last field is a number.
  void data(std::initializer_list<std::string_view> fields, double number) {
    std::array<char, 32> buffer;
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::general, 17);
    for (const auto field : fields) text_.append(" ").append(field);
    text_.append(" ").append(buffer.data(), end.ptr).push_back('\n');
  }

 private:
  std::string text_;
};

std::string indexed(char kind, int index) {
  std::string name(1, kind);
  return name.append(std::to_string(index));
}

char row_type(double lower, double upper) {
  if (lower == -infinity && upper == infinity) return 'N';
  if (lower == upper) return 'E';
  return upper == infinity ? 'G' : 'L';
}

void write_rows(MpsWriter& writer, const LinearProgram& program) {
  writer.section("ROWS");
  writer.line({" N", "COST"});
  for (int i = 0; i < program.rows(); ++i) {
    const char type[] = {' ', row_type(program.row_lower()[i], program.row_upper()[i]), '\0'};
    writer.line({type, indexed('R', i)});
  }
}

void write_columns(MpsWriter& writer, const LinearProgram& program) {
  writer.section("COLUMNS");
  for (int j = 0; j < program.columns(); ++j) {
    const std::string name = indexed('C', j);
    const auto begin = program.column_start()[j], end = program.column_start()[j + 1];
    if (program.cost()[j] != 0 || begin == end) writer.data({name, "COST"}, program.cost()[j]);
    for (auto k = begin; k < end; ++k) writer.data({name, indexed('R', program.row_index()[k])}, program.value()[k]);
  }
}

void write_right_hand_sides(MpsWriter& writer, const LinearProgram& program) {
  writer.section("RHS");
  bool any_range = false;
  for (int i = 0; i < program.rows(); ++i) {
    const double lower = program.row_lower()[i], upper = program.row_upper()[i];
    any_range = any_range || (lower != upper && std::isfinite(lower) && std::isfinite(upper));
    const double side = std::isfinite(upper) ? upper : lower;
    if (side != 0 && std::isfinite(side)) writer.data({"RHS", indexed('R', i)}, side);
  }
  if (!any_range) return;
  writer.section("RANGES");
  for (int i = 0; i < program.rows(); ++i) {
    const double lower = program.row_lower()[i], upper = program.row_upper()[i];
    if (lower != upper && std::isfinite(lower) && std::isfinite(upper))
      writer.data({"RNG", indexed('R', i)}, upper - lower);
  }
}

void write_bounds(MpsWriter& writer, const LinearProgram& program) {
  writer.section("BOUNDS");
  for (int j = 0; j < program.columns(); ++j) {
    const double lower = program.column_lower()[j], upper = program.column_upper()[j];
    const std::string name = indexed('C', j);
    if (lower == upper) {
      writer.data({"FX", "BND", name}, lower);
      continue;
    }
    if (lower == -infinity && upper == infinity) {
      writer.line({" FR", "BND", name});
      continue;
    }
    if (lower == -infinity) writer.line({" MI", "BND", name});
    // Without a line of its own, a negative upper bound would remove the lower bound.
    else if (lower != 0 || upper < 0)
      writer.data({"LO", "BND", name}, lower);
    if (upper != infinity) writer.data({"UP", "BND", name}, upper);
  }
}

// ---- reading

struct Line {
  int number = 0;
  bool header = false;
  std::array<std::string_view, 6> fields;  // data lines: fixed MPS has always six places, free MPS the first `count`
  int count = 0;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> number_in(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

class MpsParser {
 public:
  MpsParser(std::string_view text, bool fixed) : text_(text), fixed_(fixed) {}

  tl::expected<MpsProblem, std::string> parse() {
    while (next_line() && error_.empty() && section_ != "ENDATA") {
      if (line_.header)
        start_section();
      else
        read_data();
    }
    if (error_.empty() && section_ != "ENDATA") complain("found the end of the text, expected ENDATA");
    if (error_.empty() && !objective_seen_) complain("found no N row, expected one as the objective");
    if (!error_.empty()) return tl::unexpected(error_);
    return finish();
  }

 private:
  struct Row {
    char type = 'N';
    double side = 0;
    std::optional<double> range;
  };
  struct Column {
    double cost = 0, lower = 0, upper = infinity;
    bool lower_given = false;
    std::vector<Entry> entries;
  };
  static constexpr int objective_row = -1;

  void complain(const std::string& what) {
    if (error_.empty()) error_ = "line " + std::to_string(line_.number) + ": " + what;
  }

  bool next_line() {
    while (at_ < text_.size()) {
      const auto end = std::min(text_.find('\n', at_), text_.size());
      std::string_view raw = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++line_.number;
      if (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
      if (raw.empty() || raw.front() == '*' || trimmed(raw).empty()) continue;
      line_.header = raw.front() != ' ' && raw.front() != '\t';
      line_.header || !fixed_ ? split_free(raw) : split_fixed(raw);
      return true;
    }
    return false;
  }

  void split_free(std::string_view raw) {
    line_.count = 0;
    std::size_t at = 0;
    while ((at = raw.find_first_not_of(" \t", at)) != std::string_view::npos) {
      const auto end = std::min(raw.find_first_of(" \t", at), raw.size());
      if (line_.count == 6) {
        if (!line_.header) complain("found more than six fields, expected at most six");
        return;
      }
      line_.fields[line_.count++] = raw.substr(at, end - at);
      at = end;
    }
  }

  // Fields of fixed MPS stand in columns 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61; the first is dropped where empty.
  void split_fixed(std::string_view raw) {
    constexpr std::array<std::pair<std::size_t, std::size_t>, 6> places{
        {{1, 2}, {4, 8}, {14, 8}, {24, 12}, {39, 8}, {49, 12}}};
    line_.count = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto [first, length] = places[k];
      const auto field = first < raw.size() ? trimmed(raw.substr(first, length)) : std::string_view{};
      if (field.empty() && (k == 0 || k >= 3)) continue;
      line_.fields[line_.count++] = field;
    }
    while (line_.count > 0 && line_.fields[line_.count - 1].empty()) --line_.count;
  }

  void start_section() {
    section_ = line_.fields[0];
    if (section_ == "NAME") {
      if (line_.count > 1) problem_.name = line_.fields[1];
      return;
    }
    if (section_ == "OBJSENSE" && line_.count > 1) check_sense(line_.fields[1]);
    for (const auto known : {"ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA", "OBJSENSE"})
      if (section_ == known) return;
    complain("found section '" + std::string(section_) + "', expected ROWS, COLUMNS, RHS, RANGES, BOUNDS or ENDATA");
  }

  void check_sense(std::string_view sense) {
    if (sense != "MIN" && sense != "MINIMIZE")
      complain("found objective sense '" + std::string(sense) + "', expected MIN");
  }

  void read_data() {
    if (section_ == "ROWS") return read_row();
    if (section_ == "COLUMNS") return read_column();
    if (section_ == "RHS" || section_ == "RANGES") return read_side();
    if (section_ == "BOUNDS") return read_bound();
    if (section_ == "OBJSENSE") return check_sense(line_.fields[0]);
    complain("found data in section '" + std::string(section_) + "', expected a section name first");
  }

  void read_row() {
    const auto type = line_.fields[0];
    if (line_.count != 2 || type.size() != 1 || std::string_view("NELG").find(type[0]) == std::string_view::npos)
      return complain("expected a row's type (N, E, L or G) and its name");
    if (type[0] == 'N' && !objective_seen_) {
      objective_seen_ = true;
      row_of_.emplace(line_.fields[1], objective_row);
      return;
    }
    if (!row_of_.emplace(line_.fields[1], static_cast<int>(rows_.size())).second)
      return complain("found row '" + std::string(line_.fields[1]) + "' twice, expected distinct names");
    rows_.push_back({type[0], 0, {}});
    problem_.row_names.emplace_back(line_.fields[1]);
  }

  // Calls visit(row, value) for the one or two pairs of names and numbers that begin at field `first`.
  template <class Visit>
  void read_pairs(int first, Visit visit) {
    if (line_.count != first + 2 && line_.count != first + 4) return complain("expected pairs of a row and a number");
    for (int k = first; k + 1 < line_.count; k += 2) {
      const auto row = row_of_.find(std::string(line_.fields[k]));
      const auto value = number_in(line_.fields[k + 1]);
      if (row == row_of_.end())
        return complain("found row '" + std::string(line_.fields[k]) + "', expected a name from ROWS");
      if (!value) return complain("found '" + std::string(line_.fields[k + 1]) + "', expected a number");
      visit(row->second, *value);
    }
  }

  void read_column() {
    if (line_.count >= 2 && line_.fields[1] == "'MARKER'") return complain("found an integer marker, expected an LP");
    const auto name = line_.fields[0];
    if (columns_.empty() || problem_.column_names.back() != name) {
      if (!column_of_.emplace(name, static_cast<int>(columns_.size())).second)
        return complain("found column '" + std::string(name) + "' again, expected its entries together");
      columns_.emplace_back();
      problem_.column_names.emplace_back(name);
    }
    read_pairs(1, [&](int row, double value) {
      if (row == objective_row)
        columns_.back().cost = value;
      else
        columns_.back().entries.push_back({row, value});
    });
  }

  void read_side() {
    const bool named = line_.count % 2 == 1;  // the name of the right-hand side may be missing
    read_pairs(named ? 1 : 0, [&](int row, double value) {
      const bool range = section_ == "RANGES";
      if (row == objective_row)
        problem_.objective_constant = range ? problem_.objective_constant : -value;
      else if (range)
        rows_[row].range = value;
      else
        rows_[row].side = value;
    });
  }

  void read_bound() {
    const auto type = line_.fields[0];
    const bool needs_value = type == "UP" || type == "LO" || type == "FX";
    if (!needs_value && type != "FR" && type != "MI" && type != "PL")
      return complain("found bound '" + std::string(type) + "', expected UP, LO, FX, FR, MI or PL");
    // type [set] column [value]: the set's name may be missing.
    const int least = needs_value ? 3 : 2;
    if (line_.count < least) return complain("expected a bound's type, set, column and value");
    const bool named = line_.count > least && column_of_.contains(std::string(line_.fields[2]));
    const int at = named || line_.fields[1].empty() ? 2 : 1;
    const auto column = column_of_.find(std::string(line_.fields[at]));
    if (column == column_of_.end())
      return complain("found column '" + std::string(line_.fields[at]) + "', expected a name from COLUMNS");
    const auto value = needs_value && at + 1 < line_.count ? number_in(line_.fields[at + 1]) : std::nullopt;
    if (needs_value && !value) return complain("expected a number as the bound's value");
    set_bound(columns_[column->second], type, value.value_or(0));
  }

  static void set_bound(Column& column, std::string_view type, double value) {
    if (type == "LO" || type == "FX") column.lower = value;
    if (type == "MI" || type == "FR") column.lower = -infinity;
    if (type == "UP" || type == "FX") column.upper = value;
    if (type == "PL" || type == "FR") column.upper = infinity;
    if (type != "UP" && type != "PL") column.lower_given = true;
    if (type == "UP" && value < 0 && !column.lower_given) column.lower = -infinity;
  }

  static std::pair<double, double> bounds_of(const Row& row) {
    const double width = std::abs(row.range.value_or(0));
    switch (row.type) {
      case 'E':
        if (!row.range) return {row.side, row.side};
        return *row.range < 0 ? std::pair{row.side - width, row.side} : std::pair{row.side, row.side + width};
      case 'L':
        return {row.range ? row.side - width : -infinity, row.side};
      case 'G':
        return {row.side, row.range ? row.side + width : infinity};
      default:
        return {-infinity, infinity};
    }
  }

  MpsProblem finish() {
    for (const Row& row : rows_) {
      const auto [lower, upper] = bounds_of(row);
      problem_.program.add_row(lower, upper);
    }
    for (const Column& column : columns_)
      problem_.program.add_column(column.cost, column.lower, column.upper, column.entries);
    return std::move(problem_);
  }

  std::string_view text_;
  bool fixed_;
  std::size_t at_ = 0;
  Line line_;
  std::string error_;
  std::string_view section_;
  bool objective_seen_ = false;
  std::vector<Row> rows_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, int> row_of_, column_of_;
  MpsProblem problem_;
};

}  // namespace

std::string write_mps(const LinearProgram& program) {
  MpsWriter writer;
  writer.line({"NAME", "LP"});
  write_rows(writer, program);
  write_columns(writer, program);
  write_right_hand_sides(writer, program);
  write_bounds(writer, program);
  writer.section("ENDATA");
  return writer.take();
}

tl::expected<MpsProblem, std::string> parse_mps(std::string_view text) {
  auto free_form = MpsParser(text, false).parse();
  if (free_form) return free_form;
  auto fixed_form = MpsParser(text, true).parse();
  if (fixed_form) return fixed_form;
  return free_form;
}

}  // namespace lips::solver
