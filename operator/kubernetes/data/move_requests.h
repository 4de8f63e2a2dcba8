// Requests of the plan to move, copy or drop blocks, until they are done: requests that belong together become one
// DataMove, and its outcome is that of each of them. Does not carry out moves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/object_writes.h"

namespace lips::kubernetes {

struct MoveRequest {
  std::optional<MoveId> id;  // of the plan's move that requested it; none: a copy to keep
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

class MoveRequests {
 public:
  struct Limits {
    std::uint32_t blocks_per_move = 1;  // requests that are joined in one DataMove
    std::int32_t attempts = 0;          // of a DataMove
    Duration keep_finished{};           // finished DataMoves
  };
  // Both outlive this object.
  MoveRequests(DataCatalog& catalog, ObjectWrites& writes, const Limits& limits)
      : catalog_(catalog), writes_(writes), limits_(limits) {}

  void start(const MoveRequest& request) { requested_.push_back(request); }
  void drop(const DropRequest& request) { drops_.push_back(request); }
  // Makes a DataMove of requests that no unfinished one covers.
  void write(TimePoint now);
  // Ends the requests whose DataMove has ended or is gone.
  void complete(TimePoint now);
  std::vector<MoveOutcome> take_outcomes() { return std::exchange(outcomes_, {}); }
  std::vector<DropRequest> take_not_dropped() { return std::exchange(not_dropped_, {}); }

 private:
  struct RequestedMove {
    std::vector<MoveRequest> requests;
    bool created = false;                   // the server has the object
    std::optional<TimePoint> missed_since;  // since when the watch lacks it although the server has it
  };
  // By data set, source, target, and what becomes of the copies: those that one DataMove can carry out.
  using Groups = std::map<std::tuple<std::string, std::string, std::string, bool, bool>, std::vector<MoveRequest>>;

  const DataMoveResource* same_move(const MoveRequest& request) const;
  bool join(const MoveRequest& request);
  void group_drops(Groups& groups);
  DataMoveSpec spec_of(const std::vector<MoveRequest>& requests) const;
  void create_move(const DataMoveSpec& spec, std::vector<MoveRequest> requests, TimePoint now);
  void end(const MoveRequest& request, bool done, const std::string& why);

  DataCatalog& catalog_;
  ObjectWrites& writes_;
  const Limits limits_;
  std::vector<MoveRequest> requested_;
  std::vector<DropRequest> drops_;
  std::map<std::string, RequestedMove> requested_moves_;  // by the DataMove's name
  std::vector<MoveOutcome> outcomes_;
  std::vector<DropRequest> not_dropped_;
  std::uint64_t names_given_ = 0;
};

}  // namespace lips::kubernetes
