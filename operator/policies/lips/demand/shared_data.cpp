#include "policies/lips/demand/shared_data.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

namespace lips {

IdVector<DataSetId, double> pending_readers(const ClusterSnapshot& cluster) {
  IdVector<DataSetId, double> readers(cluster.data_sets.size(), 0.0);
  for (JobId id : cluster.pending)
    for (const TaskGroup& group : cluster.groups[id])
      if (group.data_set.valid() && cluster.data_sets[group.data_set].size.value() > 0)
        readers[group.data_set] += group.count * group.input.value() / cluster.data_sets[group.data_set].size.value();
  return readers;
}

OtherReaders::OtherReaders(const ClusterSnapshot& cluster)
    : cluster_(cluster), parts_(cluster), all_(pending_readers(cluster)) {}

const OtherReaders::Reads& OtherReaders::own(JobId job) const {
  const auto [known, added] = own_.try_emplace(parts_.first(job));
  if (added)
    parts_.each(job, [&, &reads = known->second](JobId part) {
      for (const TaskGroup& group : cluster_.groups[part])
        if (group.data_set.valid()) reads[group.data_set] += group.count * group.input.value();
    });
  return known->second;
}

double OtherReaders::of(JobId job, const TaskGroup& group) const {
  const double size = cluster_.data_sets[group.data_set].size.value();
  const Reads& reads = own(job);
  const auto found = reads.find(group.data_set);
  const double others = all_[group.data_set] - (found == reads.end() || size <= 0 ? 0 : found->second / size);
  return others > 1e-9 ? others : 0;  // sums of the same reads in another order
}

namespace {

bool reads_blocks(const TaskGroup& group) {
  return group.count > 0 && group.kind == TaskKind::map && group.reads && group.data_set.valid() &&
         !group.zones.empty();
}

}  // namespace

std::size_t PendingReads::place_of(BlockId block) const {
  return block.index() - cluster_.data_sets[cluster_.blocks[block].data_set].first_block.index();
}

std::uint32_t PendingReads::readers(BlockId block) const {
  const Counted& counts = counted(cluster_.blocks[block].data_set);
  if (counts.readers.empty()) return 0;
  const std::size_t place = place_of(block);
  return place < counts.readers.size() ? counts.readers[place] : 0;
}

PendingReads::PendingReads(const ClusterSnapshot& cluster) : cluster_(cluster) {
  for (const JobId id : cluster.pending)
    for (std::uint32_t g = 0; g < cluster.groups[id].size(); ++g)
      if (const TaskGroup& group = cluster.groups[id][g]; reads_blocks(group))
        readers_.push_back({group.data_set, id, g});
  std::sort(readers_.begin(), readers_.end(), [](const Reader& a, const Reader& b) { return a.data_set < b.data_set; });
}

const PendingReads::Counted& PendingReads::counted(DataSetId data_set) const {
  const auto [place, added] = counted_.try_emplace(data_set);
  Counted& counts = place->second;
  if (!added) return counts;
  auto reader = std::lower_bound(readers_.begin(), readers_.end(), data_set,
                                 [](const Reader& known, DataSetId wanted) { return known.data_set < wanted; });
  for (; reader != readers_.end() && reader->data_set == data_set; ++reader)
    for (const TaskId task : cluster_.tasks_of(cluster_.groups[reader->job][reader->group])) {
      const std::size_t place_of_block = place_of(cluster_.tasks[task].block);
      if (place_of_block >= counts.readers.size()) counts.readers.resize(place_of_block + 1, 0);
      counts.shared |= ++counts.readers[place_of_block] > 1;
    }
  return counts;
}

PendingReads::Of PendingReads::of(const TaskGroup& group) const {
  Of result{1, group.zones_soon()};
  if (!group.data_set.valid()) return result;
  const Counted& counts = counted(group.data_set);
  if (!counts.shared && cluster_.moves.empty()) return result;
  for (TaskId task : cluster_.tasks_of(group)) {
    const BlockId block = cluster_.tasks[task].block;
    result.zones = result.zones | cluster_.blocks[block].coming;  // which a group of peers does not say
    if (counts.shared) result.most_readers = std::max(result.most_readers, counts.readers[place_of(block)]);
  }
  return result;
}

SharedData::SharedData(const ClusterSnapshot& cluster) : of_(cluster.jobs.size()), readers_(cluster.blocks.size(), 0) {
  count_readers(cluster);
  find_objects(cluster);
}

void SharedData::count_readers(const ClusterSnapshot& cluster) {
  for (JobId id : cluster.pending)
    for (const TaskGroup& group : cluster.groups[id])
      if (reads_blocks(group))
        for (TaskId task : cluster.tasks_of(group)) ++readers_[cluster.tasks[task].block];
}

// An object is a set of blocks that two or more portions read in full, and no portion in part or twice.
void SharedData::find_objects(const ClusterSnapshot& cluster) {
  struct Found {
    std::vector<Entry*> portions;
    const TaskGroup* group = nullptr;
    bool mixed = false;
  };
  std::unordered_set<BlockId> coming;
  for (const MoveInFlight& move : cluster.moves) coming.insert(move.block);
  using SetId = Id<struct BlockSetTag>;
  std::map<std::vector<BlockId>, SetId> sets;
  IdVector<SetId, Found> found;
  IdVector<BlockId, SetId> set_of(cluster.blocks.size());
  std::vector<BlockId> blocks;
  for (JobId id : cluster.pending) {
    of_[id].resize(cluster.groups[id].size());
    for (std::uint32_t g = 0; g < of_[id].size(); ++g) {
      const TaskGroup& group = cluster.groups[id][g];
      if (!reads_blocks(group)) continue;
      blocks.clear();
      for (TaskId task : cluster.tasks_of(group)) blocks.push_back(cluster.tasks[task].block);
      for (BlockId block : blocks) of_[id][g].most_readers = std::max(of_[id][g].most_readers, readers_[block]);
      if (of_[id][g].most_readers < 2) continue;
      std::sort(blocks.begin(), blocks.end());
      const bool twice = std::adjacent_find(blocks.begin(), blocks.end()) != blocks.end();
      const auto [known, added] = sets.try_emplace(blocks);
      if (added) known->second = found.push_back({{}, &group, false});
      const SetId set = known->second;
      found[set].portions.push_back(&of_[id][g]);
      // Blocks on their way are soon where no column knows them.
      const bool moving =
          std::any_of(blocks.begin(), blocks.end(), [&](BlockId block) { return coming.contains(block); });
      if (twice || moving) found[set].mixed = true;
      for (BlockId block : blocks) {
        if (set_of[block].valid() && set_of[block] != set) found[set].mixed = found[set_of[block]].mixed = true;
        set_of[block] = set;
      }
    }
  }
  for (const auto& [members, set] : sets) {
    if (found[set].mixed || found[set].portions.size() < 2) continue;
    SharedObject object{found[set].group->data_set, found[set].group->zones, {}};
    for (BlockId block : members) object.size += cluster.blocks[block].size;
    const SharedObjectId id = objects_.push_back(object);
    for (Entry* portion : found[set].portions) portion->object = id;
  }
}

}  // namespace lips
