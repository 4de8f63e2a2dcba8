// Says whether this replica may decide: it leads, and has listed the whole cluster since it began to lead. Decides
// nothing itself.
#pragma once

#include <cstdint>
#include <functional>

#include "base/enum_array.h"
#include "kubernetes/adapter/inbox.h"

namespace lips::kubernetes {

class Readiness {
 public:
  struct Rules {
    std::function<bool()> leads;  // empty: always
    std::function<std::uint64_t()>
        times_elected;  // grows each time that this replica begins to lead; empty: derived from `leads`
    std::function<std::uint64_t()> relist;  // requests new lists of nodes and pods; returns the number of the request
  };
  explicit Readiness(Rules rules) : rules_(std::move(rules)) {}

  // Checks who leads. True: everything reported so far is void, because this replica has lost the lead or gained it
  // again.
  bool review();
  // Everything is to be listed again, whatever was known.
  void begin_again() { requested_list_ = rules_.relist(); }
  bool leads() const { return leads_; }
  // True: with this list every kind has been listed once that plans need.
  bool handle(const Listed& listed);
  // Nodes and pods have been listed since this replica began to lead.
  bool has_synced() const;
  // Without a lease this is the only replica.
  bool may_act() const { return leads_ || !rules_.leads; }

 private:
  bool listed_once() const;

  const Rules rules_;
  bool leads_ = false;
  std::uint64_t times_elected_ = 0;
  std::uint64_t requested_list_ = 0;              // when this replica began to lead
  EnumArray<WatchedKind, bool> listed_;           // ever
  EnumArray<WatchedKind, std::uint64_t> served_;  // of each kind: the newest request that a list has served
};

}  // namespace lips::kubernetes
