#include "kubernetes/adapter/job_memories.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lips::kubernetes {
namespace {

constexpr int writes_a_flush = 10;
constexpr Duration same_job_every{5'000'000};

}  // namespace

void JobMemories::found(const std::string& key, const std::string& text) {
  Entry& entry = entries_[key];
  if (entry.written == text) return;
  const bool first = entry.written.empty() && entry.memory.memory == JobMemory{};
  entry.written = text;
  if (first) entry.memory = read_memory(text);
}

void JobMemories::keep_at(const std::string& key, bool is_job, const ObjectMeta& meta) {
  Entry& entry = entries_[key];
  entry.is_job = is_job;
  entry.place = meta;
}

void JobMemories::remember(const std::string& key, const JobMemory& memory, const std::string& home) {
  entries_[key].memory = {memory, home};
  changed_.insert(key);
}

StoredMemory JobMemories::of(const std::string& key) const {
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? StoredMemory{} : entry->second.memory;
}

void JobMemories::forget(const std::string& key) {
  entries_.erase(key);
  changed_.erase(key);
}

void JobMemories::keep_only(const std::set<std::string>& keys) {
  std::erase_if(entries_, [&](const auto& entry) { return !keys.contains(entry.first); });
  std::erase_if(changed_, [&](const std::string& key) { return !keys.contains(key); });
}

void JobMemories::flush(TimePoint now) {
  int writes = 0;
  for (auto key = changed_.begin(); key != changed_.end() && writes < writes_a_flush;) {
    Entry& entry = entries_[*key];
    const std::string text = memory_text(entry.memory.memory, entry.memory.home);
    if (text == entry.written || entry.place.name.empty()) {
      key = changed_.erase(key);
      continue;
    }
    if (now - entry.written_at < same_job_every) {
      ++key;
      continue;
    }
    ApiRequest request;
    request.verb = Verb::patch;
    request.path = fmt::format("/{}/namespaces/{}/{}/{}", entry.is_job ? "apis/batch/v1" : "api/v1",
                               percent_encoded(entry.place.name_space), entry.is_job ? "jobs" : "pods",
                               percent_encoded(entry.place.name));
    request.content_type = merge_patch;
    request.body =
        nlohmann::json{{"metadata", {{"uid", entry.place.uid}, {"annotations", {{notes::memory, text}}}}}}.dump();
    request.repeatable = true;
    request.still_wanted = may_act_;
    client_.start(std::move(request), [](const Answer&) {});
    entry.written = text;
    entry.written_at = now;
    ++writes;
    key = changed_.erase(key);
  }
}

}  // namespace lips::kubernetes
