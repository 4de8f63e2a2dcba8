// What is known of jobs beyond each pod: the objects that own them, the pods that share them, and what policies
// remember of them. Sends what is remembered; decides nothing.
#pragma once

#include <map>
#include <string>

#include "kubernetes/adapter/job_memories.h"
#include "kubernetes/adapter/job_pods.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/node_cache.h"

namespace lips::kubernetes {

class KnownJobs {
 public:
  KnownJobs(JobMemories& memories, const NodeCache& nodes) : memories_(memories), nodes_(nodes) {}

  void update(BatchJob job);
  void update(const PodRecord& pod) { pods_.update(pod); }
  // Of a job, or of a pod that is no record any more.
  void forget_job(const std::string& uid);
  void forget(const PodRecord& pod) { pods_.forget(pod); }
  // The object is gone: if it carried the memory of a job that has other pods, another object is to carry it.
  void move_memory(const std::string& uid);
  // Memories of these pods' jobs are kept on objects that are there.
  void keep_memories_of(const std::vector<PodRecord*>& pods);
  // A map has finished: its output stays where it ran, though the pod and the node may go.
  void note_end_of_map(const PodRecord& pod);

  const std::map<std::string, BatchJob>& all() const { return jobs_; }  // by uid
  KnownJob known(const std::string& key);
  JobMemory memory_of(const std::string& key, const ModelIndex& index) const;

 private:
  void keep_memory_of(const PodRecord& pod);
  std::string zone_of_node(const std::string& node) const;

  JobMemories& memories_;
  const NodeCache& nodes_;
  JobPods pods_;
  std::map<std::string, BatchJob> jobs_;  // by uid
};

}  // namespace lips::kubernetes
