// Finds out in which version the API server has PodGroups (scheduling.k8s.io), from the first pod on that names one,
// and watches them in a version that this program reads. Says in words where there is none. Decides nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "controller/operator_state.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/informers.h"
#include "kubernetes/adapter/watch_book.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/pods/pod_groups.h"

namespace lips::kubernetes {

class PodGroupApi {
 public:
  struct Surroundings {  // all outlive it
    ApiClient& client;
    Informers& informers;
    const WatchBook& book;
    PodGroups& groups;
    Log& log;
  };
  PodGroupApi(const Surroundings& around, Duration ask_every) : around_(around), due_(ask_every) {}

  // A pod names a PodGroup.
  void needed(TimePoint now);
  // Asks until a version is found, and again while the server refuses to list that one: it may be of another release.
  void review(TimePoint now);
  // No PodGroup can be read: none is served, or none in a version that this program reads.
  const std::optional<Lack>& lack() const { return lack_; }

 private:
  // A round of questions: which versions the group has, and whether PodGroups are in each.
  struct Asking {
    TimePoint began{};
    std::vector<std::string> versions = {};  // in the order in which they are asked about
    std::size_t next = 0;
    std::vector<std::string> unreadable = {};  // versions with PodGroups
  };
  void take_group(const Answer& answer, Asking asking);
  void ask_next(Asking asking);
  void take_version(const Answer& answer, Asking asking);
  void found(const std::string& version);
  void missing(const std::string& why, TimePoint now);

  const Surroundings around_;
  Every due_;
  bool needed_ = false, asking_ = false;
  std::string version_;  // that is watched; empty: none
  std::optional<Lack> lack_;
};

}  // namespace lips::kubernetes
