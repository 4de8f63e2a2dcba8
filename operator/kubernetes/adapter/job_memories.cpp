#include "kubernetes/adapter/job_memories.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace lips::kubernetes {
namespace {

constexpr Duration same_job_every{5'000'000};

}  // namespace

MemoryPlace memory_place(const PodRecord& pod) {
  if (!pod.owner) return {false, pod.meta};
  const ObjectMeta owner{pod.meta.name_space, pod.owner->name, pod.owner->uid, ""};
  if (pod.owner->is_batch_job()) return {true, owner};
  // We may not write to owners of other kinds, so a pod of the job carries the memory.
  return {false, pod.owner->is_pod() ? owner : pod.meta};
}

std::string maps_text(const MapsByZone& maps) {
  std::string text;
  for (const auto& [zone, count] : maps) text += fmt::format("{}{}={}", text.empty() ? "" : ",", zone, count);
  return text;
}

MapsByZone read_maps(const std::string& text) {
  MapsByZone maps;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view entry = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    std::uint32_t count = 0;
    const char* last = entry.data() + entry.size();
    const auto [stop, error] = std::from_chars(entry.data() + equals + 1, last, count);
    if (error == std::errc() && stop == last && count <= 1'000'000'000)
      maps[std::string(entry.substr(0, equals))] = count;
  }
  return maps;
}

void JobMemories::found(const MemoryPlace& place, const TextMap& annotations) {
  Carried carried;
  if (const std::string* text = find_text(annotations, annotation::memory)) carried.memory = *text;
  if (const std::string* text = find_text(annotations, annotation::finished_maps)) carried.maps = *text;
  if (carried == Carried{}) return;
  const std::string& uid = place.meta.uid;
  carried_[uid] = carried;
  // Only for a job in its own namespace: a pod cannot speak for others.
  if (const std::string* key = find_text(annotations, annotation::memory_of);
      key && key->starts_with(shared_job_key(place.meta.name_space, "")))
    named_.try_emplace(*key, place);
  const auto key = key_at_.find(uid);
  if (key == key_at_.end() || may_act_()) return;  // the writer knows better than a watch event in flight
  changed_.erase(key->second);
  adopt(entries_[key->second], carried);
}

void JobMemories::adopt(Entry& entry, const Carried& carried) {
  entry.written = carried;
  if (!carried.memory.empty() && (entry.memory.memory == JobMemory{} || !may_act_()))
    entry.memory = read_memory(carried.memory);
  for (const auto& [zone, count] : read_maps(carried.maps)) entry.maps[zone] = std::max(entry.maps[zone], count);
}

std::optional<std::string> JobMemories::gone(const std::string& uid) {
  if (carried_.erase(uid) > 0) std::erase_if(named_, [&](const auto& entry) { return entry.second.meta.uid == uid; });
  const auto place = key_at_.extract(uid);
  if (place.empty()) return std::nullopt;
  Entry& entry = entries_[place.mapped()];
  entry.place = {};
  entry.written = {};
  return place.mapped();
}

bool JobMemories::keep_at(const std::string& key, const MemoryPlace& place) {
  Entry& entry = entries_[key];
  if (entry.memory.memory != JobMemory{} || !entry.maps.empty()) changed_.insert(key);
  const auto named = named_.find(key);
  if (entry.place.meta.name.empty() && named != named_.end() && !key_at_.contains(named->second.meta.uid))
    put_at(key, entry, named->second);
  if (const auto other = key_at_.find(place.meta.uid); other != key_at_.end()) return other->second == key;
  if (entry.place.meta.name.empty()) {
    put_at(key, entry, place);
    return true;
  }
  const bool carries = carried_.contains(place.meta.uid);
  const bool outlives = place.is_job && !entry.place.is_job;
  if (!outlives && (!carries || entry.written != Carried{})) return true;
  const bool decided_here =
      entry.written_at != TimePoint{} || memory_text(entry.memory.memory, entry.memory.home) != entry.written.memory;
  if (carries && !decided_here) entry.memory = {};  // the place that is left may have been left before
  key_at_.erase(entry.place.meta.uid);
  entry.written = {};
  entry.written_at = {};
  put_at(key, entry, place);
  return true;
}

void JobMemories::put_at(const std::string& key, Entry& entry, const MemoryPlace& place) {
  entry.place = place;
  key_at_[place.meta.uid] = key;
  if (const auto carried = carried_.find(place.meta.uid); carried != carried_.end()) adopt(entry, carried->second);
}

void JobMemories::remember(const std::string& key, const JobMemory& memory, const std::string& home) {
  entries_[key].memory = {memory, home};
  changed_.insert(key);
}

void JobMemories::maps_ended(const std::string& key, const MapsByZone& maps) {
  if (maps.empty()) return;
  MapsByZone& known = entries_[key].maps;
  for (const auto& [zone, count] : maps) known[zone] = std::max(known[zone], count);
  changed_.insert(key);
}

void JobMemories::map_ended(const std::string& key, const std::string& zone) {
  ++entries_[key].maps[zone];
  changed_.insert(key);
}

StoredMemory JobMemories::of(const std::string& key) const {
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? StoredMemory{} : entry->second.memory;
}

const MapsByZone& JobMemories::maps_of(const std::string& key) const {
  static const MapsByZone none;
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? none : entry->second.maps;
}

void JobMemories::keep_only(const std::function<bool(const std::string& key)>& is_there) {
  std::erase_if(entries_, [&](const auto& entry) { return !is_there(entry.first); });
  std::erase_if(key_at_, [&](const auto& entry) { return !is_there(entry.second); });
  std::erase_if(changed_, [&](const std::string& key) { return !is_there(key); });
}

void JobMemories::flush(TimePoint now) {
  for (auto key = changed_.begin(); key != changed_.end();) {
    Entry& entry = entries_[*key];
    const Carried text{memory_text(entry.memory.memory, entry.memory.home), maps_text(entry.maps)};
    if (text == entry.written || entry.place.meta.name.empty()) {
      key = changed_.erase(key);
      continue;
    }
    if (now - entry.written_at >= same_job_every)
      turns_.add(entry.place.meta.name_space, *key, entry.written != Carried{});
    ++key;
  }
  turns_.grant_most([&](const std::string& key) {
    Entry& entry = entries_[key];
    write(key, entry, {memory_text(entry.memory.memory, entry.memory.home), maps_text(entry.maps)});
    entry.written_at = now;
    changed_.erase(key);
  });
}

void JobMemories::write(const std::string& key, Entry& entry, const Carried& now) {
  nlohmann::json annotations = nlohmann::json::object();
  if (now.memory != entry.written.memory) annotations[annotation::memory] = now.memory;
  if (now.maps != entry.written.maps) annotations[annotation::finished_maps] = now.maps;
  if (key.starts_with(shared_job)) annotations[annotation::memory_of] = key;
  const ObjectMeta& place = entry.place.meta;
  ApiRequest request;
  request.verb = Verb::patch;
  request.path =
      fmt::format("/{}/namespaces/{}/{}/{}", entry.place.is_job ? "apis/batch/v1" : "api/v1",
                  percent_encoded(place.name_space), entry.place.is_job ? "jobs" : "pods", percent_encoded(place.name));
  request.content_type = merge_patch;
  request.body = nlohmann::json{{"metadata", {{"uid", place.uid}, {"annotations", std::move(annotations)}}}}.dump();
  request.repeatable = true;
  request.still_wanted = may_act_;
  // Refused writes are counted and logged in one place for all writers.
  client_.start(std::move(request), [](const Answer&) {});
  entry.written = now;
}

}  // namespace lips::kubernetes
