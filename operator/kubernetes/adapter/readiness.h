// Says whether this replica may decide: it leads, and has listed the whole cluster since it began to lead. Decides
// nothing itself.
#pragma once

#include <cstdint>
#include <functional>

#include "base/enum_array.h"
#include "base/log.h"
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
  Readiness(Rules rules, Log& log) : rules_(std::move(rules)), log_(log) {}

  // Checks who leads. True: everything reported so far is void, because this replica has lost the lead or gained it
  // again.
  bool review();
  bool leads() const { return leads_; }
  // True: with this list every kind has been listed once.
  bool handle(const Listed& listed);
  // All kinds have been listed, nodes and pods since this replica began to lead.
  bool has_synced() const;
  // Each kind has been listed once.
  bool listed_once() const;
  // Without a lease this is the only replica.
  bool may_act() const { return leads_ || !rules_.leads; }

 private:
  const Rules rules_;
  Log& log_;
  bool leads_ = false;
  std::uint64_t times_elected_ = 0;
  std::uint64_t requested_list_ = 0;              // when this replica began to lead
  EnumArray<WatchedKind, bool> listed_;           // ever
  EnumArray<WatchedKind, std::uint64_t> served_;  // of each kind: the newest request that a list has served
};

}  // namespace lips::kubernetes
