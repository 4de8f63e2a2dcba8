// Carries out moves, copies and drops of blocks: DataMove objects declare a move, Jobs carry it out, and the status of
// DataMove and DataSet records the progress. Does not decide when data should move.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/events.h"
#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/move_admission.h"
#include "kubernetes/data/move_jobs.h"
#include "kubernetes/data/move_machine.h"
#include "kubernetes/data/move_requests.h"
#include "kubernetes/data/store_key.h"

namespace lips::kubernetes {

// Defaults are the configuration's (config/operator_config.h).
struct MoverOptions {
  WorkSettings work;
  std::string key_secret = {};  // of the namespace of `work`; its item "key" is the StoreKey
  AdmissionLimits limits;
  std::uint32_t blocks_per_move = 64;  // requests that are joined in one DataMove
  std::int32_t attempts = 0;           // of a DataMove
  Duration keep_finished{};            // finished DataMoves
  MoveRules rules;
  Duration unowned_every{};  // between two looks at a store for copies that nobody owns; 0: none
  // Why moves and drops are suspended until a person has looked; the text empty: they are not. Empty: they never are.
  std::function<std::string()> suspended = {};
  bool serve_stores = false;                             // run a pod for each DataStore that requests one
  std::function<void()> wake;                            // called when tick() has something to do
  std::function<std::vector<PoolUse>()> pool_uses = {};  // see ResourceReconciler
  // The price of transfer between two stores, for words on moves; none: not known. Empty: none is.
  std::function<std::optional<UsdPerMebibyte>(const std::string& from, const std::string& to)> transfer_price = {};
};

class DataMover {
 public:
  // Says whether a pod reads that replica, or may begin to through a binding under way.
  using IsRead = std::function<bool(const std::string& data_set, std::uint32_t block, const std::string& store)>;

  // `may_act`: whether this process leads; called before each try of each write, on the thread of the connections. All
  // arguments outlive the mover.
  DataMover(ApiClient& client, DataCatalog& catalog, EventRecorder& events, MoverOptions options,
            std::function<bool()> may_act, IsRead is_read);
  ~DataMover();

  // Written at the next tick.
  void start(const MoveRequest& request);
  void drop(const DropRequest& request);
  // Call after DataCatalog::poll(), whenever something changed and at least every few seconds. Does not wait. Does
  // nothing before the catalog is complete.
  void tick(TimePoint now);
  std::vector<MoveOutcome> take_outcomes();
  // Drops that failed: the replicas stay.
  std::vector<DropRequest> take_not_dropped();
  // The key from which passwords of served stores are derived; not known at first.
  const StoreKey& store_key() const;
  // The server refuses the key.
  struct MissingKey {
    std::string why;
    TimePoint since;
  };
  std::optional<MissingKey> missing_key() const;
  // How many DataMoves are in each phase, by its name.
  std::map<std::string, int> moves_by_phase() const;

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

}  // namespace lips::kubernetes
