// The changes that moves make to the status of a DataSet, and their view of it. No function here can leave a block
// without a verified replica. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kubernetes/data/data_layout.h"
#include "kubernetes/data/move_machine.h"

namespace lips::kubernetes {

using Replicas = std::vector<HeldBlocks>;                             // of a DataSet's status, sorted by store
using StoreReadable = std::function<bool(const std::string& store)>;  // now: its node is there

// A change by a move; `conflict`: it may not be done (any more).
struct LedgerEntry {
  std::string from, to;
  BlockRanges blocks;
  bool extra = false;
};
// `action`: commit, mark_leaving, unmark_leaving, remove_source, fence_target or forget_marks. `at_target`: whose marks
// are forgotten.
Result<Replicas> with_action(Replicas replicas, MoveAction action, const LedgerEntry& entry, bool at_target,
                             const StoreReadable& readable);

// Blocks that do not depend on this store: another one, which can be read now, holds them, and they are not about to
// leave it. For an original only a copy counts, which a move has written and read back: another original was only
// declared, and may be the same file under another name.
BlockRanges held_elsewhere(const Replicas& replicas, const std::string& store, const StoreReadable& readable);

// The part of a view that the DataSet gives. `blocks` are those of the move.
void fill_replicas(const Replicas& replicas, const LedgerEntry& entry, const StoreReadable& readable, MoveView& view);

// Replicas that the spec names and the status does not know yet, added. A store is taken over once.
Replicas with_placed(Replicas replicas, const std::vector<PlacedBlocks>& placed, std::uint32_t count);

// Drops entries of stores that hold nothing any more, unless the spec declares that they held something at first.
void forget_empty(Replicas& replicas, const DataSetSpec& spec);

}  // namespace lips::kubernetes
