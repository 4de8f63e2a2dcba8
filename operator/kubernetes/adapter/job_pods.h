// Our pods grouped by job, and facts about each job as a whole: how many tasks it has, and where its maps ran. Sends
// nothing; knows no ids of the model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/adapter/awaited_workers.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/pod_record.h"

namespace lips::kubernetes {

// Who creates the workers of the pod's job, by uid: its driver, else its owner; empty: nobody that is known.
std::string creator_of(const PodRecord& pod);

// Pods under one lips.dev/job, of one owner, or a pod alone.
std::string job_key(const PodRecord& pod);
inline constexpr std::string_view shared_job = "job/", owned_job = "owner/";
std::string shared_job_key(const std::string& name_space, const std::string& job);

using MapsByZone = std::map<std::string, std::uint32_t>;

struct KnownJob {
  std::uint32_t maps = 0, reduces = 0;  // declared, else the number of known ones
  std::uint32_t finished_maps = 0;
  // Maps whose pods are there, those of them that have not ended, and of these the ones that are no tasks of the model.
  std::uint32_t maps_here = 0, open_maps = 0, untold_maps = 0;
  std::uint32_t here = 0;  // pods that are there, or have ended
  MapsByZone maps_in;      // where finished maps ran
  // True of an application whose pods exchange data.
  bool peers = false;
  std::uint32_t expected = 0;         // pods, the driver included; 0: nobody says
  bool guessed = false;               // `expected` is what earlier runs have had
  bool complete = false;              // no more come: nobody is left who would create them
  std::uint32_t gang = 0;             // of which so many start together; 0: no PodGroup says it
  std::uint32_t drivers = 0;          // of those that are there
  bool lacks_driver = false;          // they need one, and none is there
  const PodRecord* worker = nullptr;  // any that is there, else the driver
  TimePoint arrived{};                // when the last of those that are there was first seen
};

// In an order that is the same in every run.
struct ComesBefore {
  bool operator()(const PodRecord* a, const PodRecord* b) const;
};
using PodsByName = std::set<const PodRecord*, ComesBefore>;

class JobPods {
 public:
  // Call update() after PodCache::update(), and forget() before the record is destroyed.
  // Returns whether the pod is new to its job.
  bool update(const PodRecord& pod);
  void forget(const PodRecord& pod);

  const PodsByName& of(const std::string& key) const;
  // When the first of them was seen; the beginning of time: there are none.
  TimePoint first_seen(const std::string& key) const;
  // Applications whose driver runs, with the workers that it or the others announce.
  std::vector<AwaitedApplication> awaited() const;
  // Those that it has created, itself included if it is a driver.
  const PodsByName& created_by(const std::string& uid) const;
  // Says whether whoever creates pods, by uid, creates no more; and whether all who have created the job's do not.
  using Ended = std::function<bool(const std::string& uid)>;
  bool is_complete(const std::string& key, const Ended& ended) const;
  // Says whether the job hands data from maps to reduces.
  bool shuffles(const std::string& key) const;

  struct Surroundings {
    const std::map<std::string, BatchJob>& jobs;                  // by uid
    std::function<std::string(const std::string& node)> zone_of;  // empty: the node is gone
    const MapsByZone& remembered;                                 // of maps whose pods or nodes may be gone
    Ended ended = {};                                             // none: they never do
  };
  KnownJob known(const std::string& key, const Surroundings& around) const;

 private:
  struct Entry {
    PodsByName pods;
    TimePoint first_seen{};
    bool shuffles = false;
  };
  struct Place {
    std::string key, creator;
    friend bool operator==(const Place&, const Place&) = default;
  };
  std::map<std::string, Entry> jobs_;
  std::map<const PodRecord*, Place> place_of_;
  std::map<std::string, PodsByName> created_;  // by the uid of their creator
};

}  // namespace lips::kubernetes
