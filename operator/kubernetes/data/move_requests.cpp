#include "kubernetes/data/move_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/data/resource_reconciler.h"
#include "kubernetes/data/status_json.h"

namespace lips::kubernetes {
namespace {

constexpr Duration longest_watch_delay = std::chrono::minutes(2);

}  // namespace

// An unfinished move that does the same to this block.
const DataMoveResource* MoveRequests::same_move(const MoveRequest& request) const {
  for (const auto& [name, move] : catalog_.moves()) {
    const DataMoveSpec& spec = move.spec;
    if (move.data_set_key() != request.data_set || spec.to != request.to || spec.cancel || move.meta.deleting) continue;
    if (request.to.empty() && spec.from != request.from) continue;
    if (move.status.phase == MovePhase::failed || move.status.finished) continue;
    const bool done = move.status.phase == MovePhase::committed && !request.to.empty();
    const BlockRanges& blocks = move.status.began() ? move.status.blocks : spec.blocks.value_or(BlockRanges());
    if (!done && blocks.contains(request.block) && spec.drop_source == request.drop_source) return &move;
  }
  return nullptr;
}

// Joins a move that was requested before, perhaps by an earlier process: its outcome is that of this request too.
bool MoveRequests::join(const MoveRequest& request) {
  const DataMoveResource* move = same_move(request);
  if (!move) return false;
  RequestedMove& own = requested_moves_[move->meta.object.name];
  own.created = true;
  own.requests.push_back(request);
  return true;
}

void MoveRequests::write(TimePoint now) {
  Groups groups;
  for (MoveRequest& each : requested_) {
    if (join(each)) continue;
    groups[{each.data_set, each.from, each.to, each.drop_source, each.extra}].push_back(std::move(each));
  }
  requested_.clear();
  group_drops(groups);
  for (auto& [group, requests] : groups) {
    const std::size_t most = std::max<std::uint32_t>(1, limits_.blocks_per_move);
    for (std::size_t first = 0; first < requests.size(); first += most) {
      const auto begin = requests.begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = static_cast<std::ptrdiff_t>(std::min(most, requests.size() - first));
      std::vector<MoveRequest> some(begin, begin + count);
      const DataMoveSpec spec = spec_of(some);
      create_move(spec, std::move(some), now);
    }
  }
}

void MoveRequests::group_drops(Groups& groups) {
  for (const DropRequest& each : std::exchange(drops_, {})) {
    const CatalogDataSet* set = catalog_.data_set(each.data_set);
    const HeldBlocks* held = set ? find_held(set->object, each.store) : nullptr;
    if (!held || !held->blocks.contains(each.block) || held->leaving.contains(each.block))
      continue;  // it is being deleted or gone
    const MoveRequest request{{}, each.data_set, each.block, each.store, "", true, true};
    if (!held->extra.contains(each.block))
      end(request, false, "no longer an extra copy");
    else if (!join(request))
      groups[{each.data_set, each.store, "", true, true}].push_back(request);
  }
}

DataMoveSpec MoveRequests::spec_of(const std::vector<MoveRequest>& requests) const {
  const MoveRequest& first = requests.front();
  DataMoveSpec spec;
  spec.data_set_name_space = first.data_set.substr(0, first.data_set.find('/'));
  spec.data_set = first.data_set.substr(first.data_set.find('/') + 1);
  spec.blocks.emplace();
  for (const MoveRequest& each : requests) spec.blocks->add(each.block);
  spec.from = first.from;
  spec.to = first.to;
  spec.drop_source = first.drop_source;
  spec.extra = first.extra;
  spec.attempts = limits_.attempts;
  spec.keep_for = limits_.keep_finished;
  return spec;
}

void MoveRequests::create_move(const DataMoveSpec& spec, std::vector<MoveRequest> requests, TimePoint now) {
  const std::string name = fmt::format("{}-{:x}-{}", spec.to.empty() ? "drop" : "move",
                                       now.time_since_epoch().count() / 1000, ++names_given_);
  requested_moves_[name].requests = std::move(requests);
  const std::string key = write_key(DataKind::data_move, {"", name, "", ""});
  writes_.send(key, creation_of(all_resources_path(DataKind::data_move), data_move_json(name, spec)),
               [this, name, key](const Answer& answer) {
                 RequestedMove& own = requested_moves_[name];
                 own.created = answer.has_value() || answer.error().code == ErrorCode::conflict;
                 if (answer) {
                   catalog_.learn(DataKind::data_move, *answer);
                   writes_.end_hold(key);
                 }
                 if (own.created) return;
                 for (const MoveRequest& each : own.requests) end(each, false, answer.error().message);
                 requested_moves_.erase(name);
               });
}

void MoveRequests::end(const MoveRequest& request, bool done, const std::string& why) {
  if (!request.to.empty())
    outcomes_.push_back({request, done, done ? "" : why});
  else if (!done)
    not_dropped_.push_back({request.data_set, request.block, request.from});
}

void MoveRequests::complete(TimePoint now) {
  for (auto place = requested_moves_.begin(); place != requested_moves_.end();) {
    const auto move = catalog_.moves().find(place->first);
    const bool there = move != catalog_.moves().end();
    const DataMoveStatus* status = there ? &move->second.status : nullptr;
    const bool is_drop = place->second.requests.front().to.empty();  // committed first, carried out afterwards
    const bool committed = there && status->phase == MovePhase::committed && (!is_drop || status->finished);
    const bool failed = there && status->phase == MovePhase::failed;
    // Created but not seen: the watch is late, or somebody deleted it at once. After a while assume the latter.
    std::optional<TimePoint>& missed = place->second.missed_since;
    if (!place->second.created || there)
      missed.reset();
    else if (!missed)
      missed = now;
    const bool lost = missed && now - *missed >= longest_watch_delay;
    if (!committed && !failed && !lost) {
      ++place;
      continue;
    }
    const bool done = committed && (!is_drop || status->source != SourceState::kept);
    for (const MoveRequest& each : place->second.requests) end(each, done, there ? status->message : "deleted");
    place = requested_moves_.erase(place);
  }
}

}  // namespace lips::kubernetes
