// Finds faults of custom resources that the server has admitted: missing stores, sizes that do not add up, pools in a
// cycle. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/data/access.h"
#include "kubernetes/data/data_layout.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

enum class FindingReason : std::uint8_t {
  none,       // nothing is wrong
  malformed,  // cannot be read
  invalid,
  not_allowed,
  not_discovered,
  limit_exceeded,
  too_large,  // to be written
  store_missing,
  blocks_missing,
  node_replaced,
  node_gone,
  overlaps,
  parent_missing,
  parents_in_a_circle,
  limits_of_a_parent,
  namespace_taken,
  targets_malformed
};
// One word, of the condition Ready and the event.
std::string_view to_string(FindingReason reason);

struct Finding {
  bool usable = true;  // the object is used anyway, without the part that is wrong
  FindingReason reason = FindingReason::none;
  std::string message;  // a sentence with the field
  bool wrong() const { return reason != FindingReason::none; }
};

using PoolMap = std::map<std::string, PoolResource>;

// The node of a store's directory.
struct NodeOfStore {
  std::string uid;    // empty: not known
  bool gone = false;  // all nodes are known, and none has that name
};

// `gone`: stores whose node is gone, and with it what they hold.
Finding review(const DataSetResource& set, const Result<DataLayout>& layout, const StoreMap& stores,
               const TenantRules& rules, const std::set<std::string>& gone = {});
// No other store's directory may contain this one or lie in it.
Finding review(const DataStoreResource& store, const StoreMap& stores, const NodeOfStore& node);
Finding review(const PoolResource& pool, const PoolMap& pools);

// The pool's share of the whole: its own weight within its parent's share. An invalid pool counts with its own weight.
double flat_weight(const PoolResource& pool, const PoolMap& pools);

}  // namespace lips::kubernetes
