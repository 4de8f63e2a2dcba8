#include "kubernetes/data/data_discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kubernetes/api/too_large.h"
#include "kubernetes/data/object_size.h"
#include "kubernetes/data/resource_reconciler.h"
#include "kubernetes/data/status_json.h"

namespace lips::kubernetes {
namespace {

constexpr Duration pause_after_failure = std::chrono::minutes(1);
constexpr Duration pause_after_too_large = std::chrono::hours(1);  // the next look finds as many files
constexpr Duration least_every = std::chrono::seconds(10);         // between two looks at a data set
constexpr Duration job_appears_in = std::chrono::minutes(1);       // after it was asked for
// Data sets at which Jobs look at the same time: each is a pod in the namespace of moves.
constexpr std::size_t most_at_once = 10, most_of_a_namespace = 4;

std::string name_of(const CatalogDataSet& set) { return full_name(set.object.meta.object); }

// Further Jobs of a look at HDFS: for the folders of each level below the first, and for the blocks of all files.
std::string job_of_level(const std::string& first, int level) { return fmt::format("{}-level{}", first, level); }
std::string job_of_blocks(const std::string& first) { return first + "-blocks"; }
std::string first_job(const std::string& job) {
  const std::size_t end = std::min(job.rfind("-level"), job.rfind("-blocks"));
  return job.substr(0, end);
}

}  // namespace

DataDiscovery::DataDiscovery(DataCatalog& catalog, ObjectWrites& writes, EventRecorder& events,
                             const WorkSettings& work)
    : catalog_(catalog), writes_(writes), events_(events), work_(work), logs_(catalog, writes, work.name_space) {}

void DataDiscovery::forget_what_is_gone() {
  std::erase_if(not_before_, [this](const auto& pause) { return !catalog_.data_sets().contains(pause.first); });
  if (logs_.kept() + walks_.size() == 0) return;
  std::set<std::string> jobs;
  for (const auto& [name, set] : catalog_.data_sets()) jobs.insert(list_job_name(set.object));
  logs_.forget_if([&](const std::string& job) { return !jobs.contains(first_job(job)); });
  std::erase_if(walks_, [&](const auto& walk) { return !jobs.contains(walk.first); });
}

void DataDiscovery::tick(TimePoint now) {
  forget_what_is_gone();
  note_jobs(now);
  for (const auto& [name, place] : catalog_.to_discover()) {
    const CatalogDataSet& set = *place;
    if (set.object.meta.deleting) continue;
    const FindingReason reason = set.finding.reason;
    const bool refused =
        !set.finding.usable && reason != FindingReason::not_discovered && reason != FindingReason::too_large;
    if (refused || !due(set, now))
      remove_jobs(set, now);
    else if (is_under_way(set))
      discover(set, now);
    else
      waiting_.add(set.object.meta.object.name_space, &set);
  }
  begin_some(now);
}

void DataDiscovery::note_jobs(TimePoint now) {
  jobs_.clear();
  for (const auto& [name, job] : catalog_.jobs())
    if (const std::string* uid = find_text(job.labels, data_set_label); uid && job.role == WorkRole::list)
      jobs_[*uid].push_back(&job);
  std::erase_if(
      begun_, [&](const auto& entry) { return jobs_.contains(entry.first) || now - entry.second.at > job_appears_in; });
}

bool DataDiscovery::is_under_way(const CatalogDataSet& set) const {
  const std::string& uid = set.object.meta.object.uid;
  return jobs_.contains(uid) || begun_.contains(uid);
}

void DataDiscovery::begin_some(TimePoint now) {
  const auto runs = [](const auto& entry) {
    return std::any_of(entry.second.begin(), entry.second.end(),
                       [](const WorkJob* job) { return job->state == WorkJob::State::running && !job->deleting; });
  };
  std::size_t all = begun_.size() + static_cast<std::size_t>(std::count_if(jobs_.begin(), jobs_.end(), runs));
  std::map<std::string, std::size_t> by_name_space;
  for (const auto& [uid, begun] : begun_) ++by_name_space[begun.name_space];
  if (!jobs_.empty())
    for (const auto& [name, set] : catalog_.data_sets()) {
      const auto jobs = jobs_.find(set.object.meta.object.uid);
      if (jobs != jobs_.end() && runs(*jobs)) ++by_name_space[set.object.meta.object.name_space];
    }
  waiting_.grant([&](const CatalogDataSet* set) {
    if (all >= most_at_once) return false;
    const ObjectMeta& meta = set->object.meta.object;
    if (by_name_space[meta.name_space] >= most_of_a_namespace) return true;
    begun_[meta.uid] = {meta.name_space, now};
    discover(*set, now);
    ++all, ++by_name_space[meta.name_space];
    return true;
  });
}

bool DataDiscovery::due(const CatalogDataSet& set, TimePoint now) const {
  const auto pause = not_before_.find(name_of(set));
  if (pause != not_before_.end() && now < pause->second) return false;
  const DataSetStatus& status = set.object.status;
  if (!status.discovered || status.observed_generation < set.object.meta.generation) return true;
  const Duration every = set.object.spec.discover.every;
  return every > Duration(0) && now - *status.discovered >= std::max(every, least_every);
}

const std::string* DataDiscovery::log_of(const CatalogDataSet& set, const std::string& job,
                                         const std::function<std::string()>& body, TimePoint now) {
  const Result<const std::string*> log = logs_.of(job, body, now);
  if (log) return *log;
  report_problem(set, log.error().message, now);
  return nullptr;
}

void DataDiscovery::discover(const CatalogDataSet& set, TimePoint now) {
  const DiscoveryRequest& discover = set.object.spec.discover;
  if (discover.source == DiscoveryRequest::Source::hdfs) return discover_hdfs(set, now);
  const DataStoreResource* store = catalog_.store(discover.store);
  if (!store) return;  // the review of the data set reports what is missing
  const auto body = [&] { return list_job_json(set.object, *store, work_); };
  if (const std::string* log = log_of(set, list_job_name(set.object), body, now))
    keep(set, read_listing(*log, set.object.spec), now);
}

// One Job for each level: all folders of a level are known once those above are listed. A log is read once.
const std::vector<DataFile>* DataDiscovery::walk_hdfs(const CatalogDataSet& set, TimePoint now) {
  const std::string first = list_job_name(set.object);
  HdfsWalk& walk = walks_.try_emplace(first, set.object.spec.discover).first->second;
  while (!walk.done()) {
    const std::string job = walk.level() == 0 ? first : job_of_level(first, walk.level());
    const auto body = [&] { return fetch_job_json(set.object, job, walk.urls(), work_); };
    const std::string* log = log_of(set, job, body, now);
    if (!log) return nullptr;
    const Result<void> taken = walk.take(*log);
    logs_.forget(job);
    if (taken) continue;
    report_problem(set, taken.error().message, now);
    return nullptr;
  }
  return &walk.files();
}

void DataDiscovery::discover_hdfs(const CatalogDataSet& set, TimePoint now) {
  const std::vector<DataFile>* files = walk_hdfs(set, now);
  if (!files) return;
  const std::string job = job_of_blocks(list_job_name(set.object));
  const auto body = [&] {
    std::vector<std::string> urls;
    for (const DataFile& file : *files) urls.push_back(hdfs_blocks_url(set.object.spec.discover, file));
    return fetch_job_json(set.object, job, urls, work_);
  };
  if (const std::string* log = log_of(set, job, body, now))
    keep(set, read_hdfs_blocks(*files, *log, set.object.spec), now);
}

void DataDiscovery::report_problem(const CatalogDataSet& set, const std::string& what, TimePoint now) {
  events_.record({{data_api_version, "DataSet", set.object.meta.object},
                  true,
                  std::string(to_string(FindingReason::not_discovered)),
                  "Discovering",
                  what},
                 now);
  not_before_[name_of(set)] = now + pause_after_failure;
  walks_.erase(list_job_name(set.object));
  remove_jobs(set, now);
}

void DataDiscovery::keep(const CatalogDataSet& set, const Result<Discovered>& found, TimePoint now) {
  const std::string key = write_key(DataKind::data_set, set.object.meta.object);
  if (!found) return report_problem(set, found.error().message, now);
  const DataSetStatus& before = set.object.status;
  const bool has_copies = std::any_of(before.replicas.begin(), before.replicas.end(),
                                      [](const HeldBlocks& held) { return !held.copies.empty(); });
  if (before.discovered && has_copies && !only_added(before.files, found->files))
    return report_problem(set, "known files have changed, and copies of their blocks exist; make a new DataSet", now);
  if (!writes_.free(key, now)) return;
  DataSetResource changed = set.object;
  DataSetStatus& status = changed.status;
  status.files = found->files;
  // Rounded as it will be written, so the next look is not due at once.
  status.discovered = now;
  const auto layout = layout_of(changed);
  if (!layout) return report_problem(set, layout.error().message, now);
  status.blocks = layout->native;
  status.size = layout->size;
  // The result replaces the originals; copies stay.
  for (HeldBlocks& held : status.replicas) {
    held.blocks = held.blocks.intersection(held.copies);
    held.leaving = held.leaving.intersection(held.copies);
  }
  for (const PlacedBlocks& placed : found->stores) {
    auto place = std::lower_bound(status.replicas.begin(), status.replicas.end(), placed.store,
                                  [](const HeldBlocks& held, const std::string& store) { return held.store < store; });
    if (place == status.replicas.end() || place->store != placed.store) {
      place = status.replicas.insert(place, HeldBlocks{});
      place->store = placed.store;
    }
    place->blocks.add(*placed.blocks);
  }
  std::string patch = data_set_patch(changed, status, true);
  if (std::string why = why_too_large(set, data_set_patch(set.object, before, true), patch); !why.empty())
    return refuse_size(set, std::move(why), now);
  writes_.send(key, patch_of(resource_path(DataKind::data_set, set.object.meta.object) + "/status", std::move(patch)),
               [this, name = name_of(set), now, take = size_learner(catalog_, name_of(set))](const Answer& answer) {
                 take(answer);
                 if (!answer && is_too_large(answer.error())) not_before_[name] = now + pause_after_too_large;
               });
}

void DataDiscovery::refuse_size(const CatalogDataSet& set, std::string why, TimePoint now) {
  report_problem(set, why, now);
  not_before_[name_of(set)] = now + pause_after_too_large;
  catalog_.say_too_large(full_name(set.object.meta.object), std::move(why));
}

void DataDiscovery::remove_jobs(const CatalogDataSet& set, TimePoint now) {
  const auto jobs = jobs_.find(set.object.meta.object.uid);
  if (jobs == jobs_.end()) return;
  for (const WorkJob* job : jobs->second) logs_.end(*job, now);
}

}  // namespace lips::kubernetes
