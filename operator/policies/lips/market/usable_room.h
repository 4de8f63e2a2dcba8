// Cores and memory that whole tasks can use. The program adds up what nodes have, but a node of 15.9 cores holds 15
// tasks of a core, and beside these no other: what is left of it is worth nothing.
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
  Mebibytes of(Mebibytes room) const;

 private:
  // The step of which all amounts that were added are multiples.
  class Step {
   public:
    explicit Step(double parts) : parts_(parts) {}
    void add(double amount);
    bool is_any() const { return step_ == any; }
    double part_of(double room) const;  // the multiples in it

   private:
    static constexpr std::int64_t nothing_added = 0, any = 1;
    double parts_;  // of one, in which it counts
    std::int64_t step_ = nothing_added;
  };

  void add(const Resources& request);

  Step cores_{1000}, memory_{1};
};

}  // namespace lips
