// Cores that whole tasks can use. The program counts CPU-seconds, but a node of 15.9 cores holds 15 tasks of a core,
// and beside these no other: what is left of it is worth nothing.
#pragma once

#include <cstdint>

#include "model/snapshot.h"

namespace lips {

class UsableRoom {
 public:
  UsableRoom() = default;  // all of it
  // By the requests of all tasks that are pending, running or to come as peers: the most that any of them could use
  // together, so a bound that holds for the room holds for its usable part. All of it where nothing is pending.
  explicit UsableRoom(const ClusterSnapshot& cluster);

  Cores of(Cores room) const;

 private:
  void add(Cores request);

  static constexpr std::int64_t any = 1;
  std::int64_t unit_ = any;  // thousandths of a core of which every request is a multiple
};

}  // namespace lips
