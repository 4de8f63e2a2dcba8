// What policies remember of jobs, kept where a restarted operator finds it: in an annotation of the batch/v1 Job, or of
// the pod where there is no Job. Understands nothing of it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/pods/task_notes.h"

namespace lips::kubernetes {

class JobMemories {
 public:
  JobMemories(ApiClient& client, std::function<bool()> may_act) : client_(client), may_act_(std::move(may_act)) {}

  // An annotation that was found; of no use where something newer is known.
  void found(const std::string& key, const std::string& text);
  // Where the memory of the job of that key is kept: a Job, or else a pod.
  void keep_at(const std::string& key, bool is_job, const ObjectMeta& meta);
  void remember(const std::string& key, const JobMemory& memory, const std::string& home);
  StoredMemory of(const std::string& key) const;
  void forget(const std::string& key);
  void keep_only(const std::set<std::string>& keys);
  std::size_t kept() const { return entries_.size(); }
  // Writes what has changed, as much as the rate allows; call it a few times a second.
  void flush(TimePoint now);

 private:
  struct Entry {
    StoredMemory memory;
    std::string written;  // as the cluster has it
    bool is_job = false;
    ObjectMeta place;  // without a name: not known
    TimePoint written_at{};
  };
  ApiClient& client_;
  std::function<bool()> may_act_;
  std::map<std::string, Entry> entries_;
  std::set<std::string> changed_;
};

}  // namespace lips::kubernetes
