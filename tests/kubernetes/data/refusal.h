// The objection of a kind's decoder to an object; empty: nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/resource_codec.h"

namespace lips::kubernetes {

inline std::string refusal(DataKind kind, const nlohmann::json& object) {
  const auto told = [](const auto& result) { return result ? std::string() : result.error().message; };
  const std::string text = object.dump();
  switch (kind) {
    case DataKind::data_set:
      return told(decode_data_set(text));
    case DataKind::data_store:
      return told(decode_data_store(text));
    case DataKind::pool: {
      const Result<PoolResource> pool = decode_pool(text);
      if (!pool || pool->spec.targets_refused.empty()) return told(pool);
      return "Pool " + full_name(pool->meta.object) + ": " + pool->spec.targets_refused;
    }
    case DataKind::data_move:
      return told(decode_data_move(text));
  }
  return {};
}

}  // namespace lips::kubernetes
