// Keeps the memories that policies have of jobs where a restarted operator finds them: in annotations of the batch/v1
// Job, of the pod that owns the others (a Spark driver), or else of a pod of the job. Does not interpret them.
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
#include "kubernetes/api/turns.h"
#include "kubernetes/pods/pod_annotations.h"

namespace lips::kubernetes {

// An object that carries a job's memory.
struct MemoryPlace {
  bool is_job = false;  // batch/v1, else a pod
  ObjectMeta meta;
};
// The object that carries the memory of the pod's job.
MemoryPlace memory_place(const PodRecord& pod);

// "zone-a=3,zone-b=1"
std::string maps_text(const MapsByZone& maps);
MapsByZone read_maps(const std::string& text);

class JobMemories {
 public:
  JobMemories(ApiClient& client, std::function<bool()> may_act) : client_(client), may_act_(std::move(may_act)) {}

  // An object was found with these annotations, whoever wrote them.
  void found(const MemoryPlace& place, const TextMap& annotations);
  // The object is gone. Returns the key of the job whose memory it carried: the job needs another place.
  std::optional<std::string> gone(const std::string& uid);

  // Keeps the memory of the job there from now on, unless it already has a place; an object that carries something has
  // precedence, and a Job has it over pods, which may go before it. False: the object carries the memory of another
  // job.
  bool keep_at(const std::string& key, const MemoryPlace& place);
  void remember(const std::string& key, const JobMemory& memory, const std::string& home);
  // At least that many maps have ended.
  void maps_ended(const std::string& key, const MapsByZone& maps);
  // One more map of the job has ended in that zone.
  void map_ended(const std::string& key, const std::string& zone);
  StoredMemory of(const std::string& key) const;
  const MapsByZone& maps_of(const std::string& key) const;

  // Forgets all other jobs: their last pod and their Job are gone.
  void keep_only(const std::function<bool(const std::string& key)>& is_there);
  bool something_found() const { return !carried_.empty(); }
  std::size_t kept() const { return entries_.size(); }
  // Writes changes, as many as the rate allows; call it a few times a second.
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
  std::map<std::string, MemoryPlace> named_;   // objects that carry the memory of a job of several owners, and name it
  std::map<std::string, std::string> key_at_;  // by uid of places
  std::set<std::string> changed_;
  static constexpr std::size_t writes_a_flush = 10;
  Turns<std::string> turns_{writes_a_flush};  // of one flush
};

}  // namespace lips::kubernetes
