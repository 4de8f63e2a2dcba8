// Whether this copy may decide: it leads, and knows all that the cluster holds, listed anew since it began to lead.
// Decides nothing itself.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "base/log.h"
#include "kubernetes/adapter/inbox.h"

namespace lips::kubernetes {

class Readiness {
 public:
  struct Rules {
    std::function<bool()> leads;  // empty: always
    std::function<std::uint64_t()>
        times_elected;                      // grows each time that this copy begins to lead; empty: seen from `leads`
    std::function<std::uint64_t()> relist;  // asks for nodes and pods to be listed anew; the request's number
  };
  Readiness(Rules rules, Log& log) : rules_(std::move(rules)), log_(log) {}

  // Looks who leads. True: from here on nothing that was told before counts, because this copy leads no longer, or
  // anew.
  bool review();
  bool leads() const { return leads_; }
  // True: with this one everything has been listed once.
  bool handle(const Listed& listed);
  // All kinds have been listed, and nodes and pods since this copy began to lead.
  bool has_synced() const;
  // Without a lease there is nobody else.
  bool may_act() const { return leads_ || !rules_.leads; }
  // The number of the last list that was asked for.
  std::uint64_t requested_list() const { return requested_list_; }

 private:
  bool listed_once() const;

  const Rules rules_;
  Log& log_;
  bool leads_ = false;
  std::uint64_t times_elected_ = 0;
  std::uint64_t requested_list_ = 0;                   // when this replica began to lead
  std::array<bool, watched_kinds> listed_{};           // ever
  std::array<std::uint64_t, watched_kinds> served_{};  // of each kind: the newest request that a list has served
};

}  // namespace lips::kubernetes
