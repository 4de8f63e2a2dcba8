// Dollars that may be unknown, as a cell of a row: null where they are.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "base/units.h"
#include "records/snapshot_json.h"

namespace lips {

inline nlohmann::ordered_json or_null(const std::optional<Usd>& value) {
  return value ? nlohmann::ordered_json(value->value()) : nlohmann::ordered_json(nullptr);
}

// Reports problems to those of the view.
inline std::optional<Usd> usd_or_none(const json_tables::View& row, std::size_t cell) {
  if (row.json()[cell].is_null()) return std::nullopt;
  return Usd(row.cell(cell, json_tables::any_real));
}

}  // namespace lips
