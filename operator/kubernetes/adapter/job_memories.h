// What must be remembered of jobs, kept where a restarted operator finds it: in annotations of the batch/v1 Job, of the
// pod that owns the others (a Spark driver), or else of one of the job's pods. Understands nothing of it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kubernetes/adapter/job_pods.h"
#include "kubernetes/adapter/memory_text.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/pods/pod_annotations.h"

namespace lips::kubernetes {

// An object that carries a job's memory.
struct MemoryPlace {
  bool is_job = false;  // batch/v1, else a pod
  ObjectMeta meta;
};
// The object that carries it for the pod's job.
MemoryPlace memory_place(const PodRecord& pod);

// "zone-a=3,zone-b=1"
std::string maps_text(const MapsByZone& maps);
MapsByZone read_maps(const std::string& text);

class JobMemories {
 public:
  JobMemories(ApiClient& client, std::function<bool()> may_act) : client_(client), may_act_(std::move(may_act)) {}

  // What an object carries, whoever wrote it.
  void found(const MemoryPlace& place, const TextMap& annotations);
  // The object is gone; the key of the job whose memory it carried: it needs another place.
  std::optional<std::string> gone(const std::string& uid);

  // Where the memory of the job is kept from now on, unless it has a place; an object that carries something comes
  // first. False: the object carries that of another job.
  bool keep_at(const std::string& key, const MemoryPlace& place);
  void remember(const std::string& key, const JobMemory& memory, const std::string& home);
  // So many at least.
  void maps_ended(const std::string& key, const MapsByZone& maps);
  // One more map of the job has left its output there.
  void map_ended(const std::string& key, const std::string& zone);
  StoredMemory of(const std::string& key) const;
  const MapsByZone& maps_of(const std::string& key) const;

  // What they know goes with the last pod and the Job.
  void keep_only(const std::set<std::string>& keys);
  bool something_found() const { return !carried_.empty(); }
  std::size_t kept() const { return entries_.size(); }
  // Writes what has changed, as much as the rate allows; call it a few times a second.
  void flush(TimePoint now);

 private:
  struct Carried {  // by an object
    std::string memory, maps;
    friend bool operator==(const Carried&, const Carried&) = default;
  };
  struct Entry {
    StoredMemory memory;
    MapsByZone maps;
    MemoryPlace place;  // without a name: none yet
    Carried written;    // as the place has it
    TimePoint written_at{};
  };
  void put_at(const std::string& key, Entry& entry, const MemoryPlace& place);
  void adopt(Entry& entry, const Carried& carried);
  void write(const std::string& key, Entry& entry, const Carried& now);

  ApiClient& client_;
  std::function<bool()> may_act_;
  std::map<std::string, Entry> entries_;       // by the job's key
  std::map<std::string, Carried> carried_;     // by uid of objects that carry something
  std::map<std::string, MemoryPlace> named_;   // objects that say the job of several owners whose memory they carry
  std::map<std::string, std::string> key_at_;  // by uid of places
  std::set<std::string> changed_;
};

}  // namespace lips::kubernetes
