// Carries moves, copies and drops of blocks out: what is to happen stands in DataMove objects, what happens in Jobs,
// what was reached in the status of both DataMove and DataSet. Decides nothing about when data should move.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/events.h"
#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/move_admission.h"
#include "kubernetes/data/move_jobs.h"
#include "kubernetes/data/move_machine.h"
#include "kubernetes/data/store_key.h"

namespace lips::kubernetes {

struct MoveRequest {
  std::optional<MoveId> id;  // of the plan's move that asks for it; none: a copy to keep
  std::string data_set;      // namespace/name
  std::uint32_t block = 0;
  std::string from, to;
  bool drop_source = false;
  bool extra = false;  // the copy may be dropped again
};

struct DropRequest {
  std::string data_set;
  std::uint32_t block = 0;
  std::string store;
};

struct MoveOutcome {
  MoveRequest request;
  bool committed = false;
  std::string why;  // not
};

// Defaults are the configuration's (config/operator_config.h).
struct MoverOptions {
  WorkSettings work;
  AdmissionLimits limits;
  std::int64_t bytes_per_second = 0;   // of all moves of a zone pair together; 0: no limit
  std::uint32_t blocks_per_move = 64;  // of requests that become one DataMove
  std::int32_t attempts = 0;           // of these
  Duration keep_finished{};            // these DataMoves
  MoveRules rules;
  bool serve_stores = false;   // run a pod for each DataStore that wants one
  std::function<void()> wake;  // called from another thread when tick() has something to do
};

class DataMover {
 public:
  // Whether a pod reads that replica, or may come to by a binding that is under way.
  using IsRead = std::function<bool(const std::string& data_set, std::uint32_t block, const std::string& store)>;

  // `may_act`: whether this process leads; asked on the client's thread before each try of each write. All outlive the
  // mover.
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
  // Drops that came to nothing: the replicas stay.
  std::vector<DropRequest> take_not_dropped();
  // From which passwords of served stores are made; not known at first.
  const StoreKey& store_key() const;
  // How many DataMoves are in each phase, by its name.
  std::map<std::string, int> moves_by_phase() const;

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

}  // namespace lips::kubernetes
