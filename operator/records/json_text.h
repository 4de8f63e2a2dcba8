// The text of a snapshot file while it is written: values, rows and columns, also by the description of a struct.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "records/snapshot_columns.h"

namespace lips {

class JsonText {
 public:
  std::string done() && { return std::move(out_); }

  void open(std::string_view key, char bracket) {
    name(key);
    out_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }
  void comma() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  void name(std::string_view key) {
    comma();
    if (key.empty()) return;
    text(key);
    out_ += ':';
  }
  void value(double content);
  void value(std::int64_t content);
  void value(const std::string& content) { text(content); }

  template <class T>
  void field(std::string_view key, const T& content) {
    name(key);
    value(content);
  }
  template <class... T>
  void row(const T&... cells) {
    open("", '[');
    (field("", cells), ...);
    close(']');
  }
  // One value for all rows where they are equal, else runs where they are long, else a list.
  template <class Get>
  void column(std::string_view key, std::size_t rows, Get get, bool one_for_all = true) {
    std::size_t runs = rows > 0;
    for (std::size_t i = 1; i < rows; ++i) runs += get(i) != get(i - 1);
    if (rows > 0 && runs == 1 && one_for_all) return field(key, get(0));
    if (runs * 4 > rows) {
      open(key, '[');
      for (std::size_t i = 0; i < rows; ++i) field("", get(i));
      return close(']');
    }
    open(key, '{');
    open("runs", '[');
    for (std::size_t i = 0, end = 0; i < rows; i = end) {
      for (end = i + 1; end < rows && get(end) == get(i);) ++end;
      row(static_cast<std::int64_t>(end - i), get(i));
    }
    close(']');
    close('}');
  }
  // A table is as long as its names. Rows that share a name (a job that arrives in parts) stay separate.
  template <class Rows>
  void names(const Rows& rows) {
    column(
        "name", rows.size(), [&](std::size_t i) { return rows[i].name; }, rows.size() == 1);
  }
  // Writes a column for each field that the file keeps, by the description of the struct.
  template <class Row>
  void columns(const std::vector<Row>& rows) {
    each_kept_field<Row>([&]<class Get>(std::string_view name, Get get) {
      if constexpr (std::is_same_v<std::decay_t<decltype(get(rows.front()))>, std::string>)
        names(rows);
      else
        column(name, rows.size(), [&](std::size_t i) { return cell_of(get(rows[i])); });
    });
  }
  template <class Row>
  void table(std::string_view key, const std::vector<Row>& rows) {
    open(key, '{');
    columns(rows);
    close('}');
  }
  // Writes the fields of one value as an object.
  template <class T>
  void object(std::string_view key, const T& content) {
    open(key, '{');
    each_field(content, [&](std::string_view name, const auto& member) { any_field(name, member); });
    close('}');
  }
  // Writes all fields of one value as a row.
  template <class T>
  void described_row(const T& content) {
    std::apply([&](const auto&... member) { row(cell_of(member)...); }, members(content));
  }
  // Writes the members one cell after the other; for an optional, first whether it has a value.
  template <class T>
  void flat_cells(const T& content) {
    if constexpr (Described<T>) {
      each_field(content, [this](std::string_view, const auto& member) { flat_cells(member); });
    } else if constexpr (requires { content.has_value(); }) {
      field("", std::int64_t{content.has_value()});
      content ? flat_cells(*content) : flat_cells(typename T::value_type{});
    } else {
      field("", cell_of(content));
    }
  }
  void line() { out_ += '\n'; }
  void json(std::string_view key, const std::string& content) {
    name(key);
    out_ += content;
  }

 private:
  template <class T>
  void any_field(std::string_view key, const std::vector<T>& list) {
    open(key, '[');
    for (const T& item : list) field("", cell_of(item));
    close(']');
  }
  template <class T>
  void any_field(std::string_view key, const T& content) {
    field(key, cell_of(content));
  }
  void text(std::string_view content);

  std::string out_;
  bool first_ = true;
};

}  // namespace lips
