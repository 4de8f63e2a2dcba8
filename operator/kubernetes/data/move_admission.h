// Which waiting moves may begin to copy: limits are room in the store, moves per zone pair, and one unfinished move per
// block. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct AdmissionLimits {
  int per_zone_pair = 0, at_once = 0;  // moves that copy at once from one zone to one other; in all
};

struct MoveClaim {
  std::string name, data_set, from, to, from_zone, to_zone;  // `to` empty: only a drop
  BlockRanges blocks;
  std::int64_t bytes = 0;
};

// The use of a store with a limit. What its data sets declare to lie there, nobody has looked at; what moves wrote is
// read.
struct StoreUse {
  std::int64_t capacity = 0, copies = 0;
  std::map<std::string, std::int64_t> originals;  // by the namespace that declares them
};
// The room for data of that namespace: all copies and its own originals count, those of others up to half of the store.
std::int64_t room_for(const StoreUse& use, const std::string& name_space);

class MoveAdmission {
 public:
  explicit MoveAdmission(AdmissionLimits limits) : limits_(limits) {}
  // A move that has begun; `copying`: it still takes a place and room.
  void count(const MoveClaim& claim, bool copying);
  void set_use(const std::string& store, StoreUse use) { uses_[store] = std::move(use); }
  // Empty: it may begin, and is counted. Else the reason why it waits.
  std::string admit(const MoveClaim& claim);

 private:
  const AdmissionLimits limits_;
  std::map<std::pair<std::string, std::string>, int> by_zones_;
  std::map<std::string, StoreUse> uses_;
  std::map<std::string, std::vector<std::pair<std::string, BlockRanges>>> by_data_set_;
  int copying_ = 0;
};

}  // namespace lips::kubernetes
