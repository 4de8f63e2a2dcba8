// Brings the model up to date with the caches: by events where events can express a change, else by a full listing.
// Decides nothing.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "kubernetes/adapter/data_divisions.h"
#include "kubernetes/adapter/data_link.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/expected_jobs.h"
#include "kubernetes/adapter/kept_shares.h"
#include "kubernetes/adapter/known_jobs.h"
#include "kubernetes/adapter/model_feed.h"
#include "kubernetes/adapter/pod_lifecycle.h"
#include "kubernetes/adapter/reclaims.h"
#include "kubernetes/pods/learned_traffic.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/volume_cache.h"
#include "policies/policy.h"

namespace lips::kubernetes {

class Resync {
 public:
  struct Surroundings {  // all outlive it
    NodeCache& nodes;
    PodCache& pods;
    KnownJobs& jobs;
    ModelFeed& model;
    PodLifecycle& lifecycle;
    const PodConditions& conditions;
    const KeptShares& shares;
    const LearnedTraffic& traffic;
    const DataDivisions& divisions;
    const Reclaims& reclaims;
    const VolumeCache& volumes;
    AdapterObserver& telemetry;
    Log& log;
  };
  struct Rules {
    Duration default_run_time{60'000'000};
    std::function<std::uint64_t()> prices_version;            // grows when they change; empty: never
    std::function<Cadence()> cadence;                         // of the policy: one that plans by heartbeats gets them
    PodMode mode = PodMode::watch;                            // of pools that do not say
    std::function<bool(const std::string& pool)> left_alone;  // as in ClusterSettings
    Mebibytes shuffle_per_cpu_second{1};                      // of applications that do not say
    std::string scheduler_name;
    std::function<AnnouncedWork()> announced;  // by a file; empty: none
  };
  Resync(const Surroundings& around, Rules rules) : around_(around), rules_(std::move(rules)) {}

  // Passes on all changes since the last call. `data`: nullptr if the cluster has no custom resources of ours.
  void reconcile(DataLink* data, TimePoint now);
  void emit_heartbeats(TimePoint now);
  // Looks up the modes of pods of other schedulers.
  void review_modes(const DataLink* data);
  // `data`: as above. An error: the pod may not use the pool that it names.
  static Result<std::string> pool_of(const PodRecord& pod, const DataLink* data);
  // The key under which the memory of this job is kept.
  const std::string& job_key(JobId job) const { return job_keys_[job]; }

 private:
  void find_reasons_to_list(TimePoint now);
  // Tells the model of work that turned out to be other than it was thought to be.
  void emit_learned(TimePoint now);
  void list_everything(DataLink* data, TimePoint now);
  void emit_jobs(const std::vector<PodRecord*>& pods, const DataLink* data, TimePoint now);
  void miss_maps(const std::string& key);
  void emit_nodes();
  std::vector<ExpectedWork> find_expected(const DataLink* data, TimePoint now);
  // Keeps in mind when these jobs come.
  void look_at_announced();
  bool is_planned(PodRecord& pod, const DataLink* data);
  void set_mode(PodRecord& pod, const DataLink* data) const;
  void report_unknown_prices();

  Surroundings around_;
  Rules rules_;
  std::uint64_t volumes_version_ = 0;
  TimePoint listed_at_{}, learned_at_{}, next_beat_{};
  Every review_of_expected_{Duration(30'000'000)}, review_of_steps_{Duration(5'000'000)};
  bool steps_have_moved_ = false;                 // of workflows
  std::vector<ExpectedWork> expected_;            // as last reported
  AnnouncedWork announced_;                       // as last looked at
  std::map<std::string, TimePoint> arrivals_;     // of the jobs that it names; before the epoch: none yet
  std::set<ExpectedJobs::Problem> misannounced_;  // as last logged
  std::uint64_t prices_version_ = 0;
  IdVector<JobId, std::string> job_keys_;
  std::map<std::string, std::uint32_t> missing_maps_;  // as told to the model, by the job's key
  std::set<std::string> unpriced_;                     // nodes, as reported to the telemetry
};

}  // namespace lips::kubernetes
