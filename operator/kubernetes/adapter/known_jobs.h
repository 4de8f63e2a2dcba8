// Jobs as a whole: the objects that own them, their pods, and the memories that policies have of them. Writes those
// memories to the cluster; decides nothing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "kubernetes/adapter/arriving_job.h"
#include "kubernetes/adapter/awaited_workers.h"
#include "kubernetes/adapter/declared_maps.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/job_memories.h"
#include "kubernetes/adapter/job_pods.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/adapter/quota_grants.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/workflow.h"

namespace lips::kubernetes {

class KnownJobs {
 public:
  KnownJobs(JobMemories& memories, const NodeCache& nodes, const Quotas& quotas)
      : memories_(memories), nodes_(nodes), grants_(quotas) {}

  void update(BatchJob job);
  void update(CronJob cron) { cron_jobs_[cron.meta.uid] = std::move(cron); }
  void update(Workflow workflow);
  void update(const PodRecord& pod);
  // Whoever has this uid creates no more pods: it has ended, or is being deleted or gone. Not needed for a job.
  void creator_ended(const std::string& uid);
  // Jobs of peers that became complete since the last call: nobody is left who would create more of their pods, or may,
  // or is believed to.
  std::set<std::string> take_complete();
  // A job, or a pod whose record is about to go.
  void forget_job(const std::string& uid);
  void forget_cron_job(const std::string& uid) { cron_jobs_.erase(uid); }
  void forget_workflow(const std::string& uid) { workflows_changed_ |= workflows_.erase(uid) > 0; }
  void forget(const PodRecord& pod);
  // The object is gone. If it carried the memory of a job that has other pods, another object will carry it.
  void move_memory(const std::string& uid);
  // Makes sure that the memory of each of these pods' jobs is kept on an object that exists.
  void keep_memories_of(const std::vector<PodRecord*>& pods);
  // A map has finished: its output stays in its zone even if the pod and the node go.
  void note_end_of_map(const PodRecord& pod);

  const std::map<std::string, BatchJob>& all() const { return jobs_; }  // by uid
  const std::map<std::string, CronJob>& cron_jobs() const { return cron_jobs_; }
  const std::map<std::string, Workflow>& workflows() const { return workflows_; }  // that go on
  // Says whether one has changed since the last call.
  bool take_workflows_changed() { return std::exchange(workflows_changed_, false); }
  KnownJob known(const std::string& key);
  // Maps that are no tasks of the model and for which the job's reduces wait: some are there, Jobs declare others.
  // Where somebody deletes pods of maps that have finished, they wait until the Job has. 0: it has no reduces.
  std::uint32_t missing_maps(const std::string& key);
  // The pod has ended, or is a task of the model no more: if it is a map, the number may be another.
  void note_map(const PodRecord& pod);
  // The keys of jobs of which it may be another number than at the last call, for another reason than that tasks were
  // told to the model.
  std::set<std::string> take_maps_changed();
  // Says whether maps of the job have not ended, for which its reduces wait.
  bool awaits_maps(const std::string& key);
  // Says whether the job has a pod or, where its key names one, an owner.
  bool is_there(const std::string& key) const;
  // Further pods of such applications, as far as quotas let them come.
  QuotaGrants& grants() { return grants_; }
  // Looks now and then which announced workers have come, and which may come no more.
  void review_awaited(TimePoint now);
  // True: the Job with this uid has a pod that names data and has no node yet.
  bool has_waiting_reader(const std::string& uid) const;
  // Says whether further pods of the job come in a moment (arriving_job.h).
  bool is_arriving(const std::string& key, TimePoint now) const {
    return kubernetes::is_arriving(pods_.of(key), pods_.first_seen(key), jobs_, now);
  }
  // Says whether the Job with this uid has a pod that waits behind no gate of others.
  bool has_released(const std::string& uid) const;
  JobMemory memory_of(const std::string& key, const ModelIndex& index) const;

 private:
  void keep_memory_of(const PodRecord& pod);
  std::string zone_of_node(const std::string& node) const;
  bool has_ended(const std::string& creator) const;
  void review_created_by(const std::string& uid);

  JobMemories& memories_;
  const NodeCache& nodes_;
  JobPods pods_;
  std::map<std::string, BatchJob> jobs_;  // by uid
  std::map<std::string, CronJob> cron_jobs_;
  std::map<std::string, Workflow> workflows_;
  bool workflows_changed_ = false;
  AwaitedWorkers awaited_;
  DeclaredMaps declared_maps_;
  std::set<std::string> maps_changed_;  // keys of jobs
  QuotaGrants grants_;
  Every awaited_review_{Duration(5'000'000)};
  std::set<std::string> ended_;      // creators of pods that are there, by uid
  std::set<std::string> to_review_;  // jobs that may have become complete
  std::set<std::string> refused_;    // jobs for whose further pods nobody waits any more
};

}  // namespace lips::kubernetes
