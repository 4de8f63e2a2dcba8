#include "kubernetes/pods/learned_traffic.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kubernetes/pods/older_half.h"

namespace lips::kubernetes {
namespace {

using Stored = nlohmann::ordered_json;

constexpr Duration shortest_pause = std::chrono::seconds(2), longest_pause = std::chrono::minutes(1);
constexpr Duration longest_pause_after_failure = std::chrono::minutes(5);
constexpr int readings_of_a_life = 10;
constexpr Duration short_tail = std::chrono::seconds(5);
constexpr double worth_noting = 1.1;  // times as much as known
constexpr std::size_t longest_name = 600;
constexpr std::uint32_t most_workers = 1'000'000;
constexpr std::int64_t most_turns = std::int64_t{1} << 53;

Mebibytes towards(Mebibytes from, Mebibytes to, double part) { return from + part * (to - from); }

bool is_more(const Traffic& now, const Traffic& known) {
  return now.shuffle > worth_noting * known.shuffle || now.input > worth_noting * known.input;
}

double rounded(Mebibytes size) { return std::round(1000 * size.value()) / 1000; }

Mebibytes size_in(const Stored& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return Mebibytes(0);
  const double size = found->get<double>();
  return size >= 0 && size <= most_traffic.value() ? Mebibytes(size) : Mebibytes(0);
}

std::int64_t whole_in(const Stored& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return 0;
  const double number = found->get<double>();
  return number >= 0 && number <= static_cast<double>(most_turns) ? found->get<std::int64_t>() : 0;
}

// The workers of the last two runs.
std::array<std::uint32_t, 2> workers_in(const Stored& json) {
  std::array<std::uint32_t, 2> result{};
  const auto found = json.find("workers");
  if (found == json.end() || !found->is_array() || found->size() != result.size()) return result;
  for (std::size_t i = 0; i < result.size(); ++i)
    if ((*found)[i].is_number_unsigned())
      result[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>((*found)[i].get<std::uint64_t>(), most_workers));
  return result;
}

std::string name_space_of(const std::string& of) { return of.substr(0, of.find('/') + 1); }

}  // namespace

Traffic larger_of(const Traffic& a, const Traffic& b) {
  return {std::max(a.shuffle, b.shuffle), std::max(a.input, b.input)};
}

bool saw_the_end(TimePoint started, TimePoint read, TimePoint ended) {
  return ended - read <= std::max(short_tail, (ended - started) / (readings_of_a_life / 2));
}

Duration pause_between_readings(Duration age) {
  return std::clamp(age / readings_of_a_life, shortest_pause, longest_pause);
}

// In proportion to its age, so one that starts slowly is read soon after it has started.
Duration pause_after_failure(Duration age) { return std::clamp(age / 4, shortest_pause, longest_pause_after_failure); }

LearnedTraffic::Known LearnedTraffic::Entry::known() const {
  return {larger_of(mean, open_bytes), runs, std::max(workers[0], workers[1])};
}

// Nobody will see the end of that run.
void LearnedTraffic::Entry::fold() {
  mean = larger_of(mean, open_bytes);
  open.clear();
  open_bytes = {};
}

// A namespace with many names takes room from itself first.
void LearnedTraffic::make_room(const std::string& of) {
  const std::string own = name_space_of(of);
  auto oldest = entries_.end();
  std::size_t count = 0;
  for (auto entry = entries_.lower_bound(own); entry != entries_.end() && entry->first.starts_with(own); ++entry) {
    ++count;
    if (oldest == entries_.end() || entry->second.used < oldest->second.used) oldest = entry;
  }
  if (count >= most_of_a_name_space)
    entries_.erase(oldest);
  else if (entries_.size() >= most_kept)
    drop_older_half(entries_);
}

LearnedTraffic::Entry& LearnedTraffic::entry_of(const std::string& of) {
  if (!entries_.contains(of)) make_room(of);
  Entry& entry = entries_[of];
  entry.used = ++turn_;
  ++version_;
  return entry;
}

void LearnedTraffic::seen(const std::string& of, const std::string& run, const Traffic& so_far) {
  const auto known = entries_.find(of);
  if (!is_more(so_far, known == entries_.end() ? Traffic{} : known->second.known().bytes)) return;
  Entry& entry = entry_of(of);
  if (entry.open != run) entry.fold();
  entry.open = run;
  entry.open_bytes = larger_of(entry.open_bytes, so_far);
}

void LearnedTraffic::ended(const std::string& of, const std::string& run, const Traffic& whole) {
  Entry& entry = entry_of(of);
  if (entry.open == run) entry.open.clear(), entry.open_bytes = {};
  entry.fold();
  entry.runs = std::min(entry.runs + 1, remembered);
  if (entry.runs == 1) {
    entry.mean = larger_of(entry.mean, whole);
    return;
  }
  const double part = 1.0 / entry.runs;
  entry.mean = {towards(entry.mean.shuffle, whole.shuffle, part), towards(entry.mean.input, whole.input, part)};
}

// One run with fewer may have failed, or found no room for more.
void LearnedTraffic::had(const std::string& of, std::uint32_t workers) {
  Entry& entry = entry_of(of);
  entry.workers = {std::min(workers, most_workers), entry.workers[0]};
}

std::optional<LearnedTraffic::Known> LearnedTraffic::of(const std::string& of) const {
  const auto entry = entries_.find(of);
  return entry == entries_.end() ? std::nullopt : std::optional(entry->second.known());
}

std::map<std::string, LearnedTraffic::Known> LearnedTraffic::all() const {
  std::map<std::string, Known> result;
  for (const auto& [name, entry] : entries_) result.emplace(name, entry.known());
  return result;
}

std::string LearnedTraffic::text() const {
  Stored json = Stored::object();
  for (const auto& [name, entry] : entries_) {
    Stored& one = json[name] = {{"runs", entry.runs},
                                {"shuffleMiB", rounded(entry.mean.shuffle)},
                                {"inputMiB", rounded(entry.mean.input)},
                                {"used", entry.used}};
    if (entry.known().workers > 0) one["workers"] = entry.workers;
    if (entry.open.empty()) continue;
    one["open"] = {{"run", entry.open},
                   {"shuffleMiB", rounded(entry.open_bytes.shuffle)},
                   {"inputMiB", rounded(entry.open_bytes.input)}};
  }
  return json.dump(-1, ' ', false, Stored::error_handler_t::replace);
}

void LearnedTraffic::read(const std::string& text) {
  entries_.clear();
  turn_ = 0;
  ++version_;
  const Stored json = Stored::parse(text, nullptr, false);
  if (!json.is_object()) return;
  for (const auto& [name, one] : json.items()) {
    if (!one.is_object() || name.size() > longest_name || entries_.size() >= most_kept) continue;
    Entry& entry = entries_[name];
    entry.runs = static_cast<std::uint32_t>(std::min<std::int64_t>(whole_in(one, "runs"), remembered));
    entry.mean = {size_in(one, "shuffleMiB"), size_in(one, "inputMiB")};
    entry.used = static_cast<std::uint64_t>(whole_in(one, "used"));
    turn_ = std::max(turn_, entry.used);
    entry.workers = workers_in(one);
    const auto open = one.find("open");
    if (open == one.end() || !open->is_object()) continue;
    if (const auto run = open->find("run"); run != open->end() && run->is_string())
      entry.open = run->get<std::string>();
    if (entry.open.size() > longest_name) entry.open.clear();
    if (!entry.open.empty()) entry.open_bytes = {size_in(*open, "shuffleMiB"), size_in(*open, "inputMiB")};
  }
}

}  // namespace lips::kubernetes
