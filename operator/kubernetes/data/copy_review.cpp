#include "kubernetes/data/copy_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kubernetes/data/plain_words.h"
#include "kubernetes/data/resource_reconciler.h"
#include "kubernetes/data/status_json.h"

namespace lips::kubernetes {
namespace {

constexpr std::size_t most_looks_at_once = 10;  // each look is a pod in the namespace of moves
constexpr Duration looked_around_every = std::chrono::seconds(1);
constexpr Duration pause_after_failed_look = std::chrono::hours(1);
constexpr Duration longest_look = std::chrono::hours(1);  // others wait for its end

std::string look_job_name(const DataStoreResource& store, TimePoint begun) {
  return fmt::format("lips-look-{}-{:x}", store.meta.object.uid.substr(0, 36),
                     static_cast<std::int64_t>(to_seconds(begun)));
}

std::string unowned_words(const UnownedCopies& found) {
  return fmt::format("{} files of copies, {}, belong to no DataSet{}; the operator leaves them alone", found.copies,
                     size_words(found.bytes), found.examples.empty() ? "" : ", such as " + found.examples[0].path);
}

}  // namespace

CopyReview::CopyReview(DataCatalog& catalog, ObjectWrites& writes, EventRecorder& events, const WorkSettings& work,
                       Duration every)
    : catalog_(catalog),
      writes_(writes),
      events_(events),
      work_(work),
      every_(every),
      logs_(catalog, writes, work.name_space) {}

void CopyReview::tick(TimePoint now) {
  note_owners();
  for (auto place = looks_.begin(); place != looks_.end();)
    place = is_over(place->first, place->second, now) ? looks_.erase(place) : std::next(place);
  if (now - reviewed_ < looked_around_every) return;
  reviewed_ = now;
  end_jobs_without_a_look(now);
  forget_what_is_gone();
  // A new round begins when the last has ended, and with it a new set of owners.
  if (looks_.empty() && every_ > Duration(0)) begin_some(now);
}

void CopyReview::note_owners() {
  if (looks_.empty() || noted_version_ == catalog_.version()) return;
  noted_version_ = catalog_.version();
  for (const auto& [name, set] : catalog_.data_sets()) owners_.insert(set.object.meta.object.uid);
  for (const auto& [name, move] : catalog_.moves()) owners_.insert(move.meta.object.uid);
  catalog_.each_unread([this](const std::string& uid) { owners_.insert(uid); });
}

// Jobs of looks that are over, and of earlier processes: which owners there were when they began is not known.
void CopyReview::end_jobs_without_a_look(TimePoint now) {
  for (const auto& [name, job] : catalog_.jobs()) {
    if (job.role != WorkRole::look) continue;
    const auto of_it = [&](const auto& look) { return look.second.job == job.meta.name; };
    if (std::none_of(looks_.begin(), looks_.end(), of_it)) logs_.end(job, now);
  }
}

void CopyReview::forget_what_is_gone() {
  const auto gone = [this](const auto& entry) { return !catalog_.stores().contains(entry.first); };
  std::erase_if(begun_, gone);
  std::erase_if(not_before_, gone);
  logs_.forget_if([this](const std::string& job) {
    return std::none_of(looks_.begin(), looks_.end(), [&](const auto& look) { return look.second.job == job; });
  });
}

// The time of the last look, or of the store's creation, if that is long ago. Where the server does not keep what was
// found, as where its definitions are older, the last look of this process counts.
std::optional<TimePoint> CopyReview::due_since(const DataStoreResource& store, TimePoint now) {
  const std::string& name = store.meta.object.name;
  if (store.meta.deleting || !catalog_.readable(name)) return std::nullopt;
  if (const auto pause = not_before_.find(name); pause != not_before_.end() && now < pause->second) return std::nullopt;
  TimePoint last = store.status.unowned ? store.status.unowned->looked : store.meta.created;
  if (const auto own = begun_.find(name); own != begun_.end()) {
    if (own->second.uid != store.meta.object.uid || (store.status.unowned && last >= own->second.at))
      begun_.erase(own);
    else
      last = std::max(last, own->second.at);
  }
  return now - last >= every_ ? std::optional(last) : std::nullopt;
}

void CopyReview::begin_some(TimePoint now) {
  std::vector<std::pair<TimePoint, const DataStoreResource*>> due;
  for (const auto& [name, store] : catalog_.stores())
    if (const std::optional<TimePoint> since = due_since(store, now)) due.emplace_back(*since, &store);
  std::stable_sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (due.size() > most_looks_at_once) due.resize(most_looks_at_once);
  const TimePoint begun(std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()));  // as it will be written
  owners_.clear();
  noted_version_ = 0;
  for (const auto& [since, store] : due)
    looks_[store->meta.object.name] = {store->meta.object.uid, look_job_name(*store, begun), begun};
  note_owners();
}

bool CopyReview::is_over(const std::string& name, const Look& look, TimePoint now) {
  const DataStoreResource* store = catalog_.store(name);
  if (look.written || !store || store->meta.object.uid != look.uid || store->meta.deleting) return true;
  if (now - look.begun >= longest_look) {
    report_problem(*store, "no list of copies within an hour", now);
    return true;
  }
  const auto body = [&] { return look_job_json(*store, look.job, work_); };
  const Result<const std::string*> log = logs_.of(look.job, body, now);
  if (!log) {
    report_problem(*store, log.error().message, now);
    return true;
  }
  if (!*log) return false;
  const Result<std::vector<CopyFolder>> folders = read_copy_folders(**log);
  if (!folders) {
    report_problem(*store, folders.error().message, now);
    return true;
  }
  return write(*store, unowned_among(*folders, owners_, store->status.unowned, look.begun), now);
}

// True: nothing is left to write.
bool CopyReview::write(const DataStoreResource& store, UnownedCopies found, TimePoint now) {
  const ObjectMeta& meta = store.meta.object;
  const std::string key = write_key(DataKind::data_store, meta);
  if (!writes_.free(key, now)) return false;
  const std::string body = unowned_patch(store, found);
  const auto done = [this, name = meta.name, uid = meta.uid, more = found.copies, words = unowned_words(found),
                     before = store.status.unowned ? store.status.unowned->copies : 0, meta, now,
                     learn = catalog_.learner(DataKind::data_store)](const Answer& answer) {
    learn(answer);
    const auto look = looks_.find(name);
    if (!answer || look == looks_.end() || look->second.uid != uid) return;
    look->second.written = true;
    begun_[name] = {uid, look->second.begun};
    if (more > before)
      events_.record({{data_api_version, "DataStore", meta}, true, "UnownedCopies", "Reviewing", words}, now);
  };
  return !writes_.say(key, "unowned", body, patch_of(resource_path(DataKind::data_store, meta) + "/status", body),
                      done);
}

void CopyReview::report_problem(const DataStoreResource& store, const std::string& what, TimePoint now) {
  events_.record({{data_api_version, "DataStore", store.meta.object}, true, "NotLookedAt", "Reviewing", what}, now);
  not_before_[store.meta.object.name] = now + pause_after_failed_look;
}

}  // namespace lips::kubernetes
