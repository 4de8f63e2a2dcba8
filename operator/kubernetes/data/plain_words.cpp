#include "kubernetes/data/plain_words.h"

#include <fmt/format.h>

#include <array>
#include <set>

namespace lips::kubernetes {

std::string size_words(std::int64_t bytes) {
  constexpr std::array<const char*, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string zone_words(const DataSetStatus& status, const StoreMap& stores) {
  std::set<std::string> zones;
  for (const HeldBlocks& held : status.replicas) {
    const auto store = stores.find(held.store);
    if (held.blocks.empty() || store == stores.end()) continue;
    const DataStoreSpec& spec = store->second.spec;
    zones.insert(!spec.zone.empty() ? spec.zone : !spec.region.empty() ? spec.region : held.store);
  }
  std::string words;
  for (const std::string& zone : zones) words += (words.empty() ? "" : ", ") + zone;
  return words;
}

// A read in the new zone would have cost as much as the copy, byte for byte: the first one earns it.
DataMoveStatus with_words(const DataMoveSpec& move, DataMoveStatus status, const DataStoreResource* to,
                          std::optional<UsdPerMebibyte> price) {
  const bool begun = status.phase != MovePhase::none && status.phase != MovePhase::pending;
  if (!begun || move.to.empty() || !status.size_text.empty()) return status;
  status.size_text = size_words(status.bytes);
  if (!to || !price) return status;
  const Usd cost = *price * Mebibytes(static_cast<double>(status.bytes) / bytes_per_mebibyte);
  status.usd = cost.value() > 0 ? fmt::format("{:.2g}", cost.value()) : "0";
  status.pays_back = cost.value() > 0 ? "read once in " + (to->spec.zone.empty() ? move.to : to->spec.zone)
                                      : "at once: the transfer is free";
  return status;
}

PoolStatus pool_words(const PoolUse& use) {
  PoolStatus status;
  status.cores = fmt::format("{:.1f}", use.cores.value());
  status.share = fmt::format("{:.0f}%", 100 * use.share);
  status.usd_per_hour = fmt::format("{:.2f}", use.rate.value());
  status.running = static_cast<std::int64_t>(use.running);
  status.pending = static_cast<std::int64_t>(use.pending);
  return status;
}

}  // namespace lips::kubernetes
