// Which waiting moves may begin to copy: limits are room in the store, moves per zone pair, and one unfinished move per
// block. Pure.
#pragma once

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

class MoveAdmission {
 public:
  explicit MoveAdmission(AdmissionLimits limits) : limits_(limits) {}
  // A move that has begun; `copying`: it still takes a place and room.
  void count(const MoveClaim& claim, bool copying);
  // For a store with a limit: the bytes in use.
  void set_room(const std::string& store, std::int64_t capacity, std::int64_t used) { room_[store] = capacity - used; }
  // Empty: it may begin, and is counted. Else the reason why it waits.
  std::string admit(const MoveClaim& claim);

 private:
  const AdmissionLimits limits_;
  std::map<std::pair<std::string, std::string>, int> by_zones_;
  std::map<std::string, std::int64_t> room_;
  std::map<std::string, std::vector<std::pair<std::string, BlockRanges>>> by_data_set_;
  int copying_ = 0;
};

}  // namespace lips::kubernetes
