#include "kubernetes/data/replica_ledger.h"

#include <algorithm>

namespace lips::kubernetes {
namespace {

HeldBlocks& at(Replicas& replicas, const std::string& store) {
  auto place = std::lower_bound(replicas.begin(), replicas.end(), store,
                                [](const HeldBlocks& held, const std::string& name) { return held.store < name; });
  if (place == replicas.end() || place->store != store) {
    place = replicas.insert(place, HeldBlocks{});
    place->store = store;
  }
  return *place;
}

const HeldBlocks& find(const Replicas& replicas, const std::string& store) {
  static const HeldBlocks none;
  for (const HeldBlocks& held : replicas)
    if (held.store == store) return held;
  return none;
}

BlockRanges minus(BlockRanges blocks, const BlockRanges& others) {
  blocks.remove(others);
  return blocks;
}

tl::unexpected<Error> refused(const std::string& why) { return fail(ErrorCode::conflict, why); }

Result<void> add_committed(Replicas& replicas, const LedgerEntry& entry) {
  HeldBlocks& to = at(replicas, entry.to);
  const BlockRanges added = minus(entry.blocks, to.blocks);
  if (!to.leaving.intersection(entry.blocks).empty())
    return refused("blocks in " + entry.to + " are about to be deleted");
  to.blocks.add(added);
  to.copies.add(added);
  if (entry.extra)
    to.extra.add(added);
  else
    to.extra.remove(entry.blocks);
  return {};
}

Result<void> take_source(Replicas& replicas, const LedgerEntry& entry, const StoreReadable& readable) {
  HeldBlocks& from = at(replicas, entry.from);
  const BlockRanges going = from.blocks.intersection(entry.blocks);
  if (!from.leaving.contains(going)) return refused("blocks in " + entry.from + " are not marked as leaving");
  if (!held_elsewhere(replicas, entry.from, readable).contains(going))
    return refused("a block would lose its last replica that a move has read in " + entry.from);
  from.blocks.remove(going);
  from.extra.remove(going);
  return {};
}

// Forgets only blocks that are not held: their files are gone.
Result<void> forget(HeldBlocks& held, const BlockRanges& blocks) {
  const BlockRanges gone = minus(held.leaving.intersection(blocks), held.blocks);
  held.leaving.remove(gone);
  held.copies.remove(gone);
  return {};
}

}  // namespace

BlockRanges held_elsewhere(const Replicas& replicas, const std::string& store, const StoreReadable& readable) {
  const HeldBlocks& own = find(replicas, store);
  const BlockRanges originals = minus(own.blocks, own.copies);
  BlockRanges result;
  for (const HeldBlocks& held : replicas) {
    if (held.store == store || !readable(held.store)) continue;
    const BlockRanges stays = minus(held.blocks, held.leaving);
    result.add(stays.intersection(held.copies));
    result.add(minus(stays, originals));
  }
  return result;
}

Result<Replicas> with_action(Replicas replicas, MoveAction action, const LedgerEntry& entry, bool at_target,
                             const StoreReadable& readable) {
  Result<void> done;
  switch (action) {
    case MoveAction::commit:
      done = add_committed(replicas, entry);
      break;
    case MoveAction::mark_leaving: {
      HeldBlocks& from = at(replicas, entry.from);
      from.leaving.add(from.blocks.intersection(entry.blocks));
      break;
    }
    case MoveAction::unmark_leaving: {
      HeldBlocks& from = at(replicas, entry.from);
      from.leaving.remove(from.blocks.intersection(entry.blocks));
      break;
    }
    case MoveAction::remove_source:
      done = take_source(replicas, entry, readable);
      break;
    case MoveAction::fence_target: {
      HeldBlocks& to = at(replicas, entry.to);
      if (to.blocks.contains(entry.blocks)) return refused("the copies are committed");
      const BlockRanges fenced = minus(entry.blocks, to.blocks);
      to.leaving.add(fenced);
      to.copies.add(fenced);
      break;
    }
    case MoveAction::forget_marks:
      done = forget(at(replicas, at_target ? entry.to : entry.from), entry.blocks);
      break;
    default:
      return refused("not an action on replicas");
  }
  if (!done) return tl::unexpected(done.error());
  return replicas;
}

void fill_replicas(const Replicas& replicas, const LedgerEntry& entry, const StoreReadable& readable, MoveView& view) {
  const HeldBlocks &from = find(replicas, entry.from), &to = find(replicas, entry.to);
  const BlockRanges held = from.blocks.intersection(entry.blocks);
  const bool there = view.has_target && to.blocks.contains(entry.blocks);
  view.target_extra = there && !entry.extra && !to.extra.intersection(entry.blocks).empty();
  view.target_holds = there && !view.target_extra;
  view.target_fenced = view.has_target && !minus(to.leaving.intersection(entry.blocks), to.blocks).empty();
  view.source_held = !held.empty();
  view.source_leaving = from.leaving.contains(held);
  view.source_marked = !from.leaving.intersection(entry.blocks).empty();
  view.others_hold = held_elsewhere(replicas, entry.from, readable).contains(held);
}

Replicas with_placed(Replicas replicas, const std::vector<PlacedBlocks>& placed, std::uint32_t count) {
  for (const PlacedBlocks& each : placed) {
    if (!find(replicas, each.store).store.empty()) continue;
    at(replicas, each.store).blocks =
        each.blocks.value_or(BlockRanges::all(count)).intersection(BlockRanges::all(count));
  }
  return replicas;
}

void forget_empty(Replicas& replicas, const DataSetSpec& spec) {
  if (spec.discover.source != DiscoveryRequest::Source::none) return;
  std::erase_if(replicas, [&](const HeldBlocks& held) {
    const bool placed = std::any_of(spec.stores.begin(), spec.stores.end(),
                                    [&](const PlacedBlocks& each) { return each.store == held.store; });
    return !placed && held.blocks.empty() && held.copies.empty() && held.extra.empty() && held.leaving.empty();
  });
}

}  // namespace lips::kubernetes
